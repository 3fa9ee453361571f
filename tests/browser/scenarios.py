"""What a person does with the page, on any server. Each is given a browser, the address of the
page, and `send`, which puts an event into the index."""

import json

from webdriver import BACKSPACE, DOWN, ENTER, ESCAPE


def row(host, service):
    return f'.row[data-host="{host}"][data-service="{service}"]:not([hidden])'


def ask(browser, query):
    """Types a query, as a person does, from the keyboard alone."""
    browser.keys(ESCAPE + "/")
    browser.run("document.activeElement.select()")
    browser.keys(BACKSPACE + query + ENTER)


def loads_with_version(browser, url, send):
    browser.open(url)
    status = browser.wait("the version", lambda: browser.text("#version") not in (None, "", "–"))
    assert status
    shown = json.loads(
        browser.run(
            "const r = new XMLHttpRequest(); r.open('GET', 'api/status', false); r.send();"
            "return r.responseText"
        )
    )
    assert browser.text("#version") == shown["version"]
    assert shown["ports"][0]["address"] in browser.text("#ports")
    assert shown["hostname"] in browser.run("return document.title")


def shows_an_event(browser, url, send):
    send(host="web-1", service="cpu", state="ok", metric=0.25, ttl=600.0)
    browser.wait("the row", lambda: browser.text(row("web-1", "cpu")))
    assert "0.25" in browser.text(row("web-1", "cpu"))
    send(host="web-1", service="cpu", state="critical", metric=0.975, ttl=600.0)
    browser.wait("the new metric", lambda: "0.975" in browser.text(row("web-1", "cpu")))
    assert "critical" in browser.text(row("web-1", "cpu"))


def shows_markup_as_text(browser, url, send):
    service = "<b onmouseover=alert(1)>&amp;"
    send(host="evil", service=service, state="<i>ok", ttl=600.0)
    services = "return [...document.querySelectorAll('.row .service')].map(e => e.textContent)"
    browser.wait("the text as it is", lambda: service in browser.run(services))
    assert browser.run("return document.querySelectorAll('.row b, .row i').length") == 0


def narrows_by_query(browser, url, send):
    send(host="db-1", service="disk", state="warning", metric=91.0, ttl=600.0)
    browser.wait("the row", lambda: browser.text(row("db-1", "disk")))
    browser.wait("the other row", lambda: browser.text(row("web-1", "cpu")))
    ask(browser, 'service = "disk"')
    browser.wait("the other row to go", lambda: not browser.text(row("web-1", "cpu")))
    browser.wait("the row that matches", lambda: browser.text(row("db-1", "disk")))
    assert "disk" in browser.run("return decodeURIComponent(location.hash)")
    send(host="web-2", service="cpu", state="ok", metric=0.5, ttl=600.0)
    send(host="db-2", service="disk", state="ok", metric=12.0, ttl=600.0)
    browser.wait("a new row that matches", lambda: browser.text(row("db-2", "disk")))
    assert not browser.text(row("web-2", "cpu"))


def a_shared_address_shows_the_same(browser, url, send):
    address = browser.run("return location.href")
    browser.open("about:blank")
    browser.open(address)
    browser.wait("the row", lambda: browser.text(row("db-1", "disk")))
    assert browser.run("return document.getElementById('query').value") == 'service = "disk"'
    assert not browser.text(row("web-1", "cpu"))


def a_row_that_no_longer_matches_goes(browser, url, send):
    ask(browser, 'state = "warning"')
    browser.wait("the row", lambda: browser.text(row("db-1", "disk")))
    send(host="db-1", service="disk", state="ok", metric=60.0, ttl=600.0)
    browser.wait("the row to go", lambda: not browser.text(row("db-1", "disk")))


def explains_a_bad_query(browser, url, send):
    ask(browser, "service =~ cpu")
    reason = browser.wait("the reason", lambda: browser.text("#query-reason"))
    assert "STRING" in reason or "mismatched" in reason, reason
    assert "double quotes" in browser.text("#query-error")
    assert browser.text("#offline") is None
    ask(browser, "")
    browser.wait("the rows", lambda: browser.text(row("web-1", "cpu")))
    assert browser.text("#query-error") is None


