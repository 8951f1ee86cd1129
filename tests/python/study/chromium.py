"""Chromium without a window, controlled through a pipe; needs no other package."""

import base64
import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
# The browser reads commands from descriptor 3 and writes answers to descriptor 4.
START = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.dup2(int(sys.argv[2]), 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


def find():
    """Return the path of Chromium, or None if it is not installed."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Chromium:
    """One page of a browser without access to any host."""

    def __init__(self, width=1280, height=900):
        if (program := find()) is None:
            raise RuntimeError("no Chromium is installed")
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        (commands, self._to), (self._from, answers) = os.pipe(), os.pipe()
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (commands, answers)]
        command = [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"]
        command += ["--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND"]
        command += [f"--window-size={width},{height}", f"--user-data-dir={self.folder.name}"]
        self._process = subprocess.Popen(
            [sys.executable, "-c", START, *map(str, ends), *command, "--remote-debugging-pipe"],
            pass_fds=ends,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for end in (*ends, commands, answers):
            os.close(end)
        self._answers = os.fdopen(self._from, "rb")
        self._rest, self._number, self._session = b"", 0, None
        self.events = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self._to)  # the browser ends when its pipe is closed
        self._answers.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self.folder.cleanup()

    def _read(self):
        while b"\0" not in self._rest:
            part = os.read(self._from, 1 << 20)
            if not part:
                raise RuntimeError("Chromium has ended")
            self._rest += part
        message, _, self._rest = self._rest.partition(b"\0")
        return json.loads(message)

    def call(self, method, **params):
        """Send a command of the DevTools protocol, and return its answer."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, path):
        """Show a file, and wait until it is loaded."""
        self.events.clear()
        self.call("Page.navigate", url=path.resolve().as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._read())

    def evaluate(self, expression):
        """Return the value of a JavaScript expression in the page."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in found:
            raise RuntimeError(found["exceptionDetails"])
        return found["result"].get("value")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def middle(self, selector, right=0.5, down=0.5):
        """Scroll an element into view, and return a point in it, by default its middle."""
        found = f"document.querySelector({json.dumps(selector)})"
        self.evaluate(f"{found}.scrollIntoView({{block: 'center', behavior: 'instant'}})")
        box = self.evaluate(f"JSON.stringify({found}.getBoundingClientRect())")
        box = json.loads(box)
        return box["x"] + right * box["width"], box["y"] + down * box["height"]

    def click(self, selector, times=1, **where):
        x, y = self.middle(selector, **where)
        for count in range(1, times + 1):
            for kind in ("mousePressed", "mouseReleased"):
                self.mouse(kind, x, y, button="left", clickCount=count)

    def wheel(self, selector, delta, **where):
        x, y = self.middle(selector, **where)
        self.mouse("mouseWheel", x, y, deltaX=0, deltaY=delta)

    def key(self, key):
        for kind in ("keyDown", "keyUp"):
            text = {"text": "\r"} if key == "Enter" and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, **text)

    def prefer(self, scheme):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", features=features)

    def screenshot(self, path, *, full=True):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        more = {"clip": clip, "captureBeyondViewport": True} if full else {}
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", **more)["data"]))

    def complaints(self):
        """Return the errors and warnings on the page's console, and its exceptions."""
        found = []
        for event in self.events:
            params = event.get("params", {})
            if event.get("method") == "Runtime.exceptionThrown":
                found.append(params["exceptionDetails"].get("exception", params))
            if event.get("method") == "Log.entryAdded" and params["entry"]["level"] != "verbose":
                found.append(params["entry"]["text"])
            if event.get("method") == "Runtime.consoleAPICalled":
                found.append(params["args"])
        return found

    def requests(self):
        """Return the addresses that the page requested."""
        return [
            event["params"]["request"]["url"]
            for event in self.events
            if event.get("method") == "Network.requestWillBeSent"
        ]
