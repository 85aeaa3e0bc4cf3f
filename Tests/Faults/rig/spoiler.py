"""Faults in the relay's own calls, changed while it runs: spoiler.c with a file that says which."""

import os

from rig import machine

ERRORS = ["EACCES", "EAGAIN", "EDQUOT", "EFBIG", "EIO", "EMFILE", "ENODEV", "ENOMEM", "ENOSPC",
          "EROFS", "ESTALE", "EUCLEAN"]
# What else may befall a call. A write that lies about bytes and not about their number is not
# among it: nobody can see that before the next start.
MOODS = {
    "write": ["EINTR 0", "short 0", "short 1", "short 100", "zero 0", "lienone 0", "lieshort 0",
              "twice 0", "toomuch 0", "partial 0"],
    "pwrite": ["EINTR 0", "short 0", "short 1", "zero 0", "lienone 0", "lieshort 0"],
    "pread": ["EINTR 0", "short 0", "eof 0", "garbage 0"],
    "fstat": ["add 1", "add 4096", "add -1", "add -100"],
    "fstatvfs": ["set 0", "set 100", "set 5000"],
    "fdatasync": ["EINTR 0"],
    "fsync": [], "ftruncate": [], "renameat": [], "unlinkat": [], "create": [], "openat": [],
}
BY_NAME = {"renameat", "unlinkat", "create", "openat"}  # These see a name and no path.


class Spoiler:
    def __init__(self, folder):
        self._faults, self._log = f"{folder}/faults", f"{folder}/faults.log"
        self.set()
        library = machine.library(folder, "spoiler", source())
        self.environment = {"LD_PRELOAD": library, "FAULTS": self._faults, "FAULTLOG": self._log}

    def set(self, *faults):
        """These from now on, each as spoiler.c has it; none is none."""
        with open(f"{self._faults}.new", "w") as file:
            file.write("\n".join([*faults, ""]))
        os.rename(f"{self._faults}.new", self._faults)

    @property
    def met(self):
        """What was spoilt so far, a line each."""
        if not os.path.exists(self._log):
            return []
        with open(self._log) as file:
            return file.read().splitlines()


def source():
    with open(f"{os.path.dirname(__file__)}/spoiler.c") as file:
        return file.read()


def fault(chance):
    """Any fault there is, in any file of the journal."""
    call = chance.choice(list(MOODS))
    mood = chance.choice([*(f"{error} 0" for error in ERRORS), *MOODS[call]])
    parts = ["*", ".jnl", ".tmp"] if call in BY_NAME else [
        "/data", "/journal", ".jnl", ".tmp", "/history", "/quarantine"]
    skip = chance.choice([0, 0, 0, 1, 2, 3, 5, 9, 20, 60])
    count = chance.choice([1, 1, 1, 2, 5, 1_000_000])
    return f"{call} {chance.choice(parts)} {skip} {count} {mood}"
