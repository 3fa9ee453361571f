#!/usr/bin/env python3
"""Tests the page alone, on a pretend server: all that a person does with it, and what a real
server is rarely seen to do: go away, drop updates, send 10 000 events per second.

`page.py --pictures FOLDER` also leaves screenshots: light, dark, a phone.
"""

import pathlib
import random
import sys
import threading
import time

import scenarios
from fake_server import FakeServer
from scenarios import row
from webdriver import Browser

BURST = 30_000
BURST_KEYS = 3_000
TOPS = {"cpu": 1, "memory": 1, "disk /": 100, "http latency 0.99": 900}


def clauses_are_added_to_a_query(browser, url, send):
    browser.open(url)
    narrowed = "return import('/assets/query.js').then(m => m.narrowed(...arguments))"
    for query, clause, expected in [
        ("true", 'a = "1"', 'a = "1"'),
        ('a = "1"', 'a = "1"', "true"),
        ('a = "1"', "b = nil", 'a = "1" and b = nil'),
        ('a = "1" and b = nil', "b = nil", 'a = "1"'),
        ("a or b", "c = 1", "(a or b) and c = 1"),
        ("(a or b) and c = 1", "d = 2", "(a or b) and c = 1 and d = 2"),
        ("(a or b) and c = 1", "c = 1", "(a or b)"),
        ("(a) or (b)", "c = 1", "((a) or (b)) and c = 1"),
        ("a or b and c = 1", "c = 1", "(a or b and c = 1) and c = 1"),
    ]:
        assert browser.run(narrowed, query, clause) == expected, (query, clause)


def values_read_well(browser, url, send):
    formatted = "return import('/assets/format.js').then(m => m[arguments[0]](...arguments[1]))"
    for name, arguments, expected in [
        ("metric", [0], "0"),
        ("metric", [1234567], "1,234,567"),
        ("metric", [0.123456789], "0.12346"),
        ("metric", [123456.789], "123,457"),
        ("metric", [0.0000012], "1.200e-6"),
        ("metric", [-1e18], "-1.000e+18"),
        ("metric", ["NaN"], "NaN"),
        ("metric", [None], ""),
        ("duration", [0.4], "0s"),
        ("duration", [59.9], "59s"),
        ("duration", [3600, 2], "1h 0m"),
        ("duration", [90061, 2], "1d 1h"),
        ("age", [1000, 1500], "now"),
        ("age", [1000, 61000], "1m"),
        ("age", [9000, 1000], "in 8s"),
        ("age", [None, 1000], ""),
        ("rate", [3.14159], "3.1"),
        ("text", [{"a": [1]}], '{"a":[1]}'),
    ]:
        assert browser.run(formatted, name, arguments) == expected, (name, arguments)


def a_lost_server_is_told_and_found_again(browser, url, send):
    server = send.__self__
    send(host="db-9", service="load", state="ok", metric=1.0, ttl=600.0)
    browser.wait("the row", lambda: browser.text(row("db-9", "load")))
    server.stop()
    told = browser.wait("the bar", lambda: browser.text("#offline"))
    assert "Disconnected" in told and "retrying" in told, told
    assert browser.text(row("db-9", "load")), "the last known rows stay"
    server.index.clear()
    server.start()
    browser.wait("the bar to go", lambda: browser.text("#offline") is None)
    browser.wait("the old row to go", lambda: not browser.text(row("db-9", "load")))
    send(host="db-9", service="load", state="ok", metric=2.0, ttl=600.0)
    browser.wait("the feed", lambda: browser.text(row("db-9", "load")))


def lost_updates_are_told(browser, url, send):
    server = send.__self__
    server.publish_raw('{"service":"cauchy dropped","metric":1234,"state":"warning"}')
    server.publish_raw("no JSON at all")
    told = browser.wait("the notice", lambda: browser.text("#notice"))
    assert "1,234" in told, told


def an_event_has_its_past(browser, url, send):
    server = send.__self__
    send(host="db-9", service="with a past", state="ok", metric=2.0, ttl=600.0)
    send(host="db-9", service="without", state="ok", metric=2.0, ttl=600.0)
    browser.wait("the row", lambda: browser.text(row("db-9", "with a past")))
    browser.click(row("db-9", "with a past"))
    told = browser.wait("the past", lambda: browser.text("#pane .past"))
    assert "least 1 · median 2 · 99 % 9 · greatest 10" in told, told
    assert server.asked[-1]["query"] == 'host = "db-9" and service = "with a past"', server.asked
    lines = browser.run("return document.querySelector('#pane .median').getAttribute('d')")
    assert lines.count("M") == 2, "a gap parts two lines: " + lines
    browser.run("[...document.querySelectorAll('#pane .past button')].at(-1).click()")
    browser.wait("the week", lambda: server.asked[-1]["from"] == "-1w")
    browser.click(row("db-9", "without"))
    browser.wait("the other", lambda: 'service = "without"' in server.asked[-1]["query"])
    browser.wait("no past", lambda: browser.text("#pane .past") is None)
    browser.run("document.querySelector('#pane .close').click()")


