"""The power cut, on a real ext4: the disk is an image on XFS, and a reflink copy of the image is
the disk as it was at that instant. What had not been synced by then is not in the copy.

The last case fakes every sync: the same rig must then see the loss, or it proves nothing.
"""

import fcntl
import os
import threading
import time
from dataclasses import dataclass

from cases.kills import fill_almost
from rig import journal, machine
from rig.case import Skip, case, expect
from rig.checker import nothing_vanished, recovered_in_journal
from rig.relay import NotReady

NEEDS = ("loop", "mkfs.xfs", "mkfs.ext4", "losetup")
FICLONE = 0x40049409
# Only a sync writes: nothing is saved by the file system's own clockwork.
EXT4_OPTIONS = ("-o", "commit=300")
DISK_MEGABYTES = 64


@dataclass
class Cut:
    image: str
    acknowledged: dict  # Before the cut: these must be there.
    offered: dict  # After it: nothing else may be.


class Rig:
    """A disk that can be cut off from its power as often as one likes."""

    def __init__(self, stage):
        self.stage = stage
        self.folder = f"{stage.folder}/xfs"
        image = f"{stage.folder}/xfs.img"
        machine.make_image("mkfs.xfs", image, 2_048)
        stage.mounts.image(image, self.folder)
        self.blank = f"{self.folder}/blank.img"
        machine.make_image("mkfs.ext4", self.blank, DISK_MEGABYTES)
        self.count = 0

    def new_disk(self):
        """A fresh disk, mounted; returns (its image, where it is mounted)."""
        self.count += 1
        image = f"{self.folder}/disk-{self.count}.img"
        clone(self.blank, image)
        where = f"{self.stage.folder}/disk-{self.count}"
        self.stage.mounts.image(image, where, EXT4_OPTIONS)
        return image, where

    def cut(self, image):
        """The disk as it is at this instant."""
        self.count += 1
        copy = f"{self.folder}/cut-{self.count}.img"
        before = self.stage.book.snapshot()
        clone(image, copy)
        return Cut(copy, before, dict(self.stage.book.offered))

    def mount(self, cut):
        where = f"{self.stage.folder}/cut"
        self.stage.mounts.image(cut.image, where, EXT4_OPTIONS)
        return where


def clone(source, copy):
    """`cp --reflink=always`, and nothing around it that takes time."""
    with open(source, "rb") as old, open(copy, "wb") as new:
        try:
            fcntl.ioctl(new.fileno(), FICLONE, old.fileno())
        except OSError as error:
            raise Skip(f"no reflinks: {error}") from None


def live(stage, rig, plan, cuts, environment=None):
    """One disk from its first start on, cut off so many times; the relay notices nothing."""
    image, where = rig.new_disk()
    stage.begin_anew("-")
    stage.data = f"{where}/data"
    relay = stage.start(environment=environment)
    if plan == "rotate":
        fill_almost(stage, relay, spare=60)
    taken = []
    comment_bytes = 3_900 if plan == "rotate" else 0
    for _ in range(cuts):
        with stage.load(relay, clients=3, comment_bytes=comment_bytes, pause=0.001) as load:
            load.wait(stage.random.uniform(0.005, 0.08))
            if plan == "restart":
                relay.kill()
                relay, cut = _cut_during_start(stage, rig, image, environment)
                taken.append(cut)
            else:
                taken.append(rig.cut(image))
    stage.stop_relays()
    return taken


def _cut_during_start(stage, rig, image, environment):
    """The power goes while the relay recovers from a kill."""
    cuts = []

    def later(seconds):
        time.sleep(seconds)
        cuts.append(rig.cut(image))

    thread = threading.Thread(target=later, args=(stage.random.uniform(0, 0.06),))
    thread.start()
    relay = stage.start(environment=environment)
    thread.join()
    return relay, cuts[0]


def examine(stage, rig, cut):
    """Mounts what is left and starts on it; says what was lost, in words, or None."""
    level = stage.mounts.level()
    try:
        data = f"{rig.mount(cut)}/data"
        before = journal.read(data)
        recovered_in_journal(cut.acknowledged, cut.offered, before)
        relay = stage.start(data=data)
        _knows(relay, list(cut.acknowledged.values())[-5:])
        relay.kill()
        nothing_vanished(before, journal.read(data))
        return None
    except (AssertionError, NotReady) as loss:
        return str(loss)
    finally:
        stage.stop_relays()
        stage.mounts.undo(level)
        os.unlink(cut.image)


def _knows(relay, presses):
    with relay.connect() as connection:
        for press in presses:
            event = connection.ask("GET", f"/events/{press.id}")
            expect(event.status == 200, f"I1: {press.id} is forgotten")


def lives(stage, rig, cuts_wanted, plans, environment=None):
    """(cuts made, what was lost in words, acknowledged presses over all)."""
    losses, cuts, acknowledged = [], 0, 0
    while cuts < cuts_wanted:
        level = stage.mounts.level()
        taken = live(stage, rig, plans[cuts // 10 % len(plans)], 10, environment)
        acknowledged += len(stage.book.acknowledged)
        for cut in taken:
            losses.append(examine(stage, rig, cut))
        cuts += len(taken)
        stage.mounts.undo(level)
    return cuts, [loss for loss in losses if loss], acknowledged


@case("power cuts on ext4: pressing, recovering from a kill, rotating", needs=NEEDS)
def power_cut(stage):
    rig = Rig(stage)
    plans = ["press", "restart", "press", "rotate", "restart"]
    cuts, losses, acknowledged = lives(stage, rig, stage.count(200, 1_000), plans)
    stage.note(f"{len(losses)} losses in {cuts} cuts, {acknowledged} acknowledged")
    expect(not losses, losses[0] if losses else "")
    _deliver_after_a_cut(stage, rig)


def _deliver_after_a_cut(stage, rig):
    """The last one goes all the way: what was acknowledged arrives, once."""
    cut = live(stage, rig, "press", 3)[-1]
    stage.book.acknowledged = cut.acknowledged
    stage.book.offered = cut.offered
    stage.data = f"{rig.mount(cut)}/data"


@case("power cuts with every sync faked: the rig must see the loss", needs=(*NEEDS, "gcc"))
def power_cut_sees_a_lie(stage):
    rig = Rig(stage)
    lie = {"LD_PRELOAD": machine.lying_sync(stage.folder)}
    # A preloaded library is no reason to be slow, so the relay is judged as ever.
    cuts, losses, _ = lives(stage, rig, 20, ["press", "restart"], lie)
    stage.note(f"{len(losses)} losses seen in {cuts} cuts")
    stage.is_checked = False
    expect(len(losses) >= cuts // 2, f"only {len(losses)} of {cuts} cuts showed a loss")
    expect(any("I1" in loss for loss in losses), f"no press is missed, only: {losses[0]}")
