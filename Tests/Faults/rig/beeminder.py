"""A Beeminder that keeps books: every datapoint, every repetition, every overwriting.

Its answers are those of the live service where they are known. A mood, one for each request,
makes it answer something else, before or after it has kept the datapoint.
"""

import email.utils
import json
import socket
import threading
import time
import urllib.parse
from collections import defaultdict, deque
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Mood:
    """What happens to one request."""

    status: int = 0  # Zero is the honest answer.
    body: bytes = b""
    fields: tuple = ()
    keeps: bool = False  # The datapoint is kept, whatever is answered.
    hangs_up: bool = False  # No answer; the connection is reset.
    stalls: float = 0.0  # So many seconds pass before anything.
    then: object = None  # Called after keeping and before answering.


@dataclass
class Point:
    goal: str
    requestid: str
    value: float
    timestamp: int
    comment: str


def _id(requestid):
    """The id of a datapoint, which is a part of paths."""
    return f"id-{requestid.replace('.', '_')}"


def point_of(goal, body):
    """The datapoint of a posted form."""
    form = dict(urllib.parse.parse_qsl(body.decode(), keep_blank_values=True))
    return Point(goal, form["requestid"], float(form["value"]), int(form["timestamp"]),
                 form.get("comment", ""))


class _Server(ThreadingHTTPServer):
    request_queue_size = 256

    def handle_error(self, request, client_address):
        """A relay that was killed in the middle of a request is nothing to tell of."""


class FakeBeeminder:
    GOALS = ["water", "pushups", "reading", "walk"]

    def __init__(self, goals=None):
        self.goals = list(goals or self.GOALS)
        self.lock = threading.Lock()
        self.points = {}
        self.created = defaultdict(int)
        self.updated = []
        self.posts = []  # (time, goal, requestid, exact body)
        self.gets = []
        self.moods = defaultdict(deque)
        self.always = {}  # A goal's mood for every request.
        self.for_all = None  # A mood for every request of whatever kind.
        self.server = None
        self.front = None  # What stands before it, where something does.
        self.host = "127.0.0.1"
        self.port = 0

    @property
    def url(self):
        return self.front or f"http://{self.host}:{self.port}"

    def start(self):
        self.server = _Server((self.host, self.port), _handler(self))
        self.server.daemon_threads = True
        self.server.block_on_close = False
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def stop(self):
        if self.server:
            self.server.shutdown()
            self.server.server_close()
            self.server = None

    # What the handler asks.

    def mood(self, goal):
        with self.lock:
            if self.for_all:
                return self.for_all
            if goal is None:
                return Mood()
            if self.moods[goal]:
                return self.moods[goal].popleft()
            return self.always.get(goal, Mood())

    def keep(self, point):
        """As the live service does: created, updated, or refused as an exact repetition."""
        with self.lock:
            key = (point.goal, point.requestid)
            known = self.points.get(key)
            self.points[key] = point
            if known is None:
                self.created[point.requestid] += 1
                return 200, self._datapoint(point, "created")
            if known == point:
                return 422, b'{"errors":"Duplicate request"}'
            self.updated.append((known, point))
            return 200, self._datapoint(point, "updated")

    @staticmethod
    def _datapoint(point, status):
        return json.dumps(
            {"id": _id(point.requestid), "timestamp": point.timestamp, "value": point.value,
             "comment": point.comment, "requestid": point.requestid, "status": status}).encode()

    def forget(self, goal, identifier):
        """Deletes the datapoint with this id; returns it, or nothing when there is none."""
        with self.lock:
            key = next((key for key in self.points if key[0] == goal and _id(key[1]) == identifier),
                       None)
            return self.points.pop(key, None)

    def datapoints(self, goal):
        with self.lock:
            own = [point for point in self.points.values() if point.goal == goal]
            return b"[" + b",".join(self._datapoint(point, "") for point in own) + b"]"

    def posts_of(self, identifier):
        """The bodies that came for a press, in order. A request id is the device's name and
        generation, a dot, and the press's own id."""
        with self.lock:
            return [body for _, _, name, body in self.posts
                    if name.split(".", 1)[-1] == identifier]

    def sent(self, identifier):
        """The datapoint that was sent first for a press, kept or not."""
        with self.lock:
            goal, body = next((goal, body) for _, goal, name, body in self.posts
                              if name.split(".", 1)[-1] == identifier)
        return point_of(goal, body)

    def point(self, goal, identifier):
        """The datapoint of a press; nothing when there is none."""
        with self.lock:
            return next((point for (slug, name), point in self.points.items()
                         if slug == goal and name.split(".", 1)[-1] == identifier), None)

    def goal_list(self):
        now = int(time.time())
        return json.dumps(
            [{"slug": slug, "id": f"g{slug}", "title": slug, "losedate": now + 86_400 * (n + 1),
              "urgencykey": f"FROx;{n:04}", "deadline": 0} for n, slug in enumerate(self.goals)]
        ).encode()


