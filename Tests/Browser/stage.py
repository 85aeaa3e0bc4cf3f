"""A relay with its simulated Beeminder, and a browser in front of them."""
import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

import webdriver

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("PROGRAM", ROOT / ".build/release/beemed-relay")
ACCOUNT = "simulated-token"


def start(*arguments, **environment):
    """A process of the program, and where it listens."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("BEEM")}
    process = subprocess.Popen(
        [PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env={**inherited, **environment})
    line = process.stdout.readline()
    assert line.startswith("Listening on "), line
    return process, line.removeprefix("Listening on ").strip()


def free_port():
    """A port that nobody has just now."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Router:
    """Stands between the browser and the relay, as a router does, and may forget a connection: then nothing more
    passes, and neither side is told."""

    def __init__(self, port):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.target = port
        self.sockets = []
        self.streams = set()
        self.forgotten = set()

    def __enter__(self):
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.close()
        for one in self.sockets:
            one.close()

    def forget(self):
        """Closes idle connections, and drops those with an event stream silently."""
        self.forgotten |= self.streams
        for one in self.sockets:
            if one not in self.forgotten:
                with contextlib.suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)

    def accept(self):
        """Passes on what comes, one thread for each direction."""
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", self.target))
            self.sockets += [near, far]
            for source, sink in [(near, far), (far, near)]:
                threading.Thread(target=self.carry, args=(source, sink), daemon=True).start()

    def carry(self, source, sink):
        """Carries bytes one way, as long as the connection is remembered."""
        with contextlib.suppress(OSError):
            while data := source.recv(65_536):
                if b"text/event-stream" in data:
                    self.streams |= {source, sink}
                if source in self.forgotten:
                    return
                sink.sendall(data)
            if source not in self.forgotten:
                sink.shutdown(socket.SHUT_WR)


NGINX = """
daemon off; pid %(folder)s/pid; error_log %(folder)s/errors;
events {}
http {
    access_log off; client_body_temp_path %(folder)s/a; proxy_temp_path %(folder)s/b; fastcgi_temp_path %(folder)s/c;
    uwsgi_temp_path %(folder)s/d; scgi_temp_path %(folder)s/e;
    server {
        listen 127.0.0.1:%(port)d;
        location = / { default_type text/html; return 200 '<!doctype html><iframe src="%(prefix)s/"></iframe>'; }
        location %(prefix)s/ {
            proxy_pass http://127.0.0.1:%(relay)d/; proxy_http_version 1.1; proxy_buffering off;
            proxy_set_header Host $http_host; proxy_set_header X-Forwarded-Host $http_host;
            proxy_set_header X-Forwarded-For $remote_addr; proxy_set_header %(field)s %(prefix)s;
        }
    }
}
"""


@contextlib.contextmanager
def nginx(relay, prefix, field):
    """A reverse proxy that serves the relay below a path, with a frame of it at the root; yields its origin."""
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        path = pathlib.Path(folder, "nginx.conf")
        path.write_text(NGINX % {"folder": folder, "port": port, "prefix": prefix, "relay": relay, "field": field})
        server = subprocess.Popen(["/usr/sbin/nginx", "-c", path, "-e", f"{folder}/errors"])
        try:
            deadline = time.monotonic() + 10
            while True:
                with contextlib.suppress(OSError):
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                assert server.poll() is None and time.monotonic() < deadline, pathlib.Path(folder, "errors").read_text()
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait()


