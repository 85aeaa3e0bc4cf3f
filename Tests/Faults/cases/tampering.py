"""People who lay hands on the folder: files edited, moved, removed, of the wrong kind, or from
elsewhere. Each time `journal verify` must say beforehand what the start then does, and touch
nothing."""

import os
import re
import shutil
import subprocess
import time

from rig import edits, journal, machine
from rig.case import case, expect
from rig.checker import delivered_once, drain
from rig.relay import BINARY, NotReady

IO_ERROR, DATA_ERROR, NO_INPUT, CONFIG = 74, 65, 66, 78
SPOILS = [
    ("removed", os.unlink),
    ("moved away", lambda path: os.rename(path, f"{path}.bak")),
    ("replaced, as an editor does", lambda path: (shutil.copy(path, f"{path}.new"),
                                                  os.rename(f"{path}.new", path))),
    ("cut off", lambda path: os.truncate(path, 0)),
    ("gone with its folder", lambda path: shutil.rmtree(os.path.dirname(path))),
]


def verify(stage, code):
    """What a check says; it must end with that code and touch nothing."""
    before = edits.tree(stage.data)
    words = verify_live(stage, code)
    expect(edits.tree(stage.data) == before, "a check has touched something")
    return words


def verify_live(stage, code):
    """The same beside a relay, which writes its mark a moment after the answers."""
    done = subprocess.run([BINARY, "journal", "verify", stage.data], capture_output=True,
                          text=True, timeout=60, stdin=subprocess.DEVNULL)
    words = done.stdout + done.stderr
    expect(done.returncode == code, f"a check ended with {done.returncode}: {words}")
    return words


@case("the live file is removed, moved, replaced, cut off: no 200 after that, and an alarm")
def live_file_spoilt(stage):
    stage.is_checked = False  # What people remove is gone; it must be told of.
    for how, spoil in SPOILS:
        stage.begin_anew(how.split()[0])
        relay = stage.start()
        stage.press(relay, 3)
        spoil(stage.segments()[-1])
        with relay.connect() as connection:
            status = connection.press(stage.book, stage.book.press()).status
        expect(status == 503, f"{how}: a press is told {status}")
        expect(relay.wait(10) == IO_ERROR, f"{how}: it goes on")
        words = stage.start().health()[1]
        alarmed = "replaced" not in how
        expect(bool(words["alarms"]) == alarmed, f"I6: {how}, and health says {words}")


@case("a used folder without a segment, or without a journal: an alarm, once")
def emptied_folder(stage):
    stage.is_checked = False
    for name in ("segment", "folder"):
        stage.begin_anew(name)
        stage.press(stage.start(), 3)
        stage.stop_relays()
        if name == "segment":
            os.unlink(stage.segments()[-1])
        else:
            shutil.rmtree(f"{stage.data}/journal")
        words = verify(stage, DATA_ERROR if name == "segment" else NO_INPUT)
        expect("has been used" in words or "at work there" in words, f"not a word of it: {words}")
        relay = stage.start()
        _, words = relay.health()
        expect(words["status"] == "degraded" and words["alarms"], f"I6: health says {words}")
        stage.press(relay)
        relay.kill()
        expect(not stage.start().health()[1]["alarms"], "I6: it alarms for ever")


@case("a link with a segment's name: it is named, and what to do; no start")
def not_a_file(stage):
    stage.press(stage.start(), 3)
    stage.stop_relays()
    path = f"{stage.data}/journal/00000099.jnl"
    for target in (stage.segments()[0], "nothing"):
        os.symlink(target, path)
        words = verify(stage, DATA_ERROR)
        expect("00000099.jnl is a symbolic link" in words, words)
        try:
            stage.spawn().wait_ready(5)
            raise AssertionError("it started")
        except NotReady as end:
            expect(end.code == CONFIG and "is a symbolic link" in end.words, f"it {end}")
        os.unlink(path)
    stage.press_again(stage.start(), stage.book.newest(3))


