"""Devices that send again, send something else, or do not stay for the answer."""

import resource
import socket
import struct
import time
from dataclasses import replace

from cases.disks import STRACE
from rig.case import case, expect
from rig.client import burst, request_bytes


def _many_descriptors():
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 8_192), most))


def _burst_of(stage, relay, presses):
    requests = [request_bytes("POST", "/log", stage.token, press.body()) for press in presses]
    return [answer for answer, _ in burst(relay.port, requests)]


@case("1,000 clients with one id: all are told 200, one of them that it was new")
def thousand_with_one_id(stage):
    _many_descriptors()
    relay = stage.start()
    press = stage.book.press()
    answers = _burst_of(stage, relay, [press] * 1_000)
    expect(all(answer and answer.status == 200 for answer in answers),
           f"they were told { {answer and answer.status for answer in answers} }")
    stage.book.answer(press, 200)
    new = sum(not answer.json["duplicate"] for answer in answers)
    expect(new == 1, f"{new} were told that it was new")


@case("the same on a disk whose sync takes 300 ms: they wait for the same sync", needs=STRACE)
def thousand_wait_together(stage):
    _many_descriptors()
    relay = stage.start()
    press = stage.book.press()
    with stage.attach(relay, "fdatasync:delay_exit=300000"):
        answers = _burst_of(stage, relay, [press] * 300)
    expect(all(answer and answer.status == 200 for answer in answers), "not all got 200")
    stage.book.answer(press, 200)
    new = sum(not answer.json["duplicate"] for answer in answers)
    expect(new == 1, f"{new} were told that it was new")


@case("one id, two payloads: the first wins, the other gets 409 and is never forwarded")
def same_id_other_payload(stage):
    relay = stage.start()
    for _ in range(20):
        first = stage.book.press()
        second = replace(first, value=first.value + 1)
        order = [first, second] * 10
        stage.random.shuffle(order)
        answers = _burst_of(stage, relay, order)
        took = {press.value for press, answer in zip(order, answers) if answer.status == 200}
        statuses = sorted({answer.status for answer in answers})
        expect(len(took) == 1, f"both payloads were taken: {took}")
        expect(statuses == [200, 409], f"they were told {statuses}")
        winner = first if took == {first.value} else second
        stage.book.offered[winner.id] = winner
        stage.book.answer(winner, 200)
    relay.kill()
    relay = stage.start()
    last = stage.book.newest(1)[0]
    answer = relay.connect().ask("POST", "/log", replace(last, value=-1.0).body())
    expect(answer.status == 409, f"after a restart the other payload got {answer.status}")


@case("connections dropped after the write and before the answer: known when sent again",
      needs=STRACE)
def dropped_before_the_answer(stage):
    relay = stage.start()
    presses = [stage.book.press() for _ in range(30)]
    with stage.attach(relay, "fdatasync:delay_exit=200000"):
        for press in presses:
            _send_and_drop(stage, relay, press)
        time.sleep(0.8)
    with relay.connect() as connection:
        for press in presses:
            answer = connection.press(stage.book, press)
            expect(answer.status == 200 and answer.json["duplicate"],
                   f"{press.id} was dropped: {answer.body!r}")


def _send_and_drop(stage, relay, press):
    with relay.connect() as connection:
        connection.send("POST", "/log", press.body())
        time.sleep(0.005)
        # No lingering: the other side hears a reset.
        connection.socket.setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