class Stage:
    """One relay, one Beeminder, one browser, all new."""

    def __init__(self, driver, folder, connected=True, width=375, height=800, dark=False, goals=(),
                 arguments=()):
        self.folder = folder
        self.connected = connected
        self.arguments = arguments
        self.running = []
        self.simulator, self.beeminder = start("simulator", "--listen", "127.0.0.1:0")
        for goal in goals:
            self.control("goals", **goal)
            self.rename(goal["slug"], goal.get("title", goal["slug"]))
        self.port = free_port()
        self.start_relay()
        self.owner = pathlib.Path(folder, "owner-token").read_text().strip()
        if connected:
            self.until(self.knows_goals, "the goals")
        self.browser = webdriver.Browser(driver, width, height, dark)

    def knows_goals(self):
        """Whether the relay knows the goals as they are when their graphs are drawn: until then a new one derails now."""
        goals = self.ask("GET", "/goals")
        if goals["known"] and any(goal.get("losedate", 0) < time.time() + 60 for goal in goals["goals"]):
            self.ask("POST", "/goals/refresh")
            return False
        return goals["known"]

    def start_relay(self):
        """Starts the relay, always at the same place."""
        account = {"BEEMINDER_AUTH_TOKEN": ACCOUNT} if self.connected else {}
        self.relay, self.url = start(
            "serve", "--listen", f"127.0.0.1:{self.port}", "--data", self.folder,
            "--rate-limit", "off", "--beeminder-url", self.beeminder + "/api/v1/", *self.arguments, **account)

    def stop_relay(self):
        """Stops it in good order."""
        self.relay.send_signal(signal.SIGTERM)
        assert self.relay.wait(30) == 0, "the relay did not end in good order"

    def ask(self, method, path, body=None, token=None):
        """One request of the relay, as its owner or with a token; returns the JSON that is answered."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.url + path, data, {"Authorization": f"Bearer {token or self.owner}"} if token != "" else {},
            method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def control(self, path, **form):
        """A word to the simulator; an empty form takes all faults back."""
        method = "POST" if form else "DELETE"
        data = urllib.parse.urlencode(form).encode() if form else None
        request = urllib.request.Request(f"{self.beeminder}/control/{path}", data, method=method)
        urllib.request.urlopen(request, timeout=30).close()

    def rename(self, goal, title):
        """Gives a goal another title at Beeminder."""
        form = urllib.parse.urlencode({"auth_token": ACCOUNT, "title": title}).encode()
        urllib.request.urlopen(urllib.request.Request(
            f"{self.beeminder}/api/v1/users/me/goals/{goal}.json", form, method="PUT"), timeout=30).close()

    def lack(self, goal, amount, when=None):
        """Takes so much from a goal at Beeminder, so that it needs it soon."""
        form = {"auth_token": ACCOUNT, "value": str(-amount), **({"timestamp": str(when)} if when else {})}
        urllib.request.urlopen(f"{self.beeminder}/api/v1/users/me/goals/{goal}/datapoints.json",
                               urllib.parse.urlencode(form).encode(), timeout=30).close()

    def datapoints(self, goal):
        """What Beeminder has of a goal that came through the relay, the oldest first."""
        url = f"{self.beeminder}/api/v1/users/me/goals/{goal}/datapoints.json?auth_token={ACCOUNT}"
        with urllib.request.urlopen(url, timeout=30) as answer:
            points = [point for point in json.load(answer) if point.get("requestid")]
        return sorted(points, key=lambda point: (point["timestamp"], point["requestid"]))

    def until(self, found, what, seconds=15):
        """Waits for something that is not in the browser."""
        deadline = time.monotonic() + seconds
        while True:
            value = found()
            if value:
                return value
            assert time.monotonic() < deadline, f"never: {what}"
            time.sleep(0.05)

    def sign_in(self, place=""):
        """Signs the browser in by a link, past the first steps, and goes to a view."""
        self.browser.open(self.url + self.ask("POST", "/owner-link")["path"])
        self.browser.until(lambda: self.browser.find("#tabs a"), "the page")
        self.skip_first_steps()
        self.browser.open("about:blank")
        self.browser.open(f"{self.url}/#{place or 'goals'}")
        self.state("Online" if self.connected else "Not connected")

    def skip_first_steps(self):
        """Lets this browser show the goals at once, also of a relay that nobody has used yet."""
        self.browser.run("localStorage.setItem('beemed.started', '1')")

    def go(self, place):
        """Goes to a view of the page."""
        self.browser.run("location.hash = arguments[0]", f"#{place}")
        self.browser.find("#tabs a[aria-current], #view h1")

    def state(self, text, seconds=15):
        """Waits until the strip says so."""
        return self.browser.find("#status", text, seconds)

    def card(self, goal):
        """A goal's card."""
        return self.browser.find(f".goal[data-goal={goal}]")

    def press(self, goal):
        """Presses its +1."""
        self.card(goal).find(".press").click()

    def today(self, goal):
        """The count that its card shows."""
        return self.browser.run(
            "return document.querySelector(`.goal[data-goal=${arguments[0]}] .today b`).textContent", goal)

    def shows(self, goal, text):
        """Waits until its card says so."""
        return self.browser.find(f".goal[data-goal={goal}]", text)

    def open_settings(self, name):
        """Opens a page of the settings."""
        self.go(f"settings/{name}")
        self.browser.find("a.up")

    def close(self):
        """Ends all of it. What the console complained of is a failure."""
        try:
            faults = self.browser.faults()
            self.browser.close()
            assert not faults, faults
        finally:
            for process in (self.relay, self.simulator):
                if process.poll() is None:
                    process.kill()
                process.wait()
                process.stdout.close()


@contextlib.contextmanager
def stage(driver, **wanted):
    """A stage that is taken down in any case."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        built = Stage(driver, folder, **wanted)
        try:
            yield built
        except BaseException:
            with contextlib.suppress(Exception):
                built.browser.screenshot(ROOT / ".build/browser-failure.png")
            with contextlib.suppress(BaseException):
                built.close()
            raise
        built.close()