def a_burst_does_not_freeze_the_page(browser, url, send):
    browser.run(
        "window.frames_drawn = 0;"
        "(function frame() { frames_drawn++; requestAnimationFrame(frame) })()"
    )
    start = time.monotonic()
    for number in range(BURST):
        send(host=f"h{number % BURST_KEYS}", service="burst", state="ok", metric=number, ttl=600.0)
    count = lambda: (browser.text("#count") or "").replace(",", "")
    browser.wait("all rows", lambda: int(count().split()[0]) >= BURST_KEYS)
    seconds = time.monotonic() - start
    frames = browser.run("return frames_drawn")
    rows = browser.run("return document.querySelectorAll('.row').length")
    print(f"  {BURST / seconds:.0f} events/s, {frames / seconds:.0f} frames/s, {rows} row elements")
    assert rows < 100, rows
    assert frames / seconds > 10, frames / seconds


def fill(server):
    random.seed(7)
    states = ["ok"] * 9 + ["warning", "critical"]
    for number in range(1, 13):
        for service, top in TOPS.items():
            state = random.choice(states)
            server.send(
                host=f"web-{number:02}.eu-west.example",
                service=service,
                state=state,
                metric=round(random.random() * top, 4),
                description=f"{service} is {state}, measured over the last 10 s",
                tags=["eu-west", "web"],
                ttl=600,
                rack=f"r{number}",
                image="nginx:1.27",
            )
    server.send(service="riemann streams rate", metric=10423, ttl=600, tags=["riemann"])
    server.send(host="build-7", service="backup", state="stuck", metric=3, ttl=600)


def take_pictures(folder):
    server = FakeServer()
    fill(server)
    busy = threading.Event()
    pulsing = next(event for event in server.index.values() if event["service"] == "cpu")
    pulsing = {key: pulsing[key] for key in pulsing.keys() - {"metric", "time"}}

    def pulse():
        while not busy.wait(0.02):
            server.send(**pulsing, metric=random.random())

    threading.Thread(target=pulse, daemon=True).start()
    for name, width, height, dark in [
        ("light", 1280, 800, False),
        ("dark", 1280, 800, True),
        ("phone", 390, 844, False),
        ("phone-dark", 390, 844, True),
    ]:
        with Browser(width, height, dark) as browser:
            screen = {"width": width, "height": height, "deviceScaleFactor": 1}
            screen["mobile"] = width < 500
            browser.devtools("Emulation.setDeviceMetricsOverride", screen)
            browser.open(server.url)
            points = "return document.querySelector('#rate-line polyline').points.length > 4"
            browser.wait("a line", lambda: browser.run(points))
            browser.screenshot(folder / f"{name}.png")
            browser.click(row("web-01.eu-west.example", "cpu"))
            trail = "return document.querySelector('#pane polyline').points.length > 12"
            browser.wait("a trail", lambda: browser.run(trail))
            browser.screenshot(folder / f"{name}-pane.png")
            browser.run("document.querySelector('#pane .close').click()")
            scenarios.ask(browser, "service =~ cpu")
            browser.wait("the reason", lambda: browser.text("#query-reason"))
            browser.screenshot(folder / f"{name}-error.png")
            scenarios.ask(browser, "")
            browser.wait("the rows", lambda: browser.text(row("build-7", "backup")))
            server.stop()
            browser.wait("the bar", lambda: browser.text("#offline"))
            browser.screenshot(folder / f"{name}-offline.png")
            server.start()
    busy.set()


def main(arguments):
    server = FakeServer()
    with Browser() as browser:
        ways = [
            clauses_are_added_to_a_query,
            values_read_well,
            a_lost_server_is_told_and_found_again,
            lost_updates_are_told,
            an_event_has_its_past,
            a_burst_does_not_freeze_the_page,
        ]
        scenarios.run(scenarios.ALL + ways, browser, server.url, server.send)
    if arguments[:1] == ["--pictures"]:
        take_pictures(pathlib.Path(arguments[1]))


if __name__ == "__main__":
    main(sys.argv[1:])