@case("folders and pipes with a segment's or a temporary name, an empty segment: aside, an alarm")
def strange_entries(stage):
    stage.press(stage.start(), 3)
    stage.stop_relays()
    places = [("x.tmp", os.mkdir), ("00000099.jnl", os.mkdir), ("00000002.jnl", os.mkdir),
              ("00000098.jnl", os.mkfifo), ("y.tmp", os.mkfifo),
              ("2147483647.jnl", lambda path: open(path, "wb").close())]
    for name, make in places:
        if os.path.exists(f"{stage.data}/journal/{name}"):
            continue
        make(f"{stage.data}/journal/{name}")
        verify(stage, DATA_ERROR)
        relay = stage.start()
        expect(relay.health()[1]["alarms"], f"I6: {name}, and health is silent")
        stage.press_again(relay, stage.book.newest(3))
        stage.press(relay)
        relay.kill()
        relay = stage.start()
        expect(not relay.health()[1]["alarms"], f"I6: {name} is an alarm for ever")
        relay.kill()


@case("a segment of another store, of any number: set aside, an alarm, ours are delivered")
def foreign_segment(stage):
    stage.press(stage.start(), 3)
    stage.stop_relays()
    ours, book, token = stage.data, stage.book, stage.token
    stage.begin_anew("other")
    stage.press(stage.start(), 5)
    stage.stop_relays()
    foreign = stage.segments()[-1]
    stage.data, stage.book, stage._token = ours, book, token
    for number in (2, 9, 77):
        shutil.copy(foreign, f"{stage.data}/journal/{number:08}.jnl")
        expect("another store" in verify(stage, DATA_ERROR), "a check does not name it")
        relay = stage.start()
        alarms = str(relay.health()[1]["alarms"])
        expect("another store" in alarms, f"I6: health says {alarms}")
        stage.press_again(relay, stage.book.newest(3))
        stage.press(relay)
        stage.stop_relays()
    # What was set aside was good there, and is no record of this store.
    stage.is_checked = False
    relay = stage.start(delivers=True)
    drain(stage, relay)
    delivered_once(stage)


