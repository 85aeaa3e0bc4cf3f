"""Disks that fail, lie, fill up, slow down, or may not be written any more."""

import os
import resource
import subprocess
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

from cases.kills import fill_almost
from rig import journal, machine
from rig.case import case, expect
from rig.checker import delivered_once, drain
from rig.client import burst, request_bytes, statuses_of
from rig.relay import NotReady

STRACE = ("strace", "root")
IO_ERROR = 74


def ends_with(relay, code, words):
    """The process must end by itself, with this code."""
    try:
        ended = relay.wait(10)
    except Exception:
        raise AssertionError(f"{words}: it goes on") from None
    expect(ended == code, f"{words}: it ended with {ended} and not {code}")


def press_statuses(stage, relay, count, comment_bytes=0):
    """Presses on one connection each, at the same time; None is no answer."""
    presses = [stage.book.press(comment_bytes=comment_bytes) for _ in range(count)]
    requests = [request_bytes("POST", "/log", stage.token, press.body()) for press in presses]
    statuses = []
    for press, (answer, _) in zip(presses, burst(relay.port, requests)):
        stage.book.answer(press, answer.status if answer else None)
        statuses.append(answer.status if answer else None)
    return statuses


def told_the_truth(statuses):
    """Whoever waited for that sync hears 503. Who came later meets a process that has ended:
    no answer is as good, since a device sends again."""
    expect(set(statuses) <= {503, None} and 503 in statuses, f"they were told {statuses}")


# Syncs that fail

@case("fdatasync EIO and ENOSPC on a running server: 503 to who waits, then 74", needs=STRACE)
def sync_fails_while_running(stage):
    for error in ("EIO", "ENOSPC", "EDQUOT"):
        relay = stage.start()
        stage.press(relay, 3)
        with stage.attach(relay, f"fdatasync:error={error}:when=2+"):
            stage.press(relay)
            statuses = press_statuses(stage, relay, 5)
            ends_with(relay, IO_ERROR, f"fdatasync {error}")
        told_the_truth(statuses)
        stage.press_again(stage.start(), stage.book.newest(4))
        stage.stop_relays()


# With these it may listen: a draft that finds no room, for its lines or its name, is thrown away,
# and with the reserve given up there is another one; an old file that cannot be removed is
# superseded all the same.
HARMLESS = {"fdatasync:error=ENOSPC:when=1", "renameat:error=ENOSPC:when=1",
            "unlinkat:error=EIO:when=1", "unlinkat:error=EIO:when=2"}


@case("EIO and ENOSPC in every sync, write and rename of a start: no promise", needs=STRACE)
def calls_fail_at_start(stage):
    stage.press(stage.start(), 5)
    stage.stop_relays()
    faults = [f"{call}:error={error}:when=1" for call in ("fdatasync", "fsync", "renameat")
              for error in ("EIO", "ENOSPC")]
    faults += [f"unlinkat:error=EIO:when={when}" for when in (1, 2)]
    faults += ["pwrite64:error=EIO:when=1", "pwrite64:retval=10:when=1", "pwrite64:retval=10",
               "pread64:error=EIO:when=1"]
    met = sum(_fails_at_start(stage, fault) for fault in faults)
    stage.note(f"{met} of {len(faults)} faults were met")
    expect(met >= len(faults) - 2, "the faults miss their calls")


def _fails_at_start(stage, fault):
    """Only the journal's calls are spoilt. It must not listen, and lose nothing by trying.

    Returns whether the fault was met at all: there may be no second file to unlink.
    """
    number = int(os.path.basename(stage.segments()[-1])[:8])
    files = [f"{stage.data}/journal"]
    for name in range(number, number + 2):
        files += [f"{stage.data}/journal/{name:08}.{end}" for end in ("jnl", "tmp")]
    try:
        wrap = machine.strace(stage.log(), fault, paths=files)
        relay = stage.spawn(wrap=wrap).wait_ready()
        if "INJECTED" in "".join(machine.lines(wrap[4])):
            expect(fault in HARMLESS, f"with {fault} it listens")
        relay.kill()
    except NotReady as end:
        expect(end.code == IO_ERROR, f"with {fault} it {end}")
    met = "INJECTED" in "".join(machine.lines(wrap[4]))
    stage.press_again(stage.start(), stage.book.newest(5))
    stage.stop_relays()
    return met


