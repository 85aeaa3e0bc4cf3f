"""Where one case plays: a folder, a book, a Beeminder, and everything it has started."""

import os
import random
import shutil
import subprocess
import tempfile

from rig.beeminder import FakeBeeminder
from rig.book import Book
from rig.case import expect
from rig.client import Load
from rig.machine import Attached, Mounts
from rig.relay import BINARY, START_SECONDS, Relay

NOWHERE = "http://127.0.0.1:9"


class Stage:
    def __init__(self, name, seed, full):
        self.full = full
        self.random = random.Random(f"{seed}/{name}")
        self.book = Book(f"{seed}/{name}/book")
        self.folder = tempfile.mkdtemp(prefix="beemed-faults-")
        self.data = f"{self.folder}/data"
        self.mounts = Mounts()
        self.beeminder = FakeBeeminder().start()
        self.relays = []
        self.notes = []
        self._token = None
        self._logs = 0
        # What the checker does: everything, unless a case says that there is nothing to check.
        self.is_checked = True
        self.refused_is_fine = False

    def count(self, usual, full):
        """How often: as CI does it, or with FULL=1."""
        return full if self.full else usual

    def note(self, words):
        self.notes.append(words)

    @property
    def token(self):
        """The token of a device; adding it makes the folder."""
        if self._token is None:
            self._token = self.add_device()
        return self._token

    def add_device(self, name="bench", data=None):
        done = subprocess.run(
            [BINARY, "device", "add", name, "--data", data or self.data], capture_output=True,
            text=True, timeout=20)
        expect(done.returncode == 0, f"device add: {done.stderr.strip()}")
        return done.stdout.strip()

    def begin_anew(self, name):
        """Another folder and another book: a life of its own within the same case."""
        self.stop_relays()
        self.data = f"{self.folder}/{name}"
        self._token = None
        self.book = Book(name)

    # Relays

    def spawn(self, *, data=None, delivers=False, **options):
        """Starts a relay and does not wait for it."""
        url = self.beeminder.url if delivers else NOWHERE
        relay = Relay(data or self.data, self.token, url, **options)
        self.relays.append(relay)
        return relay

    def start(self, **options):
        """Starts a relay that must come up, soon and small (I7).

        A start waits for several syncs, and others may keep the disk busy: it is slow only if it
        is slow three times in a row.
        """
        for attempt in range(3):
            relay = self.spawn(**options).wait_ready()
            if relay.wrapped or relay.ready_seconds <= START_SECONDS or attempt == 2:
                break
            self.note(f"a start took {relay.ready_seconds:.1f} s")
            relay.kill()
        relay.check_speed()
        return relay

    def attach(self, relay, *injections, **options):
        return Attached(relay, self.log(), *injections, **options)

    def log(self):
        self._logs += 1
        return f"{self.folder}/strace-{self._logs}.log"

    def load(self, relay, **options):
        return Load(relay.port, self.token, self.book, **options)

    def press(self, relay, count=1, **options):
        """So many presses one after another, each of which must be taken."""
        with relay.connect() as connection:
            for _ in range(count):
                answer = connection.press(self.book, self.book.press(**options))
                expect(answer.status == 200, f"a press got {answer.status}: {answer.body!r}")

    def press_again(self, relay, presses):
        """The same once more: what was acknowledged must be known (I1 by the API)."""
        with relay.connect() as connection:
            for press in presses:
                answer = connection.press(self.book, press)
                expect(answer.status == 200 and answer.json["duplicate"],
                       f"{press.id} was acknowledged and is forgotten: {answer.body!r}")

    def segments(self, data=None):
        folder = f"{data or self.data}/journal"
        return [f"{folder}/{name}" for name in sorted(os.listdir(folder))
                if name.endswith(".jnl")]

    # The end

    def stop_relays(self):
        for relay in self.relays:
            relay.kill()
        self.relays.clear()

    def close(self):
        self.stop_relays()
        self.beeminder.stop()
        self.mounts.undo()
        subprocess.run(["chattr", "-R", "-i", self.folder], capture_output=True)
        shutil.rmtree(self.folder, ignore_errors=True)
