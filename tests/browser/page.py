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


def a_burst_does_not_freeze_the_page(browser, url, send):
    frames = "window.frames_drawn = 0; (function f() { frames_drawn++; requestAnimationFrame(f) })()"
    browser.run(frames)
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
        for service, top in [("cpu", 1), ("memory", 1), ("disk /", 100), ("http req latency 0.99", 900)]:
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
    server.send(host=None, service="riemann streams rate", metric=10423, ttl=600, tags=["riemann"])
    server.send(host="build-7", service="backup", state="stuck", metric=3, ttl=600)


def take_pictures(folder):
    server = FakeServer()
    fill(server)
    busy = threading.Event()

    def pulse():
        while not busy.wait(0.02):
            server.send(host="web-01.eu-west.example", service="cpu", state="ok", metric=random.random(), ttl=600, tags=["eu-west"], description="cpu is ok, measured over the last 10 s", rack="r1")

    threading.Thread(target=pulse, daemon=True).start()
    for name, width, height, dark in [
        ("light", 1280, 800, False),
        ("dark", 1280, 800, True),
        ("phone", 390, 844, False),
        ("phone-dark", 390, 844, True),
    ]:
        with Browser(width, height, dark) as browser:
            metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
            browser.devtools("Emulation.setDeviceMetricsOverride", metrics)
            browser.open(server.url)
            points = "return document.querySelector('#rate-line polyline').points.length > 4"
            browser.wait("a line", lambda: browser.run(points))
            browser.screenshot(folder / f"{name}.png")
            browser.click(row("web-01.eu-west.example", "cpu"))
            browser.wait("a trail", lambda: browser.run("return document.querySelector('#pane polyline').points.length > 12"))
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
        ways = [a_lost_server_is_told_and_found_again, lost_updates_are_told, a_burst_does_not_freeze_the_page]
        scenarios.run(scenarios.ALL + ways, browser, server.url, server.send)
    if arguments[:1] == ["--pictures"]:
        take_pictures(pathlib.Path(arguments[1]))


if __name__ == "__main__":
    main(sys.argv[1:])