@case("the folder's sync fails in a rotation: 74, and nothing is lost", needs=STRACE)
def folder_sync_fails(stage):
    for error in ("EIO", "ENOSPC"):
        stage.begin_anew(f"folder-{error}")
        relay = stage.start()
        fill_almost(stage, relay)
        with stage.attach(relay, f"fsync:error={error}:when=1"):
            with stage.load(relay, clients=1, comment_bytes=3_900, pause=0) as load:
                ended = load.wait(3)
        relay.kill()
        stage.press_again(stage.start(), stage.book.newest(50))
        stage.note(f"{error}: {'ended' if ended else 'went on'}")
        stage.stop_relays()


@case("a rotation's own write and sync find no room: nothing is lost", needs=STRACE)
def rotation_without_room(stage):
    for call in ("openat", "pwrite64", "fdatasync"):
        stage.begin_anew(f"room-{call}")
        relay = stage.start()
        fill_almost(stage, relay)
        number = len(stage.segments()) and int(os.path.basename(stage.segments()[-1])[:8]) + 1
        only = [] if call == "openat" else [f"{stage.data}/journal/{number:08}.tmp"]
        with stage.attach(relay, f"{call}:error=ENOSPC:when=1", paths=only):
            with stage.load(relay, clients=1, comment_bytes=3_900, pause=0) as load:
                load.wait(2)
        went_on = relay.process.poll() is None
        relay.kill()
        stage.press_again(stage.start(), stage.book.newest(50))
        stage.note(f"{call}: {'went on' if went_on else 'ended'}")
        stage.stop_relays()


@case("write ENOSPC once: 507, and the next press is taken", needs=STRACE)
def write_finds_no_room_once(stage):
    relay = stage.start()
    stage.press(relay, 2)
    with stage.attach(relay, "pwrite64:error=ENOSPC:when=1", paths=stage.segments()):
        statuses = press_statuses(stage, relay, 1)
        expect(statuses == [507], f"the press was told {statuses}")
        status, words = relay.health()
        expect(status == 503 and words["sync"] == "diskFull", f"I6: health says {words}")
        stage.press(relay, 3)
        expect(relay.health()[1]["sync"] != "diskFull", "I6: there is room again")


@case("write ENOSPC, then ftruncate EIO: 74", needs=STRACE)
def truncate_fails(stage):
    relay = stage.start()
    stage.press(relay, 2)
    faults = ("pwrite64:error=ENOSPC:when=1", "ftruncate:error=EIO:when=1")
    with stage.attach(relay, *faults, paths=stage.segments()):
        statuses = press_statuses(stage, relay, 1)
        ends_with(relay, IO_ERROR, "ftruncate EIO")
    expect(statuses == [503], f"the press was told {statuses}")


@case("a write that says 'written' and was not", needs=STRACE)
def write_lies(stage):
    for when in ("when=1", "when=1+"):
        relay = stage.start()
        stage.press(relay, 2)
        with stage.attach(relay, f"pwrite64:retval=10:{when}", paths=stage.segments()):
            statuses = press_statuses(stage, relay, 3)
            ends_with(relay, IO_ERROR, f"a lying write, {when}")
        told_the_truth(statuses)


@case("write EIO: 503, then 74", needs=STRACE)
def write_fails(stage):
    relay = stage.start()
    stage.press(relay, 2)
    with stage.attach(relay, "pwrite64:error=EIO:when=1", paths=stage.segments()):
        statuses = press_statuses(stage, relay, 3)
        ends_with(relay, IO_ERROR, "write EIO")
    told_the_truth(statuses)


