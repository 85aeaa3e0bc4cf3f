"""The release binary as a process: started, asked, stopped by its process id."""

import os
import select
import signal
import subprocess
import threading
import time

from rig import machine
from rig.case import expect
from rig.client import Connection

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../../.."))
BINARY = os.environ.get("PROGRAM", os.path.join(ROOT, ".build/release/beemed-relay"))
READY = "Listening on http://"
START_SECONDS = 2.0
RESIDENT_KILOBYTES = 100 << 10  # 100 MB, as the 64 of the journal are counted.


class NotReady(Exception):
    """It ended, or was silent, instead of listening."""

    def __init__(self, code, words):
        super().__init__(f"ended with {code}: {words.strip()[-400:]}")
        self.code = code
        self.words = words


class Relay:
    """One run of `beemed-relay serve`.

    wrap: a command to run it under, such as strace; then its own speed is not judged.
    """

    def __init__(self, data, token, beeminder_url, *, wrap=(), environment=None, prepare=None,
                 user=None, binary=None):
        self.token = token
        self.wrapped = bool(wrap)
        self.stderr = []
        variables = {"PATH": os.environ["PATH"], "BEEMINDER_AUTH_TOKEN": "x", "HOME": "/"}
        variables.update(environment or {})
        command = [*wrap, binary or BINARY, "serve", "--data", data, "--listen", "127.0.0.1:0",
                   "--rate-limit", "off", "--max-connections", "20000",
                   "--beeminder-url", beeminder_url]
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=variables, preexec_fn=prepare, user=user, cwd="/")
        self._reader = threading.Thread(target=self._read_errors, daemon=True)
        self._reader.start()
        self.port = None
        self.ready_seconds = None

    def _read_errors(self):
        for line in self.process.stderr:
            self.stderr.append(line.decode(errors="replace"))

    @property
    def words(self):
        return "".join(self.stderr)

    # Starting

    def wait_ready(self, seconds=20):
        """Until it listens. Raises NotReady when it does not."""
        line = self._first_line(seconds)
        if not line.startswith(READY):
            code = self.end(seconds=5) if self.process.poll() is None else self.process.wait()
            self._reader.join(2)
            raise NotReady(code, self.words)
        self.ready_seconds = time.monotonic() - self.started
        self.port = int(line.rsplit(":", 1)[1])
        return self

    def _first_line(self, seconds):
        line = b""
        until = time.monotonic() + seconds
        while not line.endswith(b"\n"):
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                break
            byte = os.read(self.process.stdout.fileno(), 1)
            if not byte:
                break
            line += byte
        return line.decode(errors="replace").strip()

    def check_speed(self):
        """I7: it starts soon and stays small."""
        if self.wrapped:
            return
        expect(self.ready_seconds <= START_SECONDS, f"start took {self.ready_seconds:.2f} s")
        resident = self.resident_kilobytes()
        expect(resident < RESIDENT_KILOBYTES, f"{resident} kB resident")

    def resident_kilobytes(self, peak=False):
        """Now, or the most it ever was."""
        name = "VmHWM:" if peak else "VmRSS:"
        with open(f"/proc/{self.pid}/status") as file:
            for line in file:
                if line.startswith(name):
                    return int(line.split()[1])
        return 0

    def processor_seconds(self):
        """The processor time that it has used so far."""
        words = machine.process_state(self.pid)
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

    def forget_peak(self):
        """Begins the peak of its memory anew (proc(5), clear_refs)."""
        with open(f"/proc/{self.pid}/clear_refs", "w") as file:
            file.write("5")

    @property
    def pid(self):
        """The relay's own id, also under a wrapper."""
        if not self.wrapped:
            return self.process.pid
        own = self.process.pid
        try:
            with open(f"/proc/{own}/task/{own}/children") as file:
                children = file.read().split()
        except FileNotFoundError:
            children = []
        return int(children[0]) if children else own

    # Asking

    def connect(self, **options):
        return Connection(self.port, self.token, **options)

    def ask(self, method, path, body=b""):
        with self.connect() as connection:
            return connection.ask(method, path, body)

    def health(self):
        answer = self.ask("GET", "/healthz")
        return answer.status, answer.json

    def event(self, identifier):
        return self.ask("GET", f"/events/{identifier}").json

    def await_health(self, test, seconds=20, flush=False):
        """Until /healthz says what the test wants; returns the last word anyhow."""
        until = time.monotonic() + seconds
        while True:
            status, words = self.health()
            if test(words) or time.monotonic() > until:
                return status, words
            if flush:
                self.ask("POST", "/flush")
            time.sleep(0.05)

    # Ending

    def kill(self):
        """As a power switch for the process alone."""
        if self.process.poll() is None:
            self._signal(signal.SIGKILL)
        return self.wait(10)

    def end(self, seconds=20):
        """Asks it to end; kills it when it will not."""
        if self.process.poll() is None:
            self._signal(signal.SIGTERM)
        try:
            return self.wait(seconds)
        except subprocess.TimeoutExpired:
            self._signal(signal.SIGKILL)
            self.process.kill()
            return self.wait(10)

    def _signal(self, number):
        try:
            os.kill(self.pid, number)
        except (ProcessLookupError, FileNotFoundError):
            pass

    def wait(self, seconds):
        code = self.process.wait(seconds)
        self._reader.join(2)
        self.process.stdout.close()
        return code
