#!/usr/bin/env python3
"""How many instructions the relay spends on a request of somebody who has no token, by the kind of its head
or small body, under callgrind (Debian: valgrind). A busy machine does not change the figures. No kind may
cost more than five times a request with a wrong short token: else a few connections of a stranger would
hold up the presses of everybody.

    Benchmarks/strangers.py [--requests 20] [KIND...]

Needs the release build.
"""

import argparse
import base64
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
sys.path.pop(0)  # `http.py` beside this file is not the standard one.
import urllib.request  # noqa: E402

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))
BINARY = os.environ.get("PROGRAM", f"{ROOT}/.build/release/beemed-relay")
# How many times a wrong short token a kind may cost.
MOST = 5
# The content of a field of the greatest length: the whole head may have 16 KiB, its first line 8.
LONG, LONG_LINE = 15_000, 7_900


def fill(unit, number, length=LONG):
    """`length` bytes of a unit, different for each number, so that no cache knows them."""
    text = f"{number:06d}".encode()
    unit = unit.encode() if isinstance(unit, str) else unit
    return text + unit * ((length - len(text)) // len(unit))


def request(line, number, *fields, body=b"", host=b"127.0.0.1"):
    head = line.encode() + b" HTTP/1.1\r\nHost: " + host + b"\r\n"
    for name, value in fields:
        head += name.encode() + b": " + value + b"\r\n"
    if body:
        head += b"Content-Length: %d\r\n" % len(body)
    return head + b"\r\n" + body


def with_field(name, unit, line="POST /log/water", prefix=b"", length=LONG):
    return lambda number: request(line, number, (name, prefix + fill(unit, number, length)))


def with_query(unit, line="POST /log/water", suffix=b"", length=LONG_LINE):
    def make(number):
        method, path = line.split()
        query = (fill(unit, number, length) + suffix).decode("latin-1")
        return request(f"{method} {path}?{query}", number)
    return make


def with_body(unit, line="POST /log/water", prefix=b"", suffix=b"", length=LONG, kind=None):
    def make(number):
        fields = [("Content-Type", kind)] if kind else []
        return request(line, number, *fields, body=prefix + fill(unit, number, length) + suffix)
    return make


def with_many(name, value, count, line="POST /log/water"):
    return lambda number: request(
        line, number, *[(name % index, value + b"%d" % number) for index in range(count)])


def multipart(part, count, name=b"token"):
    def make(number):
        parts = b"".join(b"--b\r\nContent-Disposition: form-data; name=\"" + name + b"%d\"\r\n\r\n%s\r\n"
                         % (index + number, part) for index in range(count))
        return request("POST /log/water", number, body=parts + b"--b--\r\n")
    return make


def basic(number, size=LONG):
    return base64.b64encode(fill("a", number, size * 3 // 4))


COMBINING = "é́".encode()
MARKS = "́".encode()
EMOJI = "👩‍👩‍👧".encode()

KINDS = {
    "token": lambda n: request("POST /log/water", n, ("Authorization", b"Bearer br_%040d" % n)),
    "no token": lambda n: request("POST /log/water", n),
    "bearer, long": with_field("Authorization", "a", prefix=b"Bearer "),
    "bearer, blanks": with_field("Authorization", " ", prefix=b"Bearer x"),
    "bearer, dots": with_field("Authorization", ".", prefix=b"Bearer rt_"),
    "bearer, rt_": with_field("Authorization", "a", prefix=b"Bearer rt_"),
    "bearer, rt_ of three parts":
        lambda n: request("POST /log/water", n, ("Authorization", b"Bearer rt_" + b"a" * 30
                                                 + b".20261126." + fill("a", n))),
    "bearer, rt_ short": lambda n: request(
        "POST /log/water", n, ("Authorization", b"Bearer rt_a%d.20261126." % n + b"a" * 40)),
    "bearer, marks": with_field("Authorization", MARKS, prefix=b"Bearer "),
    "bearer, rt_ with marks": with_field("Authorization", COMBINING, prefix=b"Bearer rt_"),
    "authorization without a scheme": with_field("Authorization", "a"),
    "authorization of blanks": with_field("Authorization", "a "),
    "authorization of marks": with_field("Authorization", COMBINING),
    "basic, long": lambda n: request("POST /log/water", n, ("Authorization", b"Basic " + basic(n))),
    "basic, colons": lambda n: request("POST /log/water", n, (
        "Authorization", b"Basic " + base64.b64encode(fill(":", n, 11_000)))),
    "basic, marks": lambda n: request("POST /log/water", n, (
        "Authorization", b"Basic " + base64.b64encode(fill(MARKS, n, 11_000)))),
    "basic, no base64": with_field("Authorization", "!=", prefix=b"Basic "),
    "x-relay-token, long": with_field("X-Relay-Token", "a"),
    "x-relay-token, marks": with_field("X-Relay-Token", COMBINING),
    "cookie, one": with_field("Cookie", "a"),
    "cookie, semicolons": with_field("Cookie", ";"),
    "cookie, many": with_field("Cookie", "a=b; "),
    "cookie, blanks": with_field("Cookie", "; "),
    "cookie, marks": with_field("Cookie", COMBINING),
    "cookie, marks behind semicolons": with_field("Cookie", b";" + MARKS),
    "cookie, almost ours": with_field("Cookie", "beemed-; "),
    "cookie, ours": with_field("Cookie", "a", prefix=b"beemed="),
    "cookie, ours many times": with_field("Cookie", "; beemed=a"),
    "cookie at /": with_field("Cookie", "a=b; ", "GET /"),
    "cookie, ours at /": with_field("Cookie", "; beemed=a", "GET /"),
    "cookie at /context": with_field("Cookie", "a=b; ", "GET /context"),
    "cookie at /oauth/callback": with_field("Cookie", "a=b; ", "GET /oauth/callback"),
    "cookie of oauth": with_field("Cookie", "a", "GET /oauth/callback", b"beemed-oauth="),
    "cookies, many fields": with_many("Cookie%.0s", b"a=b; beemed", 80),
    "query, &": with_query("a&"),
    "query, & and token": with_query("a&", suffix=b"&token=x"),
    "query, token long": with_query("a", suffix=b"&token=x"),
    "query, tokens": with_query("&token=x"),
    "query, almost token": with_query("toke"),
    "query, escapes": with_query("%41"),
    "query, escaped token": with_query("%74oken=x&"),
    "query, plus": with_query("+", suffix=b"&token=x"),
    "query, key at /health": with_query("key=a&", "POST /health"),
    "query at /login": with_query("code=a&", "GET /login"),
    "query at /login, &": with_query("a&", "GET /login"),
    "query at /docs": with_query("a&", "GET /docs"),
    "query at /docs, goals": with_query("goal=a&", "GET /docs"),
    "query at /oauth/callback": with_query("a&", "GET /oauth/callback"),
    "query at /": with_query("a&", "GET /"),
    "path, long": lambda n: request("POST /log/" + fill("a", n, LONG_LINE).decode(), n),
    "path, as long as one may be": lambda n: request("POST /log/" + fill("a", n, 2_000).decode(), n),
    "path, as many escapes": lambda n: request("POST /log/" + fill("%41", n, 2_000).decode(), n),
    "path, as many slashes": lambda n: request("POST /" + fill("/", n, 2_000).decode(), n),
    "path, as many segments": lambda n: request("POST /log/" + fill("/a", n, 2_000).decode(), n),
    "path, segments": lambda n: request("POST /log/" + fill("/a", n, LONG_LINE).decode(), n),
    "path, slashes": lambda n: request("POST /" + fill("/", n, LONG_LINE).decode(), n),
    "path, escapes": lambda n: request("POST /log/" + fill("%41", n, LONG_LINE).decode(), n),
    "path, page": lambda n: request("GET /page/" + fill("%41", n, LONG_LINE).decode(), n),
    "path, recipe": lambda n: request("GET /docs/recipes/" + fill("%F0%9F", n, LONG_LINE).decode(), n),
    "if-none-match at /docs": with_field("If-None-Match", '"a", ', "GET /docs"),
    "if-none-match, commas": with_field("If-None-Match", ",", "GET /page/icon.svg"),
    "if-none-match, blanks": with_field("If-None-Match", ' "a"', "GET /page/icon.svg"),
    "if-none-match, weak": with_field("If-None-Match", 'W/"a",', "GET /openapi.yaml"),
    "if-none-match, marks": with_field("If-None-Match", COMBINING + b",", "GET /page/icon.svg"),
    "if-none-match, many fields":
        with_many("If-None-Match%.0s", b'"a", "b", "c', 80, "GET /page/icon.svg"),
    "if-match": with_field("If-Match", '"a", '),
    "accept": with_field("Accept", "text/html;q=0.1, "),
    "accept, almost html": with_field("Accept", "text/htm"),
    "accept, marks": with_field("Accept", COMBINING),
    "accept at /docs": with_field("Accept", "text/plain, ", "GET /docs"),
    "accept-encoding": with_field("Accept-Encoding", "gzip;q=0, ", "GET /docs"),
    "accept-language": with_field("Accept-Language", "de;q=0.1, ", "GET /docs"),
    "user-agent": with_field("User-Agent", "a"),
    "user-agent, marks": with_field("User-Agent", COMBINING),
    "user-agent at /login": with_field("User-Agent", "face", "GET /login"),
    "user-agents at /login": with_many("User-Agent%.0s", b"facebot-face", 90, "GET /login"),
    "user-agent of mozilla": with_field("User-Agent", "a", prefix=b"Mozilla/5.0 "),
    "purpose at /login": with_field("Purpose", "pref", "GET /login"),
    "origin": with_field("Origin", "a", prefix=b"http://"),
    "origin, marks": with_field("Origin", COMBINING, prefix=b"http://"),
    "origin with basic": lambda n: request(
        "POST /log/water", n, ("Authorization", b"Basic " + basic(n, 60)),
        ("Origin", b"http://" + fill("A", n))),
    "origin with a cookie": lambda n: request(
        "POST /log/water", n, ("Cookie", b"beemed=a%d" % n), ("Origin", b"http://" + fill("A", n))),
    "origin with basic, marks": lambda n: request(
        "POST /log/water", n, ("Authorization", b"Basic " + basic(n, 60)),
        ("Origin", b"http://" + fill(COMBINING, n))),
    "sec-fetch-site": with_field("Sec-Fetch-Site", "same-"),
    "sec-fetch-site, marks": with_field("Sec-Fetch-Site", COMBINING),
    "host, long": lambda n: request("POST /log/water", n, host=fill("a", n)),
    "host, dots": lambda n: request("POST /log/water", n, host=fill("a.", n)),
    "host of digits": lambda n: request("POST /log/water", n, host=fill("1.", n)),
    "host, IPv6": lambda n: request("POST /log/water", n, host=b"[" + fill("1:", n) + b"]"),
    "proxied: x-forwarded-for": with_field("X-Forwarded-For", "1.2.3.4, ", prefix=b"192.168.1.2, "),
    "proxied: x-forwarded-for, ours": with_field("X-Forwarded-For", "127.0.0.1, "),
    "proxied: x-forwarded-for, commas": with_field("X-Forwarded-For", ","),
    "proxied: x-forwarded-for, marks": with_field("X-Forwarded-For", COMBINING),
    "proxied: x-forwarded-for, many fields": with_many("X-Forwarded-For%.0s", b"127.0.0.1, 10.0.0.", 300),
    "proxied: x-forwarded-host": with_field("X-Forwarded-Host", "a"),
    "proxied: x-forwarded-host, marks": with_field("X-Forwarded-Host", COMBINING),
    "proxied: x-forwarded-proto": with_field("X-Forwarded-Proto", "A"),
    "proxied: x-forwarded-proto, marks": with_field("X-Forwarded-Proto", COMBINING),
    "proxied: x-forwarded-prefix": with_field("X-Forwarded-Prefix", "/a"),
    "proxied: x-forwarded-prefix, short": with_field("X-Forwarded-Prefix", "/a", length=240, prefix=b"/"),
    "x-forwarded-for": with_field("X-Forwarded-For", "1.2.3.4, "),
    "x-forwarded-for, commas": with_field("X-Forwarded-For", ","),
    "x-forwarded-host": with_field("X-Forwarded-Host", "a"),
    "x-forwarded-prefix": with_field("X-Forwarded-Prefix", "/a"),
    "forwarded": with_field("Forwarded", "for=1.2.3.4, "),
    "range": with_field("Range", "0-1,", "GET /docs", b"bytes="),
    "connection": with_field("Connection", "a, "),
    "connection, commas": with_field("Connection", ","),
    "expect": with_field("Expect", "a, "),
    "content-encoding": lambda n: request(
        "POST /log/water", n, ("Content-Encoding", fill("a", n)), body=b"1"),
    "content-encoding, marks": lambda n: request(
        "POST /log/water", n, ("Content-Encoding", fill(COMBINING, n)), body=b"1"),
    "content-type": lambda n: request("POST /log/water", n, ("Content-Type", fill("a;", n)), body=b"1"),
    "idempotency-key": with_field("Idempotency-Key", "a"),
    "unknown fields": with_many("X-%d", b"a" * 100, 90),
    "unknown field": with_field("X-A", "a"),
    "method": lambda n: request(fill("A", n, 30).decode() + " /log/water", n),
    "no path": lambda n: request("GET /nothing/" + fill("a", n, 100).decode(), n),
    "body, text": with_body("a"),
    "body, token in text": with_body("token"),
    "body, number": with_body("1", prefix=b"token "),
    "body, lines": with_body("1\n", suffix=b"token"),
    "body, blanks": with_body(" ", suffix=b"token"),
    "body, marks": with_body(COMBINING, prefix=b"token "),
    "body, emoji": with_body(EMOJI, prefix=b"token "),
    "body, form": with_body("a=b&", suffix=b"token=x"),
    "body, form of tokens": with_body("token=x&"),
    "body, form of other tokens": lambda n: request(
        "POST /log/water", n, body=b"&".join(b"token=%d" % (n + index) for index in range(900))),
    "body, form of names": lambda n: request(
        "POST /log/water", n, body=b"&".join(b"token%d=%d" % (n, index) for index in range(900))),
    "body, form of &": with_body("&", prefix=b"token=", suffix=b"=1"),
    "body, form of escapes": with_body("%41", prefix=b"token="),
    "body, JSON": lambda n: request("POST /log/water", n, body=b"{" + b",".join(
        b'"a%d":%d' % (index, n) for index in range(900)) + b',"token":"x"}'),
    "body, JSON of tokens": lambda n: request("POST /log/water", n, body=b"{" + b",".join(
        b'"token":"%d"' % (index + n) for index in range(700)) + b"}"),
    "body, JSON nested": with_body("[", prefix=b'{"token":"x","a":'),
    "body, JSON escapes": with_body("\\u0041", prefix=b'{"token":"', suffix=b'"}'),
    "body, JSON string": with_body("a", prefix=b'"token ', suffix=b'"'),
    "body, JSON cut": with_body("\n", prefix=b'{"token"'),
    "body, multipart": multipart(b"a", 180),
    "body, multipart of tokens": multipart(b"a", 180, b"token"),
    "body, multipart of CR": with_body("\r", prefix=b"--token\r\n"),
    "body, multipart of CR LF": with_body("\r\n", prefix=b"--token\r\n"),
    "body, multipart delimiters": with_body("\r\n--toke", prefix=b"--token\r\n"),
    "body, multipart folded": with_body("\r\n a", prefix=b"--b\r\nContent-Disposition:",
                                        suffix=b"\r\n\r\ntoken\r\n--b--"),
    "body, multipart semicolons": with_body(";", prefix=b"--b\r\nContent-Disposition:",
                                            suffix=b"\r\n\r\ntoken\r\n--b--"),
    "body, backslashes": with_body("\\"),
    "body, escapes": with_body("%41"),
    "body, escapes of JSON": with_body("\\u0041"),
    "body, tokens of buttons": with_body(b"token=rt_a.20261126." + b"a" * 40 + b"&"),
    "body, words as long as tokens": with_body("token=" + "a" * 40 + "&"),
    "body, t": with_body("t"),
    "body, to": with_body("to "),
    "body, 4": with_body("4"),
    "body, 74": with_body("74"),
    "body, tokens of forms": with_body("token=&"),
    "query, t": with_query("t&"),
    "query, names of tokens": with_query("token&"),
    "cookie, one letter": with_field("Cookie", "b;"),
    "cookie, almost ours, without blanks": with_field("Cookie", "beemed;"),
    "if-none-match, one letter": with_field("If-None-Match", '"0', "GET /docs"),
    "path, escaped slashes": lambda n: request("POST /log/" + fill("%2F", n, LONG_LINE).decode(), n),
    "body, short": lambda n: request("POST /log/water", n, body=b"token %0100d" % n),
    "body, short JSON": lambda n: request(
        "POST /log/water", n, body=b'{"token":"%090d","value":1}' % n),
    "body, short form": lambda n: request("POST /log/water", n, body=b"token=x&a%d" % n + b"&a=b" * 22),
    "body, chunks of one byte": lambda n: (
        b"POST /log/water HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"
        + b"1\r\na\r\n" * 2_000 + b"0\r\n\r\n"),
    "body at /": with_body("a", "POST /"),
    "body at /oauth/callback": with_body("a=b&", "POST /oauth/callback"),
    "body at /devices": with_body("a", "POST /devices"),
    "body, PUT": with_body("token", "PUT /log/water"),
    "body of an undo": with_body("token=a&", "POST /log/water/undo"),
}


class Client:
    """A single connection at a time; a new one when the relay has closed it."""

    def __init__(self, port):
        self.port, self.socket = port, None

    def ask(self, data):
        if self.socket is None:
            self.socket = socket.create_connection(("127.0.0.1", self.port))
        self.socket.sendall(data)
        answer = b""
        while b"\r\n\r\n" not in answer:
            more = self.socket.recv(1 << 20)
            if not more:
                sys.exit(f"no answer to {data[:80]}")
            answer += more
        head, _, body = answer.partition(b"\r\n\r\n")
        length = int((re.search(rb"(?i)content-length: (\d+)", head) or [0, b"0"])[1])
        if head.startswith((b"HTTP/1.1 304", b"HTTP/1.1 204")):
            length = 0
        while len(body) < length:
            body += self.socket.recv(1 << 20)
        if re.search(rb"(?i)connection: close", head):
            self.socket.close()
            self.socket = None
        return head.split(b"\r\n")[0].decode()


class Profile:
    """The relay under callgrind."""

    def __init__(self, folder, *options):
        self.out, self.parts = f"{folder}/profile", 0
        self.relay = subprocess.Popen(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={self.out}", BINARY, "serve",
             "--data", f"{folder}/data", "--listen", "127.0.0.1:0", "--rate-limit", "off",
             "--beeminder-url", "http://127.0.0.1:9", *options],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env={**os.environ, "BEEMINDER_AUTH_TOKEN": "simulated-token"})
        self.port = int(re.search(r":(\d+)\s*$", self.relay.stdout.readline().strip()).group(1))
        with open(f"{folder}/data/owner-token") as file:
            self.owner = file.read().strip()
        self.crowd()

    def crowd(self):
        """A household: what is asked for a stranger's sake is compared with all of it."""
        for number in range(20):
            self.ask_as_owner("POST", "/devices", b'{"name":"device%d"}' % number)
        for _ in range(60):
            link = self.ask_as_owner("POST", "/owner-link")["path"]
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{link}") as answer:
                answer.read()

    def ask_as_owner(self, method, path, body=None):
        with urllib.request.urlopen(urllib.request.Request(
                f"http://127.0.0.1:{self.port}{path}", body, method=method,
                headers={"Authorization": f"Bearer {self.owner}"})) as answer:
            return json.load(answer)

    def control(self, flag):
        subprocess.run(["callgrind_control", flag, str(self.relay.pid)], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def count(self, work):
        """The instructions of all threads while this is done."""
        self.control("-z")
        work()
        self.control("-d")
        self.parts += 1
        with open(f"{self.out}.{self.parts}") as profile:
            return next(int(line.split()[1]) for line in profile if line.startswith("totals:"))

    def end(self):
        self.relay.terminate()
        self.relay.wait(60)


def measure(profile, make, count):
    """The instructions of one request of a kind, and how it was answered."""
    client = Client(profile.port)
    numbers = iter(range(100_000, 900_000))
    line = ""

    def ask(times):
        nonlocal line
        for _ in range(times):
            line = client.ask(make(next(numbers)))

    ask(8)  # Past the refusals that have a line of their own in the log.
    return profile.count(lambda: ask(count)) // count, line


def run(kinds, relay_options, chosen):
    """Measures these kinds at one relay; those that cost too much."""
    dear = []
    with tempfile.TemporaryDirectory() as folder:
        profile = Profile(folder, *relay_options)
        try:
            measure(profile, KINDS["token"], 200)  # The costs of the first requests alone.
            base, _ = measure(profile, KINDS["token"], 100)
            for name, make in kinds.items():
                count, line = measure(profile, make, chosen.requests)
                mark = "  <-- too dear" if count > MOST * base else ""
                print(f"{count:>12,} {count / base:6.1f}  {name}: {line[9:]}{mark}", flush=True)
                if mark:
                    dear.append(name)
        finally:
            profile.end()
            if chosen.keep:
                shutil.copytree(folder, chosen.keep, dirs_exist_ok=True)
    return dear


def main():
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--requests", type=int, default=20)
    options.add_argument("--keep", help="a folder for the profiles")
    options.add_argument("kinds", nargs="*")
    chosen = options.parse_args()
    if not shutil.which("valgrind"):
        sys.exit("missing: valgrind (Debian: valgrind)")
    dear = []
    for prefix, relay_options in (("", ()), ("proxied: ", ("--trusted-proxy", "127.0.0.1"))):
        kinds = {name: make for name, make in KINDS.items()
                 if name.startswith("proxied: ") == bool(prefix)
                 and (not chosen.kinds or name in chosen.kinds)}
        if kinds:
            dear += run(kinds, relay_options, chosen)
    if dear:
        sys.exit(f"more than {MOST} times a wrong short token: {', '.join(dear)}")


if __name__ == "__main__":
    main()
