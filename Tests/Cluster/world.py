"""Three machines in network namespaces: a member of etcd and a relay in each, a bridge between them,
and one more namespace with the simulated Beeminder and the devices."""

import glob
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BINARY = os.environ.get("PROGRAM", str(ROOT / ".build/release/beemed-relay"))
NAMES = ("a", "b", "c")
SUBNET = "10.99.7."
HOME = SUBNET + "1"
TOKEN = "simulated-token"
PORT = 2336
FAKETIME = next(iter(glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")), None)


def run(*words, check=True):
    return subprocess.run(words, check=check, capture_output=True, text=True)


class Process:
    """A program in a namespace, ended by its own id."""

    def __init__(self, words, log, environment=None):
        self.words = words
        self.log = open(log, "ab")
        variables = {"PATH": os.environ["PATH"], "HOME": "/root", **(environment or {})}
        self.process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, env=variables)

    def send(self, number):
        if self.process.poll() is None:
            self.process.send_signal(number)

    def end(self, number=signal.SIGKILL):
        self.send(number)
        if number == signal.SIGKILL:
            self.send(signal.SIGCONT)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()

    @property
    def is_alive(self):
        return self.process.poll() is None


class Machine:
    """One namespace with a member of etcd and a relay."""

    def __init__(self, world, index):
        self.world = world
        self.name = NAMES[index]
        self.space = f"beemed-{world.tag}-{self.name}"
        self.link = f"bm{world.tag}{self.name}"
        self.address = f"{SUBNET}{index + 11}"
        self.folder = world.folder / self.name
        self.folder.mkdir()
        (self.folder / "relay").mkdir(mode=0o700)
        self.etcd = None
        self.relay = None

    def enter(self, *words):
        return ["ip", "netns", "exec", self.space, *words]

    def make(self):
        peer = f"{self.link}p"
        run("ip", "netns", "add", self.space)
        run("ip", "link", "add", self.link, "type", "veth", "peer", "name", peer)
        run("ip", "link", "set", self.link, "master", self.world.bridge, "up")
        run("ip", "link", "set", peer, "netns", self.space)
        run(*self.enter("ip", "address", "add", f"{self.address}/24", "dev", peer))
        run(*self.enter("ip", "link", "set", peer, "up"))
        run(*self.enter("ip", "link", "set", "lo", "up"))
        # Writes that the disk refuses are easiest to make on a file system of its own.
        disk = self.folder / "etcd"
        disk.mkdir()
        run("mount", "-t", "tmpfs", "-o", "size=256m", "tmpfs", str(disk))

    def start_etcd(self):
        members = ",".join(f"{m.name}=http://{m.address}:2380" for m in self.world.machines)
        client, peer = f"http://{self.address}:2379", f"http://{self.address}:2380"
        self.etcd = Process(
            self.enter(
                "etcd", "--name", self.name, "--data-dir", str(self.folder / "etcd/data"),
                "--listen-client-urls", client, "--advertise-client-urls", client,
                "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
                "--initial-cluster", members, "--initial-cluster-token", self.world.tag,
                "--heartbeat-interval", "100", "--election-timeout", "1000",
                "--auto-compaction-mode", "periodic", "--auto-compaction-retention", "5m",
                "--logger", "zap", "--log-level", "error"),
            self.folder / "etcd.log")

    def start_relay(self, fake_time=None):
        store = ",".join(f"{m.address}:2379" for m in self.world.order(self))
        environment = {"BEEMINDER_AUTH_TOKEN": TOKEN}
        words = [BINARY, "serve", "--data", str(self.folder / "relay"),
                 "--listen", f"{self.address}:{PORT}", "--rate-limit", "off",
                 "--store", f"etcd://{store}/home", "--lease", str(self.world.lease),
                 "--beeminder-url", f"http://{HOME}:2337/"]
        if fake_time:
            # The wrapper would take the signals that are meant for the relay.
            environment.update(LD_PRELOAD=FAKETIME, FAKETIME=fake_time,
                               FAKETIME_DONT_FAKE_MONOTONIC="1")
        self.relay = Process(self.enter(*words), self.folder / "relay.log", environment)

    def set_link(self, is_up):
        run("ip", "link", "set", self.link, "up" if is_up else "down")

    def health(self, seconds=1.0):
        try:
            with urllib.request.urlopen(
                    f"http://{self.address}:{PORT}/healthz", timeout=seconds) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            try:
                return json.load(error)
            except ValueError:
                return {}
        except (OSError, ValueError):
            return {}

    def close(self):
        for process in (self.relay, self.etcd):
            if process and process.is_alive:
                process.end()
        run("umount", "-l", str(self.folder / "etcd"), check=False)
        run("ip", "netns", "delete", self.space, check=False)
        run("ip", "link", "delete", self.link, check=False)


class World:
    """The three machines, the bridge, and the simulated Beeminder at its own address."""

    def __init__(self, lease=3):
        self.tag = f"{os.getpid() % 10000}"
        self.lease = lease
        self.bridge = f"bmbr{self.tag}"
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="beemed-cluster-"))
        self.machines = [Machine(self, index) for index in range(len(NAMES))]
        self.simulator = None

    def order(self, first):
        """The machines, its own first: a relay asks the member beside it."""
        return [first] + [m for m in self.machines if m is not first]

    def start(self):
        run("ip", "link", "add", self.bridge, "type", "bridge")
        run("ip", "address", "add", f"{HOME}/24", "dev", self.bridge)
        run("ip", "link", "set", self.bridge, "up")
        for machine in self.machines:
            machine.make()
        self.simulator = Process(
            [BINARY, "simulator", "--listen", f"{HOME}:2337"], self.folder / "simulator.log")
        for machine in self.machines:
            machine.start_etcd()
        time.sleep(3)
        for machine in self.machines:
            machine.start_relay()
        self.await_leader(30)

    def leader(self):
        """The machine whose relay leads; None while there is none."""
        for machine in self.machines:
            if machine.relay and machine.relay.is_alive \
                    and machine.health().get("role") == "leader":
                return machine
        return None

    def etcd_leader(self):
        """The machine whose member of etcd leads; None while there is none."""
        for machine in self.machines:
            if not machine.etcd.is_alive:
                continue
            answer = run(
                "etcdctl", "--endpoints", f"http://{machine.address}:2379", "--write-out", "json",
                "--command-timeout", "2s", "endpoint", "status", check=False)
            try:
                status = json.loads(answer.stdout)[0]["Status"]
            except (ValueError, IndexError, KeyError):
                continue
            if status.get("leader") == status["header"]["member_id"]:
                return machine
        return None

    def await_leader(self, seconds):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            found = self.leader()
            if found:
                return found
            time.sleep(0.1)
        raise AssertionError(f"no relay leads after {seconds} s; see {self.folder}")

    def device_token(self):
        """The token of the first device, from the folder of the relay that led first."""
        for machine in self.machines:
            steps = machine.folder / "relay/first-steps"
            if steps.exists():
                words = steps.read_text().split("Bearer ")
                if len(words) > 1:
                    return words[1].split('"')[0]
        raise AssertionError("no relay has made a first device")

    def datapoints(self, goal):
        """What the simulated Beeminder has, in the order in which it came."""
        url = (f"http://{HOME}:2337/api/v1/users/me/goals/{goal}/datapoints.json"
               f"?auth_token={TOKEN}&sort=id")
        with urllib.request.urlopen(url, timeout=20) as answer:
            # The newest comes first.
            return list(reversed(json.load(answer)))

    def close(self):
        for machine in self.machines:
            machine.close()
        if self.simulator:
            self.simulator.end()
        run("ip", "link", "delete", self.bridge, check=False)