@case("write and fdatasync interrupted: nobody notices", needs=STRACE)
def calls_are_interrupted(stage):
    relay = stage.start()
    faults = ("pwrite64:error=EINTR:when=1+2", "fdatasync:error=EINTR:when=1+2")
    with stage.attach(relay, *faults, paths=stage.segments()):
        stage.press(relay, 10)


# A slow disk

@case("a sync that takes 300 ms: 100 clients share two, GET /context does not wait",
      needs=STRACE)
def slow_disk(stage):
    stage.token
    log = stage.log()
    # Only syncs stop for strace, and only the journal's: whatever else is slow is the relay.
    relay = stage.start(wrap=[*machine.strace(log, "fdatasync:delay_exit=300000"),
                              "--seccomp-bpf"])
    times, idle, syncs = [], [], []
    for _ in range(stage.count(5, 20)):
        before = _syncs(log)
        _context_while(relay, times, lambda: _hundred(stage, relay), idle)
        syncs.append(_syncs(log) - before)
    p99, noise = _p99_ms(times), _p99_ms(idle)
    stage.note(f"{syncs} syncs, GET /context p99 {p99:.1f} ms of {len(times)}, "
               f"of a process that only echoes {noise:.1f} ms")
    expect(max(syncs) <= 3, f"100 clients needed {max(syncs)} syncs")
    expect(len(times) > 200, f"only {len(times)} requests meanwhile")
    # Where a process that has nothing to do waits longer for its turn, so may the relay.
    expect(p99 < max(5, 2 * noise), f"GET /context p99 is {p99:.1f} ms")


@case("the small files are slow to sync, too: saving the goals stops nobody", needs=STRACE)
def slow_small_files(stage):
    stage.token
    wrap = [*machine.strace(stage.log(), "fsync:delay_exit=300000"), "--seccomp-bpf"]
    relay = stage.start(wrap=wrap, delivers=True)
    times = []
    _context_while(relay, times, lambda: time.sleep(2), [])
    expect(stage.beeminder.gets, "the goals were never asked for")
    stage.note(f"GET /context took {max(times) * 1_000:.0f} ms at most")
    expect(max(times) < 0.1, f"GET /context waited {max(times) * 1_000:.0f} ms for a disk")


def _syncs(log):
    return sum("fdatasync" in line and "resumed" not in line for line in machine.lines(log))


def _hundred(stage, relay):
    """A hundred presses, each on its own connection, from a process of their own: this one
    shall have nothing to do but to take the time."""
    presses = [stage.book.press() for _ in range(100)]
    requests = [request_bytes("POST", "/log", stage.token, press.body()) for press in presses]
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as other:
        answers = other.submit(statuses_of, relay.port, requests).result(60)
    for press, status in zip(presses, answers):
        stage.book.answer(press, status)
    expect(set(answers) == {200}, f"the 100 were told {set(answers)}")


def _p99_ms(times):
    return sorted(times)[int(len(times) * 0.99)] * 1_000


def _context_while(relay, times, work, idle):
    """Asks for the context as long as the work takes; `idle` gets the times of an echo meanwhile."""
    with relay.connect() as connection, ThreadPoolExecutor(1) as thread, subprocess.Popen(
            ["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as echo:
        connection.ask("GET", "/context")
        working = thread.submit(work)
        while not working.done():
            start = time.monotonic()
            connection.ask("GET", "/context")
            times.append(time.monotonic() - start)
            time.sleep(0.002)
            start = time.monotonic()
            echo.stdin.write(b"x")
            echo.stdout.read(1)
            idle.append(time.monotonic() - start)
            time.sleep(0.002)
        working.result()


# No room

@case("a limit on file sizes: 507 and no death; room again, taken again", needs=("prlimit",))
def file_size_limit(stage):
    relay = stage.start()
    stage.press(relay, 2)
    size = os.path.getsize(stage.segments()[-1])
    machine.limit(relay.pid, "fsize", size + 1_000)
    statuses = [press_statuses(stage, relay, 1, 3_000)[0] for _ in range(3)]
    expect(set(statuses) == {507}, f"beyond the limit: {statuses}")
    expect(os.path.getsize(stage.segments()[-1]) == size, "half a record was left behind")
    expect(relay.health()[0] == 503, "I6: health is green")
    stage.press(relay)  # A short one still fits.
    machine.limit(relay.pid, "fsize", "unlimited")
    stage.press(relay, 3, comment_bytes=3_000)


@case("a limit on file sizes at start: an exit code and no half file", needs=("prlimit",))
def file_size_limit_at_start(stage):
    stage.press(stage.start(), 20, comment_bytes=1_000)
    stage.stop_relays()

    def cramp():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4_096, resource.RLIM_INFINITY))

    try:
        stage.spawn(prepare=cramp).wait_ready()
    except NotReady as end:
        expect(end.code == IO_ERROR, f"it {end}")