def _handler(beeminder):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        timeout = 60

        def do_GET(self):
            path = urllib.parse.urlsplit(self.path).path
            with beeminder.lock:
                beeminder.gets.append(path)
            mood = beeminder.mood(None)
            if mood.stalls:
                time.sleep(mood.stalls)
            if mood.status:
                return self.say(mood.status, mood.body, mood.fields)
            if path.endswith("/users/me.json"):
                return self.say(200, b'{"username":"alice","timezone":"UTC","updated_at":1}')
            if path.endswith("/datapoints.json"):
                return self.say(200, beeminder.datapoints(path.split("/goals/")[-1].split("/")[0]))
            if path.endswith("/goals.json"):
                return self.say(200, beeminder.goal_list())
            self.say(404, b'{"error":"The requested resource was not found."}')

        def do_DELETE(self):
            self.rfile.read(int(self.headers.get("Content-Length", "0")))
            identifier = urllib.parse.urlsplit(self.path).path.split("/")[-1].removesuffix(".json")
            goal = self.path.split("/goals/")[-1].split("/")[0]
            gone = beeminder.forget(goal, identifier)
            if gone:
                return self.say(200, beeminder._datapoint(gone, ""))
            self.say(404, b'{"error":"The requested resource was not found."}')

        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            goal = self.path.split("/goals/")[-1].split("/")[0]
            if self.path.split("?")[0].endswith("/create_all.json"):
                return self.post_all(goal, body)
            point = point_of(goal, body)
            with beeminder.lock:
                beeminder.posts.append((time.monotonic(), goal, point.requestid, body))
            self.answer(goal, lambda: self.honest(point))

        def answer(self, goal, honest):
            """Answers a post as the goal's mood has it; `honest` keeps it and says so."""
            mood = beeminder.mood(goal)
            if mood.stalls:
                time.sleep(mood.stalls)
            said = (0, b"")
            if mood.keeps or not (mood.status or mood.hangs_up or mood.stalls):
                said = honest()
            if mood.then:
                mood.then()
            if mood.hangs_up:
                return self.hang_up()
            if mood.status:
                return self.say(mood.status, mood.body, mood.fields)
            if said[0]:
                self.say(*said)

        def post_all(self, goal, body):
            """As the live service does: a list, or what was taken and what was not."""
            form = dict(urllib.parse.parse_qsl(body.decode(), keep_blank_values=True))
            points = [Point(goal, each["requestid"], float(each["value"]), int(each["timestamp"]),
                            each.get("comment", "")) for each in json.loads(form["datapoints"])]
            with beeminder.lock:
                for point in points:
                    beeminder.posts.append((time.monotonic(), goal, point.requestid, body))
            self.answer(goal, lambda: self.honest_list(goal, points))

        def honest_list(self, goal, points):
            if goal not in beeminder.goals:
                return 404, b'{"error":"The requested resource was not found."}'
            kept = [beeminder.keep(point) for point in points]
            good = b",".join(body for status, body in kept if status == 200)
            bad = json.dumps([{"requestid": point.requestid, "error": "Duplicate request"}
                              for point, (status, _) in zip(points, kept) if status != 200])
            if bad == "[]":
                return 200, b"[" + good + b"]"
            return 422, b'{"successes":[' + good + b'],"errors":' + bad.encode() + b"}"

        def honest(self, point):
            if point.goal not in beeminder.goals:
                return 404, b'{"error":"The requested resource was not found."}'
            return beeminder.keep(point)

        def hang_up(self):
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)

        def say(self, status, body, fields=()):
            lines = [f"HTTP/1.1 {status} Whatever", "Content-Type: application/json",
                     f"Date: {email.utils.formatdate(usegmt=True)}",
                     f"Content-Length: {len(body)}"]
            lines += [f"{name}: {value}" for name, value in fields]
            # One write: two would wait 40 ms for each other.
            try:
                self.wfile.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
            except OSError:
                self.close_connection = True

        def log_message(self, *_):
            pass

    return Handler
