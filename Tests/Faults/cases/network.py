"""A network that goes and comes back: a namespace of its own, whose only link is pulled."""

import ctypes
import os
import time
from contextlib import contextmanager

from rig.case import Skip, case, expect
from rig.machine import run

NEWNET = 0x4000_0000  # CLONE_NEWNET
ROUNDS = 3


class Namespace:
    """A network with one link to the machine's, on which Beeminder can be reached."""

    def __init__(self):
        self.name = f"beemed-{os.getpid()}"
        self.link = f"bo{os.getpid()}"[:15]
        self.outside, self.inside = "10.213.77.1", "10.213.77.2"

    def make(self):
        done = run("ip", "netns", "add", self.name, check=False)
        if done.returncode:
            raise Skip(f"no network namespace to be had: {done.stderr.strip()}")
        done = run("ip", "link", "add", self.link, "type", "veth", "peer", "name", "relay0",
                   "netns", self.name, check=False)
        if done.returncode:
            raise Skip(f"no pair of links to be had: {done.stderr.strip()}")
        run("ip", "address", "add", f"{self.outside}/24", "dev", self.link)
        run("ip", "link", "set", self.link, "up")
        run("ip", "-n", self.name, "link", "set", "lo", "up")
        run("ip", "-n", self.name, "address", "add", f"{self.inside}/24", "dev", "relay0")

    def set(self, state):
        run("ip", "-n", self.name, "link", "set", "relay0", state)

    def remove(self):
        run("ip", "link", "del", self.link, check=False)
        run("ip", "netns", "del", self.name, check=False)

    @contextmanager
    def entered(self):
        """This thread, and what it starts, is inside."""
        libc = ctypes.CDLL(None, use_errno=True)
        with open("/proc/thread-self/ns/net", "rb") as here, \
                open(f"/run/netns/{self.name}", "rb") as there:
            if libc.setns(there.fileno(), NEWNET):
                raise Skip(f"no way into the namespace: {os.strerror(ctypes.get_errno())}")
            try:
                yield
            finally:
                libc.setns(here.fileno(), NEWNET)


def _fail_often(relay):
    """Until the next attempt is far away: after ten failures it is up to five minutes."""
    for _ in range(10):
        relay.ask("POST", "/flush")
        time.sleep(0.05)


@case("a network that comes back: what waits is delivered at once", needs=("root", "ip"))
def network_comes_back(stage):
    namespace = Namespace()
    beeminder = stage.beeminder
    beeminder.stop()
    try:
        namespace.make()
        beeminder.host, beeminder.port = namespace.outside, 0
        beeminder.start()
        with namespace.entered():
            relay = stage.start(delivers=True)
            seconds = [_one_round(stage, relay, namespace) for _ in range(ROUNDS)]
            stage.note("delivered after " + ", ".join(f"{time:.2f} s" for time in seconds))
            expect(max(seconds) < 1.5, f"it took {max(seconds):.2f} s")
            stage.stop_relays()
    finally:
        beeminder.stop()
        namespace.remove()
        beeminder.host, beeminder.port = "127.0.0.1", 0
        beeminder.start()


def _one_round(stage, relay, namespace):
    """Pulls the link, presses, plugs it in again; how long the press takes from then on."""
    namespace.set("down")
    press = stage.book.press(goal="water")
    with relay.connect() as connection:
        expect(connection.press(stage.book, press).status == 200, "not taken without a network")
    _fail_often(relay)
    expect(not stage.beeminder.posts_of(press.id), "delivered without a network")
    start = time.monotonic()
    namespace.set("up")
    while not stage.beeminder.posts_of(press.id):
        expect(time.monotonic() - start < 30, "not delivered 30 s after the network came back")
        time.sleep(0.01)
    return time.monotonic() - start