def a_state_is_chosen_by_a_click(browser, url, send):
    send(host="web-4", service="fan", state="critical", metric=1.0, ttl=600.0)
    critical = '#tally [data-state="critical"]'
    browser.wait("the state", lambda: browser.text(critical))
    browser.click(critical)
    value = "return document.getElementById('query').value"
    assert browser.run(value) == 'state = "critical"'
    browser.wait("other rows to go", lambda: not browser.text(row("web-2", "cpu")))
    browser.wait("the row", lambda: browser.text(row("web-4", "fan")))
    browser.click(critical)
    browser.wait("the other rows", lambda: browser.text(row("web-2", "cpu")))
    assert browser.run(value) == ""


def the_back_button_returns_to_the_query_before(browser, url, send):
    ask(browser, 'service = "fan"')
    browser.wait("other rows to go", lambda: not browser.text(row("web-2", "cpu")))
    browser.run("history.back()")
    browser.wait("the other rows", lambda: browser.text(row("web-2", "cpu")))
    browser.wait("the row", lambda: browser.text(row("web-4", "fan")))


def opens_an_event(browser, url, send):
    send(
        host="web-3",
        service="http",
        state="ok",
        description="all is well",
        metric=7.5,
        ttl=600.0,
        tags=["edge", "eu"],
        rack="r12",
    )
    browser.wait("the row", lambda: browser.text(row("web-3", "http")))
    browser.click(row("web-3", "http"))
    browser.wait("the pane", lambda: "all is well" in (browser.text("#pane") or ""))
    pane = browser.text("#pane")
    for part in ["web-3", "http", "all is well", "7.5", "edge", "eu", "rack", "r12", "600"]:
        assert part in pane, (part, pane)
    send(host="web-3", service="http", state="critical", metric=8.5, ttl=600.0, rack="r13")
    browser.wait("the change in the pane", lambda: "r13" in browser.text("#pane"))
    browser.keys(ESCAPE)
    browser.wait("the pane to close", lambda: not browser.text("#pane"))
    browser.keys(DOWN + ENTER)
    browser.wait("the pane of the next row", lambda: browser.text("#pane"))
    browser.keys(ESCAPE)


def sorts_by_a_column(browser, url, send):
    for step, reverse in (("ascending", False), ("descending", True)):
        browser.click(".head .metric button")
        browser.wait(step, lambda: (found := metrics(browser)) == sorted(found, reverse=reverse))
        assert browser.run("return document.querySelector('.head .metric').ariaSort") == step
        assert len(metrics(browser)) >= 4
    browser.click(".head .state button")


def metrics(browser):
    """The metrics of the rows in view, from top to bottom."""
    shown = browser.run(
        "const rows = [...document.querySelectorAll('.row:not([hidden])')];"
        "rows.sort((a, b) => a.ariaRowIndex - b.ariaRowIndex);"
        "return rows.map(row => row.querySelector('.metric').textContent);"
    )
    return [float(text.replace(",", "")) for text in shown if text]


def an_expired_event_goes(browser, url, send):
    send(host="web-1", service="cpu", state="expired")
    browser.wait("the row to go", lambda: not browser.text(row("web-1", "cpu")))


def an_event_goes_after_its_ttl(browser, url, send):
    send(host="short", service="lived", state="ok", metric=1.0, ttl=1.0)
    browser.wait("the row", lambda: browser.text(row("short", "lived")))
    browser.wait("the row to go", lambda: not browser.text(row("short", "lived")))


def nothing_complains(browser, url, send):
    complaints = browser.console()
    assert not complaints, complaints


ALL = [
    loads_with_version,
    shows_an_event,
    shows_markup_as_text,
    narrows_by_query,
    a_shared_address_shows_the_same,
    a_row_that_no_longer_matches_goes,
    explains_a_bad_query,
    a_state_is_chosen_by_a_click,
    the_back_button_returns_to_the_query_before,
    opens_an_event,
    sorts_by_a_column,
    an_expired_event_goes,
    an_event_goes_after_its_ttl,
    nothing_complains,
]


def run(scenarios, browser, url, send):
    for scenario in scenarios:
        scenario(browser, url, send)
        print(f"ok {scenario.__name__}", flush=True)