@case("a tiny disk runs full and is emptied again", needs=("loop",))
def tiny_disk(stage):
    where = stage.mounts.tmpfs(f"{stage.folder}/tiny", 24)
    stage.data = f"{where}/data"
    relay = stage.start()
    with stage.load(relay, comment_bytes=4_000, pause=0) as load:
        until = time.monotonic() + 30
        while 507 not in load.statuses and time.monotonic() < until:
            load.wait(0.05)
    expect(507 in load.statuses, "24 MB held everything")
    status, words = relay.health()
    expect(status == 503 and words["sync"] == "diskFull", f"I6: health says {words}")
    filler = _fill_up(where)
    expect(set(press_statuses(stage, relay, 5)) == {507}, "taken without room")
    os.unlink(filler)
    for name in os.listdir(where):
        if name.startswith("other"):
            os.unlink(f"{where}/{name}")
    machine.run("mount", "-o", "remount,size=64m", where)
    stage.press(relay, 5)
    expect(relay.health()[1]["sync"] != "diskFull", "I6: there is room again")


@case("a tiny disk filled by what was delivered: old events make room, no press is lost",
      needs=("loop",))
def tiny_disk_of_delivered(stage):
    # 16 MiB are left to others and 4 are the relay's: the presses take more.
    stage.data = f"{stage.mounts.tmpfs(f'{stage.folder}/tiny', 20)}/data"
    stage.is_checked = False  # The journal has forgotten some of them: Beeminder's books count.
    relay = stage.start(delivers=True)
    refused, rounds = 0, stage.count(45, 150)
    for index in range(rounds):
        # Of the longer ones not even a thousand have room.
        comment_bytes = 900 if index < rounds // 2 else 3_900
        statuses = press_statuses(stage, relay, 100, comment_bytes=comment_bytes)
        expect(set(statuses) <= {200, 507}, f"they were told {set(statuses)}")
        refused += statuses.count(507)
        _, words = relay.await_health(lambda words: words["queued"] == 0)
        expect(words["queued"] == 0, f"{words['queued']} are not delivered after 20 s")
    expect(refused == 0, f"{refused} presses found no room, though all others were delivered")
    expect(relay.process.poll() is None, f"it ended: {relay.words[-200:]}")
    expect(relay.health()[1]["sync"] == "online", f"I6: health says {relay.health()[1]}")
    kept = len(journal.read(stage.data).puts)
    stage.note(f"{kept} of {len(stage.book.acknowledged)} are still known")
    expect(100 <= kept < len(stage.book.acknowledged), "nothing had to make room")
    # What devices send again is what they have sent last.
    stage.press_again(relay, stage.book.newest(100))
    relay.kill()
    relay = stage.start(delivers=True)
    stage.press_again(relay, stage.book.newest(100))
    stage.press(relay, 5, comment_bytes=900)
    drain(stage, relay)
    expect(relay.end() == 0, f"the end was not clean: {relay.words[-300:]}")
    delivered_once(stage)


