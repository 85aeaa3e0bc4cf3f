"""A Beeminder that means harm: answers that never end, that are not HTTP, that are too much."""

import gzip
import socket
import threading
import time

from rig.case import case, expect

BOMB = gzip.compress(b" " * (64 << 20))
JSON = b"Content-Type: application/json\r\n"


def _drip(connection, head, byte=b" ", pause=0.0, seconds=60):
    """Bytes without end, as long as anybody listens."""
    connection.sendall(head)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        connection.sendall(byte)
        if pause:
            time.sleep(pause)


HARM = {
    "an endless body": lambda c: _drip(
        c, b"HTTP/1.1 200 OK\r\n" + JSON + b"\r\n", b" " * 65_536),
    "an endless body by chunks": lambda c: _drip(
        c, b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"10000\r\n" + b"[" * 65_536 + b"\r\n"),
    "a body of 10 TB by its length": lambda c: _drip(
        c, b"HTTP/1.1 200 OK\r\nContent-Length: 9999999999999\r\n\r\n", b"{" * 65_536),
    "a small body that unpacks to 64 MiB": lambda c: c.sendall(
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(BOMB)
        + BOMB),
    "an endless head": lambda c: _drip(c, b"HTTP/1.1 200 OK\r\n", b"X-A: " + b"b" * 4_096 + b"\r\n"),
    "an endless error": lambda c: _drip(
        c, b"HTTP/1.1 422 No\r\n" + JSON + b"\r\n", b"x" * 65_536),
    "100 Continue without end": lambda c: _drip(c, b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 512),
    "no HTTP": lambda c: c.sendall(b"220 mail.example ESMTP ready\r\n"),
    "zeros": lambda c: c.sendall(bytes(65_536)),
    "half a status line": lambda c: c.sendall(b"HTTP/1.1 2"),
    "a length that lies": lambda c: c.sendall(
        b'HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{"id":"x"}'),
    "two lengths": lambda c: c.sendall(
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 20\r\n\r\n{}"),
    "a nesting of 100,000": lambda c: c.sendall(
        b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + b"[" * 100_000),
    "bytes that are no UTF-8": lambda c: c.sendall(
        b'HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{"requestid":"\xff\xfe"} '),
    "the end": lambda c: None,
}


class HostileBeeminder:
    """Answers the user and the goals, and does harm to whoever posts, until it is told to be good;
    what it was sent while good is handed to an honest one."""

    def __init__(self, honest):
        self.honest = honest
        self.harm = None
        self.struck = 0
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with connection:
            try:
                head, body = self._read(connection)
                if self.harm and head.startswith(b"POST"):
                    self.struck += 1
                    return self.harm(connection)
                connection.sendall(self._forward(head, body))
            except OSError:
                pass  # The relay has had enough.

    @staticmethod
    def _read(connection):
        data = b""
        while b"\r\n\r\n" not in data:
            part = connection.recv(65_536)
            if not part:
                raise OSError("gone")
            data += part
        head, _, body = data.partition(b"\r\n\r\n")
        length = next((int(line.split(b":")[1]) for line in head.split(b"\r\n")
                       if line.lower().startswith(b"content-length:")), 0)
        while len(body) < length:
            body += connection.recv(65_536)
        return head, body

    def _forward(self, head, body):
        """One connection for each request, so that nobody waits for a kept one."""
        lines = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"connection:")]
        with socket.create_connection(("127.0.0.1", self.honest.port), 30) as other:
            other.sendall(b"\r\n".join([*lines, b"Connection: close"]) + b"\r\n\r\n" + body)
            answer = b""
            while part := other.recv(65_536):
                answer += part
        return answer.replace(b"\r\n", b"\r\nConnection: close\r\n", 1)

    def close(self):
        self.listener.close()


@case("answers that never end or are no answers: small, quick, sent again, one datapoint")
def harmful_answers(stage):
    hostile = HostileBeeminder(stage.beeminder)
    try:
        stage.beeminder.front = f"http://127.0.0.1:{hostile.port}"
        relay = stage.start(delivers=True)
        complaints = []
        for name, harm in HARM.items():
            hostile.harm, hostile.struck = harm, 0
            press = stage.book.press(goal="water")
            with relay.connect() as connection:
                expect(connection.press(stage.book, press).status == 200, f"{name}: not taken")
            _until(lambda: hostile.struck > 0, 20, relay)
            started = time.monotonic()
            while relay.event(press.id).get("state") == "sending":
                if time.monotonic() - started > 40:
                    break
                time.sleep(0.05)
            seconds = time.monotonic() - started
            hostile.harm = None
            event = _await_delivered(relay, press)
            if event.get("state") != "delivered":
                complaints.append(f"{name}: it is {event}")
            print(name, round(seconds,1), relay.resident_kilobytes(peak=True)//1024, flush=True)
            if seconds > 35:
                complaints.append(f"{name}: it took {seconds:.0f} s to give up")
        resident = relay.resident_kilobytes(peak=True)
        stage.note(f"{resident // 1024} MiB at most")
        expect(not complaints, "; ".join(complaints))
        # At the speed of the loopback; what was given up still runs until the library hears of it.
        expect(resident < 400_000, f"{resident} kB resident")
    finally:
        stage.beeminder.front = None
        hostile.close()


def _until(test, seconds, relay):
    until = time.monotonic() + seconds
    while not test():
        relay.ask("POST", "/flush")
        expect(time.monotonic() < until, "it was never tried")
        time.sleep(0.05)


def _await_delivered(relay, press, seconds=45):
    until = time.monotonic() + seconds
    while True:
        event = relay.event(press.id)
        if event.get("state") in {"delivered", "refused"} or time.monotonic() > until:
            return event
        relay.ask("POST", "/flush")
        time.sleep(0.05)