@case("a journal cut in half, TABs turned to spaces: named, never called unacknowledged")
def cut_in_half(stage):
    stage.is_checked = False  # What people cut off is gone; it must be told of.
    spoils = [lambda bytes_read: bytes_read[:len(bytes_read) // 2],
              lambda bytes_read: bytes_read.replace(b"\t", b" ")]
    for index, spoil in enumerate(spoils):
        for end in ("kill", "end"):
            stage.begin_anew(f"cut{index}{end}")
            relay = stage.start()
            stage.press(relay, 40)
            getattr(relay, end)()
            path = stage.segments()[-1]
            with open(path, "rb") as file:
                contents = file.read()
            with open(path, "wb") as file:
                file.write(spoil(contents))
            words = verify(stage, DATA_ERROR) + str(stage.start().health()[1]["alarms"])
            expect("never acknowledged" not in words, words)
            # The mark of the last press may come after its answer, and after the kill.
            expect("40 are missing" in words or end == "kill" and "39 are missing" in words, words)


@case("copied by tar while it starts again and again: a copy has what came before it")
def live_copies(stage):
    stage.is_checked = False
    relay = stage.start()
    stage.press(relay, 5)
    for index in range(stage.count(12, 60)):
        place = f"{stage.folder}/copy{index}"
        os.mkdir(place)
        relay.kill()
        copying = subprocess.Popen(
            f"sleep 0.{stage.random.randrange(4)}{stage.random.randrange(10)};"
            f" tar cf - -C {stage.data} . 2>/dev/null | tar xf - -C {place}", shell=True)
        before = set(stage.book.snapshot())
        relay = stage.start()
        copying.wait()
        missing = before - set(journal.read(place).puts)
        expect(not missing, f"copy {index} lacks {len(missing)} of {len(before)}")
        stage.press(relay, 2)


@case("copied by cp under load, at any instant: each copy starts, with all that came before it")
def copies_under_load(stage):
    stage.is_checked = False
    relay = stage.start()
    stage.press(relay, 50)
    copies = []
    with stage.load(relay, clients=4):
        for index in range(stage.count(6, 40)):
            time.sleep(stage.random.random() / 2)
            before = set(stage.book.snapshot())
            place = f"{stage.folder}/copy{index}"
            subprocess.run(["cp", "-r", stage.data, place], capture_output=True)
            copies.append((place, before))
    stage.stop_relays()
    expect(len(copies[-1][1]) > len(copies[0][1]) > 50, "there was no load")
    for place, before in copies:
        missing = before - set(journal.read(place).puts)
        expect(not missing, f"{place} lacks {len(missing)} of {len(before)}")
        stage.data = place
        relay = stage.start()
        _, health = relay.health()
        expect(health["queued"] >= len(before), f"{place}: {health}")
        relay.end()
    stage.note(f"{len(copies)} copies, of {len(copies[0][1])} to {len(copies[-1][1])} presses")


@case("a backup of a running relay: all that was acknowledged, and it starts")
def backup(stage):
    relay = stage.start()
    stage.press(relay, 20)
    place = f"{stage.folder}/backup"
    with stage.load(relay, clients=4):
        before = set(stage.book.snapshot())
        done = subprocess.run([BINARY, "backup", place, "--data", stage.data],
                              capture_output=True, text=True, timeout=60)
    expect(done.returncode == 0, f"backup: {done.stdout}{done.stderr}")
    expect("to restore it" in done.stdout, done.stdout)
    missing = before - set(journal.read(place).puts)
    expect(not missing, f"the copy lacks {len(missing)}")
    stage.stop_relays()
    stage.data = place
    relay = stage.start()
    expect(not relay.health()[1]["alarms"], f"I6: {relay.health()}")
    stage.stop_relays()
    stage.is_checked = False


@case("what is in the way of a start: a check says it before the start does", needs=("loop",))
def start_foretold(stage):
    where = stage.mounts.tmpfs(f"{stage.folder}/small", 24)
    stage.data = f"{where}/data"
    relay = stage.start()
    stage.press(relay, 3)
    expect("is at work on it" in verify_live(stage, 0), "a check does not see the relay")
    relay.kill()
    for folder in (stage.data, f"{stage.data}/journal"):
        os.chmod(folder, 0o770)
        expect("a start would be refused" in verify(stage, DATA_ERROR), f"{folder} is fine?")
        os.chmod(folder, 0o700)
    shutil.rmtree(f"{stage.data}/quarantine")
    expect("3 events are pending" in verify(stage, 0), "a missing quarantine hides the journal")
    machine.run("mount", "-o", "remount,ro", where)
    expect("nothing can be written" in verify(stage, DATA_ERROR), "a read-only disk is fine?")
    machine.run("mount", "-o", "remount,rw", where)
    _nearly_full(stage, where)


def _nearly_full(stage, where):
    """Room for what is there and not for a press: red from the start on, and it stays so."""
    with open(f"{where}/filler", "wb") as file:
        file.write(b"x" * (8 << 20))
    expect("no press would be accepted" in verify(stage, DATA_ERROR), "a full disk is fine?")
    relay = stage.start()
    status, words = relay.health()
    expect(status == 503 and words["sync"] == "diskFull", f"I6: health says {words}")
    with relay.connect() as connection:
        for pause in (0, 6, 6):
            relay.await_health(lambda words: words["sync"] != "diskFull", pause)
            status, words = relay.health()
            expect(status == 503, f"I6: between two refusals health says {words}")
            answer = connection.press(stage.book, stage.book.press())
            expect(answer.status == 507, f"without room a press is told {answer.status}")
    os.unlink(f"{where}/filler")
    _, words = relay.await_health(lambda words: words["sync"] != "diskFull", 10)
    expect(words["sync"] != "diskFull", f"I6: there is room again, and health says {words}")
    stage.press(relay)


@case("64 MiB of presses wait: 507, and health says that and not another thing")
def too_much_waits(stage):
    stage.is_checked = False  # To deliver so many takes minutes and shows nothing more.
    relay = stage.start()
    with stage.load(relay, clients=8, comment_bytes=4_000, pause=0) as load:
        for _ in range(600):
            load.wait(0.1)
            if 507 in load.statuses:
                break
    for comment_bytes in (0, 4_000):
        with relay.connect() as connection:
            answer = connection.press(stage.book, stage.book.press(comment_bytes=comment_bytes))
        status, words = relay.health()
        expect(answer.status == 507, f"beyond the bound a press is told {answer.status}")
        expect(status == 503 and "wait for Beeminder" in str(words["alarms"]),
               f"I6: health says {words}")
        expect(words["journal"]["store"] == "writable", f"the disk is fine: {words}")


@case("journals edited by chance: a check foretells the start, nothing whole is lost, health tells")
def edited_by_chance(stage):
    stage.is_checked = False
    token = stage.token
    shutil.copytree(stage.data, f"{stage.folder}/plain")
    count = stage.count(150, 3_000)
    for _ in range(count):
        seed = stage.random.randrange(1 << 30)
        stage.data = f"{stage.folder}/edited"
        shutil.copytree(f"{stage.folder}/plain", stage.data)
        life = edits.Life(stage.data, seed)
        _examine(stage, life, token)
        stage.stop_relays()
        shutil.rmtree(stage.data)
    stage.note(f"{count} journals")


def _examine(stage, life, token):
    """One edited journal: foretold, started on, and started on again."""
    before, intact = edits.tree(stage.data), edits.intact(stage.data)
    check = subprocess.run([BINARY, "journal", "verify", stage.data], capture_output=True,
                           text=True, timeout=60, stdin=subprocess.DEVNULL)
    expect(edits.tree(stage.data) == before, f"{life}: a check has touched something")
    quarantined = edits.quarantined(stage.data)
    try:
        relay = stage.spawn().wait_ready(20)
    except NotReady as end:
        expect(end.code in (74, 78) and check.returncode == DATA_ERROR, f"{life}: it {end}")
        return
    words = relay.health()[1]
    relay.kill()
    after = edits.intact(stage.data)
    gone = intact - after
    expect(not gone or "another store" in str(words), f"{life}: {gone} were whole and are gone")
    expect(after <= life.acknowledged, f"{life}: made up: {after - life.acknowledged}")
    # What is missing at the very end was perhaps never there: nobody can tell.
    lost = life.acknowledged - after
    atEnd = not after or min(map(edits.number, lost), default=0) > max(map(edits.number, after))
    expect(not lost or atEnd or _alarms(words), f"I6: {life}: {lost} are lost without a word")
    expect((check.returncode == DATA_ERROR) == bool(_alarms(words)),
           f"{life}: the check ended with {check.returncode}, and health says {words}")
    counts = re.search(r"(\d+) events are pending, \d+ delivered, (\d+) refused", check.stdout)
    expect((int(counts[1]), int(counts[2])) == (words["queued"], words["refused"]),
           f"{life}: {counts[0]} were foretold, and health says {words}")
    bad = re.search(r"would first copy (\d+) bytes", check.stdout)
    grown = edits.quarantined(stage.data) - quarantined
    expect(grown == int(bad[1] if bad else 0), f"I5: {life}: {grown} bytes, and not {bad}")
    again = stage.spawn().wait_ready(20)
    later = again.health()[1]
    expect(not _alarms(later) and later["queued"] == words["queued"],
           f"{life}: the second start says {later}")


def _alarms(words):
    """What health says of the journal. Some presses of these journals were refused, and nobody
    answers here who could name the token's user."""
    others = ("Beeminder has refused", "the token is not verified yet")
    return [alarm for alarm in words["alarms"] if not any(other in alarm for other in others)]