def _fill_up(where):
    """Takes every last byte of a file system."""
    path = f"{where}/filler"
    with open(path, "wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 65_536)
        except OSError:
            pass
    return path


@case("a start on a disk that is full to the last byte", needs=("loop",))
def start_on_full_disk(stage):
    where = stage.mounts.tmpfs(f"{stage.folder}/tiny", 24)
    stage.data = f"{where}/data"
    stage.press(stage.start(), 200)
    stage.stop_relays()
    filler = _fill_up(where)
    try:
        relay = stage.start()
        stage.press_again(relay, stage.book.newest(10))
        expect(set(press_statuses(stage, relay, 3)) == {507}, "taken without room")
        expect(relay.health()[0] == 503, "I6: health is green")
    finally:
        stage.stop_relays()
        os.unlink(filler)


# A file system that goes away

@case("the file system turns read-only while running: 503 and 74, not silence",
      needs=("loop", "mkfs.ext4"))
def turns_read_only(stage):
    where, device = stage.mounts.ext4(stage.folder)
    stage.data = f"{where}/data"
    relay = stage.start()
    stage.press(relay, 5)
    trigger = f"/sys/fs/ext4/{os.path.basename(device)}/trigger_fs_error"
    machine.run("mount", "-o", "remount,errors=remount-ro", where)
    with open(trigger, "w") as file:
        file.write("1")
    statuses = press_statuses(stage, relay, 3)
    ends_with(relay, IO_ERROR, "a read-only file system")
    told_the_truth(statuses)
    _promises_nothing(stage)
    # As a person would: check it, and mount it again.
    stage.mounts.undo()
    image = f"{stage.folder}/disk.img"
    machine.run("e2fsck", "-fy", image, check=False)
    stage.mounts.image(image, where)


def _promises_nothing(stage):
    """What is known may be delivered; nothing new is taken, and health says why."""
    try:
        relay = stage.spawn().wait_ready()
    except NotReady as end:
        return expect(end.code in (71, 74, 77) and end.words.strip(), f"it {end}")
    # Its log is read beside its first line, and may be heard later.
    until = time.monotonic() + 5
    while "nothing is accepted for now" not in relay.words and time.monotonic() < until:
        time.sleep(0.02)
    expect("nothing is accepted for now" in relay.words, f"not a word of it: {relay.words}")
    statuses = press_statuses(stage, relay, 3)
    expect(set(statuses) == {507}, f"nothing can be written, and they were told {statuses}")
    status, words = relay.health()
    expect(status == 503 and words["status"] == "failing", f"I6: health says {words}")
    relay.kill()


# No descriptors

@case("no descriptor left: who is connected is served, and a rotation does not kill",
      needs=("root",))
def out_of_descriptors(stage):
    def cramp():
        resource.setrlimit(resource.RLIMIT_NOFILE, (48, 48))

    relay = stage.start(prepare=cramp)
    with _Crowd(relay, 80):
        _press_stubbornly(stage, relay, 1_100)
    expect(relay.process.poll() is None, f"it ended: {relay.words[-200:]}")
    expect(len(stage.segments()) > 1, "there was no rotation")
    stage.press(relay, 3)


class _Crowd:
    """Connections that take every descriptor and come back when they are shown out."""

    def __init__(self, relay, count):
        self._relay, self._count = relay, count
        self._stop = threading.Event()

    def __enter__(self):
        self._thread = threading.Thread(target=self._crowd)
        self._thread.start()
        return self

    def _crowd(self):
        crowd = []
        while not self._stop.wait(0.02):
            try:
                crowd.append(self._relay.connect(timeout=0.2))
                crowd[-1].socket.sendall(b"GET /context HTTP/1.1\r\n")
            except OSError:
                pass
            if len(crowd) > self._count:
                crowd.pop(0).close()
        for connection in crowd:
            connection.close()

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()


def _press_stubbornly(stage, relay, count):
    """As a device does: with a new connection and the same id until it is taken."""
    connection = None
    for _ in range(count):
        press = stage.book.press(comment_bytes=4_000)
        until = time.monotonic() + 10
        while True:
            expect(relay.process.poll() is None, f"it ended: {relay.words[-200:]}")
            expect(time.monotonic() < until, "among the crowd a press was not taken for 10 s")
            try:
                connection = connection or relay.connect(timeout=5)
                if connection.press(stage.book, press).status == 200:
                    break
            except OSError:
                connection = None
                time.sleep(0.01)
