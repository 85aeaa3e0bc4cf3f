"""Data folders that are not as they should be, and two who want the same one."""

import os
import shutil
import signal
import stat

from rig import machine
from rig.case import case, expect
from rig.relay import BINARY, NotReady

NOBODY = 65_534
IN_USE, NO_PERMISSION = 75, 77


def refused(stage, codes, **options):
    """A start that must end soon, with one of these codes and with words."""
    try:
        relay = stage.spawn(**options).wait_ready(5)
    except NotReady as end:
        expect(end.code in codes, f"wanted {codes}, it {end}")
        expect(end.words.strip(), "it ended without a word")
        return
    relay.kill()
    raise AssertionError("it started")


def keeps_or_refuses(stage, codes):
    """A start that knows all that was acknowledged, or ends soon with one of these codes."""
    try:
        relay = stage.start()
    except NotReady as end:
        expect(end.code in codes, f"wanted {codes}, it {end}")
        return
    with relay.connect() as connection:
        for press in stage.book.newest(3):
            answer = connection.press(stage.book, press)
            expect(answer.status in (200, 507), f"a press sent again was told {answer.status}")
    relay.kill()


def _listing(folder):
    """Every file with its size and time of change, to see that nothing was touched."""
    found = {}
    for path, _, names in os.walk(folder):
        for name in names:
            status = os.lstat(f"{path}/{name}")
            found[f"{path}/{name}"] = (status.st_ino, status.st_size, status.st_mtime_ns)
    return found


def _public_binary(stage):
    """A copy that any user may run."""
    os.chmod(stage.folder, 0o755)
    copy = f"{stage.folder}/beemed-relay"
    shutil.copy2(BINARY, copy)
    for name in os.listdir(os.path.dirname(BINARY)):
        if name.endswith(".resources"):
            shutil.copytree(f"{os.path.dirname(BINARY)}/{name}", f"{stage.folder}/{name}")
    return copy


@case("a folder of mode 0777, and one that a group may write to: 77, nothing touched")
def others_may_write(stage):
    stage.press(stage.start(), 3)
    stage.stop_relays()
    before = _listing(stage.data)
    for mode in (0o777, 0o770, 0o1777):
        os.chmod(stage.data, mode)
        refused(stage, {NO_PERMISSION})
    expect(_listing(stage.data) == before, "something was touched")
    os.chmod(stage.data, 0o700)


@case("the journal folder inside is open to others", needs=("root",))
def others_may_write_inside(stage):
    stage.press(stage.start(), 3)
    stage.stop_relays()
    os.chmod(f"{stage.data}/journal", 0o777)
    try:
        relay = stage.start()
        mode = stat.S_IMODE(os.stat(f"{stage.data}/journal").st_mode)
        expect(mode & 0o022 == 0, f"it serves with journal/ at {mode:o}")
        relay.kill()
    except NotReady as end:
        expect(end.code == NO_PERMISSION, f"it {end}")
        os.chmod(f"{stage.data}/journal", 0o700)


@case("a folder of somebody else: 77, nothing touched", needs=("root",))
def foreign_owner(stage):
    stage.press(stage.start(), 3)
    stage.stop_relays()
    before = _listing(stage.data)
    os.chown(stage.data, NOBODY, NOBODY)
    refused(stage, {NO_PERMISSION})
    expect(_listing(stage.data) == before, "something was touched")
    os.chown(stage.data, 0, 0)


@case("a folder that may only be read", needs=("root",))
def read_only_folder(stage):
    stage.press(stage.start(), 3)
    stage.stop_relays()
    machine.run("chown", "-R", f"{NOBODY}:{NOBODY}", stage.data)
    binary = _public_binary(stage)
    for folder in (f"{stage.data}/journal", stage.data):
        os.chmod(folder, 0o500)
        if folder == stage.data:
            os.unlink(f"{stage.data}/lock")
        refused(stage, {71, 74, NO_PERMISSION}, user=NOBODY, binary=binary)
    os.chmod(f"{stage.data}/journal", 0o700)
    os.chmod(stage.data, 0o700)
    machine.run("chown", "-R", "0:0", stage.data)


