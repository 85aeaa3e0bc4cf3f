"""As much of W3C WebDriver as the browser tests need, over HTTP and without a package."""
import base64
import contextlib
import json
import pathlib
import subprocess
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "Space": " ", "ArrowUp": "\ue013",
        "ArrowDown": "\ue015"}


class Refused(Exception):
    """WebDriver could not do what was asked."""


def call(url, method, body=None):
    """One command; returns its value."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]
    except urllib.error.HTTPError as error:
        value = json.load(error)["value"]
        raise Refused(f"{value['error']}: {value['message'].splitlines()[0]}") from None


class Element:
    """One element of the page."""

    def __init__(self, browser, reference):
        self.browser = browser
        self.reference = reference
        self.path = f"/element/{reference[ELEMENT]}"

    def click(self):
        """As a person would: it is brought into view, and must not lie below something."""
        self.browser.run("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", self)
        self.browser.command("POST", self.path + "/click", {})

    def type(self, text):
        """Types into it."""
        self.browser.command("POST", self.path + "/value", {"text": text})

    def fill(self, text):
        """Replaces its text."""
        self.browser.command("POST", self.path + "/clear", {})
        self.type(text)

    @property
    def text(self):
        """What is shown of its text."""
        return self.browser.command("GET", self.path + "/text")

    def attribute(self, name):
        """An attribute, as it stands in the page."""
        return self.browser.run("return arguments[0].getAttribute(arguments[1])", self, name)

    def box(self):
        """Left, top, width and height in the window, in CSS pixels."""
        return self.browser.run(
            "const b = arguments[0].getBoundingClientRect();"
            "return [b.left, b.top, b.width, b.height]", self)

    def find(self, selector):
        """The first element below it."""
        reference = self.browser.command(
            "POST", self.path + "/element", {"using": "css selector", "value": selector})
        return Element(self.browser, reference)

    def screenshot(self, path):
        """A picture of it alone."""
        picture = self.browser.command("GET", self.path + "/screenshot")
        pathlib.Path(path).write_bytes(base64.b64decode(picture))


class Browser:
    """A session of Chromium."""

    def __init__(self, driver, width=375, height=800, dark=False, reduced=False):
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                   "--hide-scrollbars", "--lang=en-US", "--force-color-profile=srgb",
                   "--host-resolver-rules=MAP *.example 127.0.0.1"]
        value = call(f"{driver}/session", "POST", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": {"args": options},
            "goog:loggingPrefs": {"browser": "ALL"},
            "timeouts": {"script": 20000, "pageLoad": 20000}}}})
        self.url = f"{driver}/session/{value['sessionId']}"
        self.size(width, height)
        self.prefer(dark, reduced)

    def command(self, method, path, body=None):
        """One command of this session."""
        return call(self.url + path, method, body)

    def devtools(self, name, **parameters):
        """A command of Chromium's own protocol, for what WebDriver has no word for."""
        return self.command("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def size(self, width, height):
        """The size of the window's inside, in CSS pixels."""
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height,
                      deviceScaleFactor=1, mobile=False)

    def prefer(self, dark=False, reduced=False):
        """What the person in front of it prefers."""
        self.devtools("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce" if reduced else "no-preference"}])

    def open(self, url):
        """Goes there."""
        self.command("POST", "/url", {"url": url})

    @property
    def place(self):
        """Where it is."""
        return self.command("GET", "/url")

    def run(self, script, *arguments):
        """Runs a function's body; returns what it returns."""
        given = [item.reference if isinstance(item, Element) else item for item in arguments]
        value = self.command("POST", "/execute/sync", {"script": script, "args": given})
        return Element(self, value) if isinstance(value, dict) and ELEMENT in value else value

    def wait_for(self, script, *arguments):
        """Runs an asynchronous function's body, whose last argument is called with the answer."""
        return self.command("POST", "/execute/async", {"script": script, "args": list(arguments)})

    def all(self, selector):
        """All elements that there are."""
        found = self.command("POST", "/elements", {"using": "css selector", "value": selector})
        return [Element(self, reference) for reference in found]

    def find(self, selector, text=None, seconds=10):
        """The first element, once it is there and shown; with a text in it, if one is named."""
        script = """
            const [selector, text] = arguments;
            return [...document.querySelectorAll(selector)].find((element) =>
              element.checkVisibility() && (text === null || element.textContent.includes(text))) ?? null
        """
        return self.until(lambda: self.run(script, selector, text), f"{selector} {text or ''}", seconds)

    def click(self, selector, text=None):
        """Clicks the first such element; once more where it was just being drawn anew."""
        def tried():
            self.find(selector, text).click()
            return True
        self.until(tried, f"a click on {selector} {text or ''}")

    def gone(self, selector, text=None, seconds=10):
        """Waits until there is no such element."""
        script = """
            const [selector, text] = arguments;
            return ![...document.querySelectorAll(selector)].some((element) =>
              element.checkVisibility() && (text === null || element.textContent.includes(text)))
        """
        self.until(lambda: self.run(script, selector, text), f"no {selector} {text or ''}", seconds)

    def until(self, found, what, seconds=10):
        """Waits for something, which is returned."""
        deadline = time.monotonic() + seconds
        while True:
            with contextlib.suppress(Refused):
                value = found()
                if value:
                    return value
            if time.monotonic() > deadline:
                raise AssertionError(f"never: {what}; on {self.place}: {self.body()[:600]}")
            time.sleep(0.03)

    def body(self):
        """All text of the page."""
        return self.run("return document.body.innerText")

    def press(self, *keys):
        """Presses keys, one after the other, wherever the focus is."""
        actions = []
        for key in keys:
            value = KEYS.get(key, key)
            actions += [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        self.command("POST", "/actions", {"actions": [
            {"type": "key", "id": "keys", "actions": actions}]})

    def tap(self, element):
        """Touches it for a moment, with a finger."""
        self.run("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", element)
        self.finger(element, [{"type": "pause", "duration": 40}])

    def swipe(self, element, distance):
        """Puts a finger on it and moves that up or down."""
        left, top, width, height = element.box()
        place = {"x": round(left + width / 2), "y": round(top + height / 2)}
        self.finger(element, [{"type": "pointerMove", "duration": 20, "x": place["x"],
                               "y": place["y"] + round(distance * step / 8)} for step in range(1, 9)])

    def finger(self, element, steps):
        """Puts a finger on the middle of it, does what is wanted, and takes it away."""
        left, top, width, height = element.box()
        down = [{"type": "pointerMove", "duration": 0, "x": round(left + width / 2), "y": round(top + height / 2)},
                {"type": "pointerDown", "button": 0}]
        self.point("touch", [*down, *steps, {"type": "pointerUp", "button": 0}])

    def point(self, kind, actions):
        """Does something with a pointer of some kind."""
        self.command("POST", "/actions", {"actions": [
            {"type": "pointer", "id": kind, "parameters": {"pointerType": kind}, "actions": actions}]})

    def drag(self, element, to, kind="mouse", before_drop=None):
        """Drags one element to the middle of another, with a pointer of some kind; does something before it lets go
        (not with a finger, which chromedriver lifts after each command)."""
        def middle(of):
            left, top, width, height = of.box()
            return {"x": round(left + width / 2), "y": round(top + height / 2)}
        steps = [{"type": "pointerMove", "duration": 0, **middle(element)}, {"type": "pointerDown", "button": 0}]
        start, end = middle(element), middle(to)
        for step in range(1, 9):
            steps.append({"type": "pointerMove", "duration": 20, "x": end["x"],
                          "y": round(start["y"] + (end["y"] - start["y"]) * step / 8)})
        if before_drop:
            self.point(kind, steps)
            before_drop()
            steps = []
        self.point(kind, [*steps, {"type": "pointerUp", "button": 0}])

    def focused(self):
        """What a screen reader would call the element that has the focus."""
        return self.run("""
            const e = document.activeElement;
            return e.getAttribute('aria-label') || e.innerText.trim() || e.name || e.tagName""")

    def faults(self):
        """What the console has complained of, what was not reachable aside."""
        entries = self.command("POST", "/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries
                if entry["level"] == "SEVERE" and entry["source"] != "network"]

    def offline(self, is_offline):
        """Takes the network away from the page."""
        self.devtools("Network.enable")
        self.devtools("Network.emulateNetworkConditions", offline=is_offline, latency=0,
                      downloadThroughput=-1, uploadThroughput=-1)

    def show(self):
        """Shows the page as when a person comes back to it: from another tab."""
        own = self.command("GET", "/window")
        other = self.command("POST", "/window/new", {"type": "tab"})["handle"]
        self.command("POST", "/window", {"handle": other})
        self.command("DELETE", "/window")
        self.command("POST", "/window", {"handle": own})

    def screenshot(self, path):
        """A picture of the window."""
        picture = self.devtools("Page.captureScreenshot", format="png", optimizeForSpeed=False)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(picture))

    def close(self):
        """Ends the session."""
        self.command("DELETE", "")


@contextlib.contextmanager
def driver():
    """A running chromedriver; yields its URL."""
    process = subprocess.Popen(
        ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        for line in process.stdout:
            if "on port " in line and "successfully" in line:
                port = line.rstrip(".\n").rsplit(" ", 1)[1]
                break
        else:
            raise SystemExit("chromedriver did not start")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(10)
