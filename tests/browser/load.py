#!/usr/bin/env python3
"""Tests the page that `cauchy load --html FILE` wrote: load.py FILE"""

import pathlib
import sys

from webdriver import Browser

CHARTS = ["rates", "unacked", "trips", "throughput"]


def main(path):
    with Browser() as browser:
        browser.open(pathlib.Path(path).resolve().as_uri())
        assert browser.run("return [...document.querySelectorAll('figure')].map(f => f.id)") == CHARTS
        for chart in CHARTS:
            check(browser, chart)
        assert "every message acknowledged" in browser.text("#summary")
        loaded = "return performance.getEntriesByType('resource').map(entry => entry.name)"
        assert browser.run(loaded) == [], "the page needs nothing else"
        assert browser.run(TOO_WIDE) is False


def check(browser, chart):
    lines = browser.run(LINES, chart)
    assert lines, chart
    for width, height in lines:
        assert width > 100, (chart, lines)
    assert len(browser.run(AXIS, chart)) >= 2, chart
    shown = browser.run(HOVER, chart)
    assert shown and all(text and text != "NaN" for text in shown), (chart, shown)


LINES = """
return [...document.querySelectorAll('#' + arguments[0] + ' path.line')].map(path => {
  const box = path.getBoundingClientRect();
  return [box.width, box.height];
});
"""
AXIS = """
return [...document.querySelectorAll('#' + arguments[0] + ' text.y')].map(text => text.textContent);
"""
HOVER = """
const svg = document.querySelector('#' + arguments[0] + ' svg');
const box = svg.getBoundingClientRect();
svg.dispatchEvent(new PointerEvent('pointermove', { clientX: box.left + box.width * 0.7 }));
return [...document.querySelectorAll('#' + arguments[0] + ' .legend b')].map(b => b.textContent);
"""
TOO_WIDE = "return document.documentElement.scrollWidth > document.documentElement.clientWidth"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
