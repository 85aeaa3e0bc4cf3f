"""What is broken, one thing at a time, and put right again."""

import os
import signal
import time


class Fault:
    """One kind: what it does, and how long it stays."""

    def __init__(self, name, begin, end, seconds):
        self.name = name
        self.begin = begin
        self.end = end
        self.seconds = seconds


def relay_machine(world, chance):
    return world.leader() or chance.choice(world.machines)


def kill_relay(world, chance):
    machine = relay_machine(world, chance)
    machine.relay.end(signal.SIGKILL)
    return machine


def stop_relay(world, chance):
    machine = relay_machine(world, chance)
    machine.relay.end(signal.SIGTERM)
    return machine


def kill_both(world, chance):
    machine = relay_machine(world, chance)
    machine.relay.end(signal.SIGKILL)
    machine.etcd.end(signal.SIGKILL)
    return machine


def restart(world, machine):
    if not machine.etcd.is_alive:
        machine.start_etcd()
        time.sleep(1)
    if not machine.relay.is_alive:
        machine.start_relay()


def cut_link(world, chance):
    machine = relay_machine(world, chance)
    machine.set_link(False)
    return machine


def join_link(world, machine):
    machine.set_link(True)


def freeze(world, chance):
    machine = relay_machine(world, chance)
    machine.relay.send(signal.SIGSTOP)
    return machine


def thaw(world, machine):
    machine.relay.send(signal.SIGCONT)


def kill_etcd_leader(world, chance):
    machine = world.etcd_leader() or chance.choice(world.machines)
    machine.etcd.end(signal.SIGKILL)
    return machine


def cut_etcd_leader(world, chance):
    machine = world.etcd_leader() or chance.choice(world.machines)
    machine.set_link(False)
    return machine


def freeze_etcd_leader(world, chance):
    machine = world.etcd_leader() or chance.choice(world.machines)
    machine.etcd.send(signal.SIGSTOP)
    return machine


def thaw_etcd(world, machine):
    machine.etcd.send(signal.SIGCONT)


def fill_disk(world, chance):
    machine = chance.choice(world.machines)
    path = machine.folder / "etcd/filler"
    with open(path, "wb") as file:
        try:
            while True:
                file.write(b"\0" * (1 << 20))
        except OSError:
            pass
    return machine


def free_disk(world, machine):
    os.unlink(machine.folder / "etcd/filler")
    # etcd ends when it cannot write.
    restart(world, machine)


def jump_clock(world, chance):
    machine = relay_machine(world, chance)
    machine.relay.end(signal.SIGKILL)
    machine.start_relay(fake_time="+10m")
    return machine


def right_clock(world, machine):
    machine.relay.end(signal.SIGTERM)
    machine.start_relay()


ALL = [
    Fault("relay killed", kill_relay, restart, 4),
    Fault("relay stopped", stop_relay, restart, 2),
    Fault("relay and etcd killed", kill_both, restart, 6),
    Fault("leader's link cut", cut_link, join_link, 7),
    Fault("leader frozen", freeze, thaw, 7),
    Fault("etcd's leader killed", kill_etcd_leader, restart, 5),
    Fault("etcd's leader cut off", cut_etcd_leader, join_link, 7),
    Fault("etcd's leader frozen", freeze_etcd_leader, thaw_etcd, 6),
    Fault("a member's disk full", fill_disk, free_disk, 4),
    Fault("a relay's clock 10 min ahead", jump_clock, right_clock, 5),
]