@case("symbolic links: to a good folder it serves or refuses, to an open one it refuses")
def symbolic_links(stage):
    stage.press(stage.start(), 3)
    stage.stop_relays()
    link = f"{stage.folder}/link"
    os.symlink(stage.data, link)
    os.chmod(stage.data, 0o777)
    refused(stage, {71, NO_PERMISSION}, data=link)
    os.chmod(stage.data, 0o700)
    try:
        stage.press_again(stage.start(data=link), stage.book.newest(3))
        refused(stage, {IN_USE})  # The same folder under its other name.
    except NotReady as end:
        expect(end.code in (71, NO_PERMISSION), f"it {end}")
    stage.stop_relays()
    for name in ("journal", "lock"):
        _behind_a_link(stage, name)


def _behind_a_link(stage, name):
    """One of the names inside leads elsewhere: refused, and what is there is untouched."""
    elsewhere = f"{stage.folder}/elsewhere-{name}"
    os.rename(f"{stage.data}/{name}", elsewhere)
    os.symlink(elsewhere, f"{stage.data}/{name}")
    before = _listing(elsewhere)
    refused(stage, {71, 74, NO_PERMISSION})
    expect(_listing(elsewhere) == before, f"it wrote through the link {name}")
    os.unlink(f"{stage.data}/{name}")
    os.rename(elsewhere, f"{stage.data}/{name}")


@case("chattr +i on the journal, at start and while running",
      needs=("loop", "mkfs.ext4", "chattr"))
def immutable(stage):
    where, _ = stage.mounts.ext4(stage.folder)
    stage.data = f"{where}/data"
    relay = stage.start()
    stage.press(relay, 5)
    segment = stage.segments()[-1]
    machine.run("chattr", "+i", segment)
    with relay.connect() as connection:
        answer = connection.press(stage.book, stage.book.press())
    expect(answer.status in (200, 503), f"the press was told {answer.status}")
    relay.kill()
    keeps_or_refuses(stage, {71, 74, NO_PERMISSION})
    machine.run("chattr", "-i", segment)
    machine.run("chattr", "+i", f"{stage.data}/journal")
    keeps_or_refuses(stage, {71, 74, NO_PERMISSION})
    machine.run("chattr", "-i", f"{stage.data}/journal")


@case("umask 000: folders 0700 and files 0600 all the same")
def no_umask(stage):
    stage.data = f"{stage.folder}/deep/data"
    old = os.umask(0)
    try:
        relay = stage.start(delivers=True)
        stage.press(relay, 3)
        relay.await_health(lambda words: words["queued"] == 0)
    finally:
        os.umask(old)
    for path, _, names in os.walk(stage.data):
        _has_mode(path, 0o700)
        for name in names:
            _has_mode(f"{path}/{name}", 0o600)


def _has_mode(path, wanted):
    mode = stat.S_IMODE(os.stat(path).st_mode)
    expect(mode == wanted, f"{path} has mode {mode:o}")


@case("a second relay: 75, and the first goes on")
def two_relays(stage):
    first = stage.start()
    stage.press(first, 3)
    refused(stage, {IN_USE})
    stage.press(first, 3)


@case("a second relay while the first is stopped: 75, nothing touched, and the first goes on")
def two_relays_one_stopped(stage):
    first = stage.start()
    stage.press(first, 3)
    os.kill(first.pid, signal.SIGSTOP)
    # Once all its threads stand still, only the second can change a file: the first writes its mark
    # after a press was answered.
    os.waitpid(first.pid, os.WUNTRACED)
    try:
        before = _listing(stage.data)
        refused(stage, {IN_USE})
        expect(_listing(stage.data) == before, "the second touched something")
    finally:
        os.kill(first.pid, signal.SIGCONT)
    stage.press(first, 3)


@case("a second relay after somebody has deleted the lock: nothing acknowledged is lost")
def two_relays_lock_deleted(stage):
    first = stage.start()
    stage.press(first, 3)
    os.unlink(f"{stage.data}/lock")
    try:
        second = stage.spawn().wait_ready(5)
    except NotReady as end:
        expect(end.code == IN_USE, f"the second {end}")
        stage.press(first, 3)
        return
    # Two of them: the first may still take presses, but then they must be found again.
    with first.connect() as connection:
        for _ in range(3):
            connection.press(stage.book, stage.book.press())
    first.kill()
    second.kill()
    stage.press_again(stage.start(), stage.book.newest(3))
