"""Lives in which any call of the relay may fail, lie or do half of its work, by chance."""

from rig.case import case, expect
from rig.checker import check
from rig.relay import NotReady
from rig.spoiler import Spoiler, fault
from rig.stage import Stage


@case("any call fails, lies or does half, at a start or while running, and heals or does not",
      needs=("gcc",))
def faults_by_chance(stage):
    stage.is_checked = False  # Each life is, by itself.
    met, refused = 0, 0
    count = stage.count(20, 400)
    for _ in range(count):
        seed = stage.random.randrange(1 << 30)
        life = Stage(f"life-{seed}", seed, stage.full)
        try:
            spoiler = Spoiler(life.folder)
            tale = [_run(life, spoiler) for _ in range(life.random.choice([1, 2, 3]))]
            spoiler.set()
            met += len(spoiler.met) > 0
            refused += sum(507 in statuses for _, statuses in tale)
            check(life)
        except AssertionError as failure:
            raise AssertionError(f"life {seed}: {failure}; {spoiler.met[:5]}") from None
        finally:
            life.close()
    stage.note(f"{count} lives, {met} met their faults, {refused} found no room")


def _run(life, spoiler):
    """One process and its end; (what befell it, what presses were told)."""
    chance = life.random
    faults = [fault(chance) for _ in range(chance.choice([1, 1, 2]))]
    at_start = chance.random() < 0.4
    spoiler.set(*(faults if at_start else []))
    try:
        relay = life.spawn(environment=spoiler.environment, delivers=chance.random() < 0.5)
        relay.wait_ready()
    except NotReady as end:
        expect(end.code in (71, 74, 77, 78), f"with {faults} it {end}")
        return faults, []
    long = chance.random() < 0.5  # Long enough to rotate.
    with life.load(relay, clients=chance.choice([1, 3, 8]), comment_bytes=3_900 if long else 0,
                   pause=0 if long else 0.001) as load:
        load.wait(chance.choice([0.05, 0.2]))
        if not at_start:
            spoiler.set(*faults)
        load.wait(chance.choice([0.3, 1.0, 2.0]) if long else chance.choice([0.1, 0.5]))
        _tells(relay, load, faults)
        if chance.random() < 0.5:
            spoiler.set()
            load.wait(0.3)
    ended = relay.process.poll() is not None
    code = relay.end() if ended or chance.random() < 0.4 else relay.kill()
    expect(code in ((0, 74) if ended else (0, 74, -9)), f"with {faults} it ended with {code}")
    return faults, load.statuses


def _tells(relay, load, faults):
    """I6: as long as presses are refused for want of room, health is red."""
    said = len(load.statuses)
    try:
        status, words = relay.health()
    except OSError:
        return  # It has ended.
    load.wait(0.05)
    before, after = load.statuses[max(0, said - 8):said], load.statuses[said:]
    if before and after and set(before + after) == {507}:
        expect(status == 503, f"I6: with {faults} all is refused, and health says {words}")
