#!/usr/bin/env python3
"""Tests the page of a running server: run.py http://127.0.0.1:5556/ 5555

The second argument is the server's port of Riemann's protocol over TCP. Needs Python, `chromium`
and `chromedriver`, nothing else.
"""

import sys
import urllib.parse

import scenarios
from riemann import Sender
from webdriver import Browser


def main(url, port):
    url = url.rstrip("/") + "/"
    sender = Sender(urllib.parse.urlsplit(url).hostname, int(port))
    with Browser() as browser:
        scenarios.run(scenarios.ALL, browser, url, sender.send)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
