"""Two parts of durable.py: what a long past costs, and what it costs a press that the journal goes
on to a new segment, or retires old ones, while it waits."""

import json
import os
import shutil
import statistics
import struct
import subprocess

from rig.relay import BINARY, Relay

EVENTS = 1_000_000
REMEMBERED = 100_000  # As many delivered events stay known; the others are past.

# Delivered events as the journal has them: FILE, the first one's number, how many.
WRITER = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
static uint32_t table[256];
static void line(FILE *file, const char *text, int count) {
    uint32_t crc = ~0u;
    for (int i = 0; i < count; i++) crc = crc >> 8 ^ table[(crc ^ (uint8_t)text[i]) & 0xff];
    fprintf(file, "%s\t%08x\n", text, ~crc);
}
int main(int count, char **words) {
    for (uint32_t n = 0; n < 256; n++) {
        table[n] = n;
        for (int bit = 0; bit < 8; bit++)
            table[n] = table[n] >> 1 ^ (table[n] & 1 ? 0x82F63B78 : 0);
    }
    FILE *file = fopen(words[1], "a");
    long number = atol(words[2]), end = number + 2 * atol(words[3]);
    for (char text[1024]; number < end; number += 2) {
        line(file, text, sprintf(text,
            "{\"t\":\"put\",\"q\":%ld,\"src\":\"old\",\"id\":\"e%ld\",\"goal\":\"water\","
            "\"value\":0.25,\"comment\":\"a glass of water\",\"at\":1750000000,"
            "\"from\":\"receipt\",\"rx\":{\"wall\":1750000000,\"mono\":1,\"boot\":\"b\"}}",
            number, number));
        line(file, text, sprintf(text,
            "{\"t\":\"done\",\"q\":%ld,\"of\":%ld,\"how\":\"created\","
            "\"datapoint\":\"%024lx\"}", number + 1, number, number));
    }
    (void)count;
    return fclose(file);
}
"""


def history(bench, table, repeat):
    """A million past events against an empty folder; what the newest 100,000 cost by themselves,
    which stay known, is told apart from what the past costs."""
    million = _with_past(bench, EVENTS + REMEMBERED)
    known = bench.new("known")
    subprocess.run(["cp", "-a", million, known], check=True)
    for name in os.listdir(f"{known}/history"):
        os.unlink(f"{known}/history/{name}")
    lives = {template: [] for template in (million, None, known)}
    for _ in range(repeat):
        for template, measured in lives.items():
            measured.append(_life(bench, template))
    million, empty, known = (
        [statistics.median(values) for values in zip(*measured)] for measured in lives.values())
    for index, work in ((0, "POST /log, 64 conn."), (2, "GET /context, 64 conn.")):
        ratio = million[index] / empty[index]
        table.row(f"1,000,000 past / none: {work}", million[index], empty[index], ratio,
                  ">= 0.91", ratio >= 0.91)
    for index, work, beside in (
            (1, "POST p99, ms", empty), (3, "start to ready, ms", known),
            (4, "VmRSS, MB", known)):
        name = "none" if beside is empty else "100,000 known"
        table.row(f"1,000,000 past / {name}: {work}", f"{million[index]:.1f}",
                  f"{beside[index]:.1f}", million[index] / beside[index], "", True)


def _with_past(bench, events):
    """A folder in which so many events were delivered; the relay itself forgets them, beyond the
    newest."""
    writer = bench.compile("past", WRITER)
    relay, data = bench.relay()
    for _ in range(events // REMEMBERED):
        relay.kill()
        path = f"{data}/journal/" + max(
            name for name in os.listdir(f"{data}/journal") if name.endswith(".jnl"))
        with open(path, "rb") as file:
            end = json.loads(file.read().splitlines()[-1].split(b"\t")[0])
        subprocess.run([writer, path, str(end["q"]), str(REMEMBERED)], check=True)
        relay = Relay(data, relay.token, bench.nowhere).wait_ready(60)
    relay.kill()
    return data


def _copy(bench, template):
    """A file that never changes is shared, so that no copying disturbs what is measured."""
    copy = bench.new("copy")
    subprocess.run(["cp", "-al", template, copy], check=True)
    os.unlink(f"{copy}/lock")  # The only file that is written in place.
    return copy


def _life(bench, template):
    """(presses a second, their 99th percentile, contexts a second, ms until ready, MB resident)"""
    relay, data = bench.relay(_copy(bench, template) if template else None)
    resident = relay.resident_kilobytes() / 1_024
    contexts = bench.wrk(relay, bench.get, "/context", 64, 2).rate
    presses = bench.wrk(relay, bench.post, "/log", 64, 1)
    relay.kill()
    shutil.rmtree(data)
    return presses.rate, presses.p99, contexts, relay.ready_seconds * 1_000, resident


# Rotation

# Keeps the longest sync, in seconds, in the file that SYNC_FILE names.
SYNCS = r"""
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static double *longest;
static double now(void) {
    struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec / 1e9;
}
__attribute__((constructor)) static void begin(void) {
    int file = open(getenv("SYNC_FILE"), O_RDWR);
    longest = mmap(0, sizeof *longest, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
}
static int timed(long call, int file) {
    double start = now();
    int result = syscall(call, file);
    double taken = now() - start;
    if (taken > *longest) *longest = taken;
    return result;
}
int fdatasync(int file) { return timed(SYS_fdatasync, file); }
int fsync(int file) { return timed(SYS_fsync, file); }
"""


class Syncs:
    """The longest sync of a relay that runs in this environment."""

    def __init__(self, bench):
        library = bench.compile("syncs.so", SYNCS, "-shared", "-fPIC")
        self.path = bench.new("longest")
        self.reset()
        self.environment = {"LD_PRELOAD": library, "SYNC_FILE": self.path}

    def reset(self):
        # Not truncated: the relay has it mapped.
        with open(os.open(self.path, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
            file.write(struct.pack("d", 0))

    def measure(self, load):
        """(99th percentile, longest, longest beyond the longest sync) of the load, in ms"""
        self.reset()
        presses = load()
        with open(self.path, "rb") as file:
            longest = struct.unpack("d", file.read(8))[0] * 1_000
        return presses.p99, presses.longest, presses.longest - longest


def rotation(bench, table, repeat):
    """A single device as long as the first segment is not full, and beyond that; then 64 at once; and a
    few while 100,000 events more are delivered than can stay known, so that most of the journal is
    dead and its oldest segments are retired."""
    known = _with_past(bench, REMEMBERED)
    measures = (lambda: _presses(bench, 1, 1), lambda: _presses(bench, 1, 12),
                lambda: _presses(bench, 64, bench.press_seconds()),
                lambda: _retiring(bench, known))
    rounds = [[] for _ in measures]
    for _ in range(repeat):
        for measured, measure in zip(rounds, measures):
            measured.append(measure())
    within, beyond, crowd, retiring = (
        [statistics.median(values) for values in zip(*measured)] for measured in rounds)
    for index, figure in ((0, "p99"), (1, "longest")):
        table.row(f"POST, 1 conn., {beyond[3]:.0f} rotations / none: {figure}, ms",
                  f"{beyond[index]:.2f}", f"{within[index]:.2f}",
                  beyond[index] / within[index], "", True)
    for name, measured in ((f"1 conn., {beyond[3]:.0f} rotations", beyond),
                           (f"64 conn., {crowd[3]:.0f} rotations", crowd),
                           ("4 conn., retirements", retiring)):
        for index, figure in ((0, "p99"), (1, "longest")):
            if measured is not beyond:
                table.row(f"POST, {name}: {figure}, ms", f"{measured[index]:.2f}", None, None,
                          "", True)
        table.row(f"POST, {name}: beyond the longest sync, ms", f"{measured[2]:.2f}", None, None,
                  "< 20", measured[2] < 20)
    table.row("retirements, 200,000 events: VmHWM, MB", f"{retiring[3]:.1f}", None, None, "",
              True)


def _presses(bench, connections, seconds):
    """(99th percentile, longest, beyond the longest sync, rotations); the first second fits the
    first segment."""
    syncs = Syncs(bench)
    relay, data = bench.relay(environment=syncs.environment)
    first = _newest(data)
    times = syncs.measure(lambda: bench.wrk(relay, bench.post, "/log", connections, seconds))
    rotations = _newest(data) - first
    relay.kill()
    shutil.rmtree(data)
    return *times, rotations


def _retiring(bench, known):
    """(99th percentile, longest, beyond the longest sync, MB of memory at most) while all that
    waits is delivered to the simulator."""
    syncs = Syncs(bench)
    port = bench.free_port()
    relay, data = bench.relay(
        _copy(bench, known), beeminder=f"http://127.0.0.1:{port}",
        environment=syncs.environment | {"BEEMINDER_AUTH_TOKEN": "simulated-token"})
    # Presses taken before Beeminder can be reached wait. Few clients, since the last second of
    # many would exceed what may wait.
    while relay.health()[1]["queued"] < 1.1 * REMEMBERED:
        bench.wrk(relay, bench.post, "/log", 4, 1)
    simulator = subprocess.Popen(
        [BINARY, "simulator", "--listen", f"127.0.0.1:{port}"], stdout=subprocess.DEVNULL)
    try:
        bench.await_port(port)
        relay.ask("POST", "/flush")
        relay.forget_peak()
        times = syncs.measure(lambda: bench.wrk(relay, bench.post, "/log", 4, 30))
        if not os.listdir(f"{data}/history"):
            raise SystemExit("no segment was retired; more presses must be delivered")
        memory = relay.resident_kilobytes(peak=True) / 1_024
    finally:
        simulator.kill()
        simulator.wait(10)
        relay.kill()
    shutil.rmtree(data)
    return *times, memory


def _newest(data):
    return max(int(name[:8]) for name in os.listdir(f"{data}/journal") if name.endswith(".jnl"))
