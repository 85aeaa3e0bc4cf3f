"""What the cases need of the machine: strace, loop devices, mounts, a library put before libc."""

import functools
import os
import shutil
import subprocess
import time

from rig.case import Skip, expect

PACKAGES = {
    "strace": "strace", "mkfs.xfs": "xfsprogs", "mkfs.ext4": "e2fsprogs", "losetup": "mount",
    "chattr": "e2fsprogs", "prlimit": "util-linux", "gcc": "gcc", "faketime": "libfaketime",
}


def run(*command, check=True, **options):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, **options)
    if check and done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done


def has(tool):
    if tool == "root":
        return os.geteuid() == 0
    if tool == "loop":
        return os.geteuid() == 0 and os.path.exists("/dev/loop-control")
    if tool == "faketime":
        return _faketime() is not None
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    return shutil.which(tool, path=path) is not None


@functools.cache
def may_trace():
    """Whether strace may hold a process here: a container can forbid it."""
    return run("strace", "-o", "/dev/null", "true", check=False).returncode == 0


def _faketime():
    for folder in ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"):
        path = f"{folder}/faketime/libfaketimeMT.so.1"
        if os.path.exists(path):
            return path
    return None


def install_missing(tools):
    """Tries Debian's packages for whatever is not there; what still lacks is seen by `has`."""
    packages = sorted({PACKAGES[tool] for tool in tools if tool in PACKAGES and not has(tool)})
    if not packages or os.geteuid() != 0 or not shutil.which("apt-get"):
        return
    for arguments in (["update"], ["install", "-y", *packages]):
        subprocess.run(["apt-get", "-q", *arguments], capture_output=True, timeout=600,
                       env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})


# strace

def strace(log, *injections, only=(), paths=()):
    """The command that runs another under strace with these faults.

    injections: as after `-e inject=`, such as `fdatasync:error=EIO:when=1`.
    only: further system calls to be seen in the log.
    paths: faults only in calls that touch one of these files.
    """
    names = {injection.split(":")[0] for injection in injections}
    calls = ",".join(sorted(name for part in names for name in part.split(","))
                     + sorted(only))
    command = ["strace", "-f", "-qq", "-o", log, "-e", f"trace={calls}"]
    for injection in injections:
        command += ["-e", f"inject={injection}"]
    for path in paths:
        command += ["-P", path]
    return command


class Attached:
    """strace on a relay that runs already: its counts begin here, for every thread."""

    def __init__(self, relay, log, *injections, only=(), paths=()):
        self.log = log
        self._relay = relay
        command = strace(log, *injections, only=only, paths=paths)
        self._strace = subprocess.Popen(
            [*command, "-p", str(relay.pid)], stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE)
        self._await(relay.pid)

    def _await(self, pid):
        until = time.monotonic() + 10
        while time.monotonic() < until:
            if not _lives(pid):
                return  # The very first call it made was the fatal one.
            if self._strace.poll() is not None:
                words = self._strace.stderr.read().decode()
                raise Skip(f"strace cannot attach: {words.strip()}")
            if self._holds_all(pid):
                return
            time.sleep(0.01)
        raise Skip("strace does not attach")

    def _holds_all(self, pid):
        try:
            for task in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{task}/status") as file:
                    if f"TracerPid:\t{self._strace.pid}\n" not in file.read():
                        return False
        except (FileNotFoundError, ProcessLookupError):
            return False
        return True

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # strace now and then sleeps through the end of what it traced.
        if self._strace.poll() is None:
            (self._strace.terminate if _lives(self._relay.pid) else self._strace.kill)()
        try:
            self._strace.wait(1)
        except subprocess.TimeoutExpired:
            self._strace.kill()
            self._strace.wait(10)
        self._strace.stderr.close()


def process_state(pid):
    """What the system says of a process, from its state on (proc(5), stat)."""
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rsplit(")", 1)[1].split()


def _lives(pid):
    try:
        return process_state(pid)[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def lines(log):
    with open(log, errors="replace") as file:
        return file.read().splitlines()


# A library before libc

PRELOAD = r"""
#define _GNU_SOURCE
#include <unistd.h>
/* A disk that says "synced" and has not even begun. */
int fsync(int fd) { (void)fd; return 0; }
int fdatasync(int fd) { (void)fd; return 0; }
void sync(void) {}
int syncfs(int fd) { (void)fd; return 0; }
"""


def lying_sync(folder):
    """Compiles the library that fakes every sync; returns its path."""
    return library(folder, "lie", PRELOAD)


def library(folder, name, source_text):
    source, library = f"{folder}/{name}.c", f"{folder}/{name}.so"
    if not os.path.exists(library):
        with open(source, "w") as file:
            file.write(source_text)
        run("gcc", "-shared", "-fPIC", "-O1", "-w", "-o", library, source, "-ldl")
    return library


def faketime_environment(offset_file):
    """A wall clock that a file moves while the program runs; the monotonic one stays true."""
    return {"LD_PRELOAD": _faketime(), "FAKETIME_TIMESTAMP_FILE": offset_file,
            "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "DONT_FAKE_MONOTONIC": "1"}


# Mounts

class Mounts:
    """Whatever is mounted or attached here is taken down again, last first."""

    def __init__(self):
        self._undo = []

    def tmpfs(self, where, megabytes):
        os.makedirs(where, exist_ok=True)
        self._mount("-t", "tmpfs", "-o", f"size={megabytes}m,mode=700", "none", where)
        return where

    def image(self, image, where, options=()):
        """Mounts a file system image; returns its loop device."""
        os.makedirs(where, exist_ok=True)
        done = run("losetup", "--find", "--show", image, check=False)
        if done.returncode:
            raise Skip(f"no loop device: {done.stderr.strip()}")
        device = done.stdout.strip()
        self._undo.append(("loop", device))
        self._mount(*options, device, where)
        return device

    def _mount(self, *arguments):
        done = run("mount", *arguments, check=False)
        if done.returncode:
            raise Skip(f"mount is not permitted: {done.stderr.strip()}")
        self._undo.append(("mount", arguments[-1]))

    def ext4(self, folder, megabytes=64, name="disk"):
        """A fresh ext4 of its own; returns (where it is mounted, its device)."""
        image, where = f"{folder}/{name}.img", f"{folder}/{name}"
        make_image("mkfs.ext4", image, megabytes)
        return where, self.image(image, where)

    def level(self):
        return len(self._undo)

    def undo(self, level=0):
        """Takes down what came after that level."""
        while len(self._undo) > level:
            kind, what = self._undo.pop()
            if kind == "loop":
                run("losetup", "-d", what, check=False)
            else:
                _unmount(what)


def _unmount(where):
    for _ in range(50):
        if run("umount", where, check=False).returncode == 0:
            return
        time.sleep(0.1)
    run("umount", "-l", where, check=False)


def make_image(maker, image, megabytes):
    with open(image, "wb") as file:
        file.truncate(megabytes << 20)
    quiet = ["-q", "-F"] if maker == "mkfs.ext4" else ["-q", "-f", "-m", "reflink=1"]
    run(maker, *quiet, image)


def limit(pid, resource, value):
    """Sets both limits of a running process."""
    run("prlimit", f"--pid={pid}", f"--{resource}={value}:")
    expect(os.path.exists(f"/proc/{pid}"), "the process ended")
