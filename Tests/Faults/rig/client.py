"""Devices: HTTP as simple as a microcontroller would write it."""

import json
import selectors
import socket
import threading
import time
from dataclasses import dataclass, field

TIMEOUT = 30


@dataclass
class Answer:
    status: int
    fields: dict
    body: bytes

    @property
    def json(self):
        return json.loads(self.body or b"{}")


def request_bytes(method, path, token, body=b""):
    head = (f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            f"Authorization: Bearer {token}\r\nContent-Length: {len(body)}\r\n\r\n")
    return head.encode() + body


def parse(bytes_read):
    """One whole answer and what follows it, or None while there is more to come."""
    end = bytes_read.find(b"\r\n\r\n")
    if end < 0:
        return None
    lines = bytes_read[:end].decode("latin-1").split("\r\n")
    fields = dict((name.lower(), value.strip()) for name, _, value in
                  (line.partition(":") for line in lines[1:]))
    stop = end + 4 + int(fields.get("content-length", "0"))
    if len(bytes_read) < stop:
        return None
    return Answer(int(lines[0].split()[1]), fields, bytes_read[end + 4:stop]), bytes_read[stop:]


class Connection:
    """One connection that is kept."""

    def __init__(self, port, token, timeout=TIMEOUT):
        self.token = token
        self.rest = b""
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, method, path, body=b""):
        self.socket.sendall(request_bytes(method, path, self.token, body))

    def receive(self):
        while True:
            found = parse(self.rest)
            if found:
                answer, self.rest = found
                return answer
            more = self.socket.recv(65_536)
            if not more:
                raise ConnectionError("closed without an answer")
            self.rest += more

    def ask(self, method, path, body=b""):
        self.send(method, path, body)
        return self.receive()

    def press(self, book, press):
        """Sends a press and enters in the book what was promised."""
        answer = self.ask("POST", "/log", press.body())
        book.answer(press, answer.status)
        return answer

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


@dataclass
class Load:
    """Several devices that press as fast as they are answered, or a little slower."""

    port: int
    token: str
    book: object
    clients: int = 4
    comment_bytes: int = 0
    pause: float = 0.002
    statuses: list = field(default_factory=list)

    def __enter__(self):
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._work) for _ in range(self.clients)]
        for thread in self._threads:
            thread.start()
        return self

    def _work(self):
        try:
            with Connection(self.port, self.token) as connection:
                while not self._stop.is_set():
                    press = self.book.press(comment_bytes=self.comment_bytes)
                    answer = connection.press(self.book, press)
                    self.statuses.append(answer.status)
                    if self.pause:
                        time.sleep(self.pause)
        except (OSError, ConnectionError):
            pass  # The relay was killed: whatever was not answered was not promised.

    def wait(self, seconds):
        """Until all have given up, at most so long."""
        until = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0, until - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def __exit__(self, *_):
        self._stop.set()
        self.wait(TIMEOUT)


def burst(port, requests, timeout=TIMEOUT):
    """Sends each request on a connection of its own, all before any answer is read.

    Returns (answer or None, seconds until it came) for each, in their order.
    """
    selector = selectors.DefaultSelector()
    results = [(None, None)] * len(requests)
    sockets = [socket.create_connection(("127.0.0.1", port), timeout=timeout) for _ in requests]
    start = time.monotonic()
    for index, (connection, request) in enumerate(zip(sockets, requests)):
        connection.sendall(request)
        connection.setblocking(False)
        selector.register(connection, selectors.EVENT_READ, [index, b""])
    while selector.get_map() and time.monotonic() - start < timeout:
        for key, _ in selector.select(1):
            _read_one(selector, key, results, start)
    for connection in sockets:
        connection.close()
    return results


def statuses_of(port, requests):
    """The statuses alone, for a process of its own."""
    return [answer.status if answer else None for answer, _ in burst(port, requests)]


def _read_one(selector, key, results, start):
    index, so_far = key.data
    try:
        more = key.fileobj.recv(65_536)
    except OSError:
        more = b""
    key.data[1] = so_far + more
    found = parse(key.data[1])
    if found:
        results[index] = (found[0], time.monotonic() - start)
    if found or not more:
        selector.unregister(key.fileobj)
