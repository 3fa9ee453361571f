"""A headless Chromium, driven through chromedriver with nothing but the standard library."""

import base64
import json
import re
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]
DEADLINE_S = 20
POLL_S = 0.05


class Browser:
    """One browser with a fresh profile; `with Browser() as browser:` ends it and removes both."""

    def __init__(self, width=1280, height=800, dark=False):
        self.profile = tempfile.mkdtemp(prefix="cauchy-browser-")
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        port = next(found[1] for found in map(started_on, self.driver.stdout) if found)
        self.address = f"http://127.0.0.1:{port}"
        flags = [*FLAGS, f"--user-data-dir={self.profile}", f"--window-size={width},{height}"]
        options = {"args": flags, "binary": shutil.which("chromium")}
        capabilities = {
            "browserName": "chrome",
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL"},
        }
        answer = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
        self.session = f"/session/{answer['sessionId']}"
        if dark:
            scheme = {"name": "prefers-color-scheme", "value": "dark"}
            self.devtools("Emulation.setEmulatedMedia", {"features": [scheme]})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.ask("DELETE", self.session)
        finally:
            self.driver.terminate()
            self.driver.wait()
            shutil.rmtree(self.profile, ignore_errors=True)

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from error

    def devtools(self, command, params):
        body = {"cmd": command, "params": params}
        return self.ask("POST", f"{self.session}/goog/cdp/execute", body)

    def open(self, url):
        self.ask("POST", f"{self.session}/url", {"url": url})

    def run(self, script, *arguments):
        """Runs a function body in the page; what it returns comes back."""
        body = {"script": script, "args": list(arguments)}
        return self.ask("POST", f"{self.session}/execute/sync", body)

    def text(self, selector):
        """The visible text of the first element that matches; None if it is not shown."""
        return self.run(
            "const e = document.querySelector(arguments[0]);"
            "return e && e.checkVisibility() ? e.innerText : null;",
            selector,
        )

    def click(self, selector):
        """Clicks what matches, as soon as it stands still: rows come and go while a server runs."""
        self.wait(f"a click on {selector}", lambda: self.is_clicked(selector))

    def is_clicked(self, selector):
        by = {"using": "css selector", "value": selector}
        try:
            (element,) = self.ask("POST", f"{self.session}/element", by).values()
            # As a wheel would: left to itself, the driver scrolls to where the row stood before.
            self.run(
                "document.querySelector(arguments[0])?.scrollIntoView({block: 'center'})", selector
            )
            self.ask("POST", f"{self.session}/element/{element}/click", {})
        except RuntimeError as error:
            moving = ("not interactable", "stale element", "click intercepted", "no such element")
            if not any(reason in str(error) for reason in moving):
                raise
            return False
        return True

    def keys(self, text):
        """Types into whatever has the focus."""
        presses = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
        actions = [{"type": "key", "id": "keyboard", "actions": presses}]
        self.ask("POST", f"{self.session}/actions", {"actions": actions})

    def wait(self, what, condition, deadline_s=DEADLINE_S):
        """Waits until `condition()` is true, and returns its value."""
        deadline = time.monotonic() + deadline_s
        while True:
            value = condition()
            if value:
                return value
            if time.monotonic() > deadline:
                shown = self.run("return document.body.innerText")
                complaints = "\n".join(self.console())
                raise AssertionError(f"never came: {what}. It says: {complaints}\n{shown}")
            time.sleep(POLL_S)

    def console(self):
        """What the page has complained of since the last look."""
        log = self.ask("POST", f"{self.session}/se/log", {"type": "browser"})
        return [entry["message"] for entry in log if entry["level"] in ("SEVERE", "WARNING")]

    def screenshot(self, path):
        image = self.ask("GET", f"{self.session}/screenshot")
        with open(path, "wb") as file:
            file.write(base64.b64decode(image))


def started_on(line):
    return re.search(r"started successfully on port (\d+)", line)


ENTER = "\ue007"
ESCAPE = "\ue00c"
DOWN = "\ue015"
BACKSPACE = "\ue003"
