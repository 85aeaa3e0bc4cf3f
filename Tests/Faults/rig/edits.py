"""Journals written by hand, and what hands and disks do to them; each by a seed."""

import hashlib
import os
import random
import re
import shutil

from rig.journal import good, line

STORE = "F89C4269-E82B-48D4-8CF6-FA1FF5EC7271"


def tree(folder):
    """Everything below a folder as it is, to see that nothing was touched."""
    found = {}
    for path, folders, names in os.walk(folder):
        for name in folders + names:
            file = f"{path}/{name}"
            status = os.lstat(file)
            found[file] = (status.st_mode, status.st_ino, status.st_size, status.st_mtime_ns,
                           status.st_ctime_ns, _digest(file))
    return found


def _digest(file):
    if os.path.islink(file) or not os.path.isfile(file):
        return None
    with open(file, "rb") as opened:
        return hashlib.sha256(opened.read()).digest()


def intact(data):
    """The ids of all events whose line is whole in any segment."""
    found = set()
    for path in _segments(data):
        with open(path, "rb") as file:
            records = map(good, file.read().split(b"\n"))
            found |= {record["id"] for record in records if record and record["t"] == "put"}
    return found


def number(identifier):
    """The number of the event of that id."""
    return int(identifier[1:])


def quarantined(data):
    folder = f"{data}/quarantine"
    names = os.listdir(folder) if os.path.isdir(folder) else []
    return sum(os.path.getsize(f"{folder}/{name}") for name in names)


def _segments(data):
    folder = f"{data}/journal"
    paths = sorted(f"{folder}/{name}" for name in os.listdir(folder)
                   if re.fullmatch(r"\d{8}\.jnl", name))
    return [path for path in paths if os.path.isfile(path) and not os.path.islink(path)]


class Life:
    """A journal of one to three segments, and what was then done to it."""

    def __init__(self, data, seed):
        self._chance = random.Random(seed)
        self._data = data
        self._folder = f"{data}/journal"
        self._events = []
        self._next = 1
        self._deeds = []
        for name in ("journal", "quarantine", "history"):
            os.makedirs(f"{data}/{name}", mode=0o700, exist_ok=True)
        self._write()
        self.acknowledged = {f"e{event}" for event in self._events}
        for _ in range(self._chance.choice([1, 1, 1, 2, 3])):
            self._edit()

    def __str__(self):
        return " and ".join(self._deeds)

    # What was written

    def _write(self):
        first, count = self._chance.choice([1, 3, 7]), self._chance.choice([1, 1, 2, 3])
        for segment in range(first, first + count):
            lines = [self._opening(segment, first)]
            lines += self._records(self._chance.choice([1, 4, 15]))
            if segment == first + count - 1 and self._chance.random() < 0.3:
                lines.append(line({"t": "close", "q": self._next}))
            _save(f"{self._folder}/{segment:08}.jnl", b"".join(lines))

    def _opening(self, segment, oldest, store=STORE):
        return line({"t": "open", "v": 2, "store": store, "seg": segment, "q": self._next,
                     "oldest": oldest, "at": 1_790_000_000 + self._next})

    def _records(self, count):
        return [self._record() for _ in range(count)]

    def _record(self):
        q = self._next
        self._next += 1
        if not self._events or self._chance.random() < 0.55:
            self._events.append(q)
            return line({"t": "put", "q": q, **_event(q)})
        of = self._chance.choice(self._events)
        return line(self._chance.choice([
            {"t": "done", "q": q, "of": of, "how": "created", "datapoint": f"dp{of}"},
            {"t": "done", "q": q, "of": of, "how": "duplicate"},
            {"t": "refused", "q": q, "of": of, "status": 422, "why": "odd"},
            {"t": "carried", "q": q, "of": of, **_event(of), "state": {"last": q - 1}},
            {"t": "retry", "q": q, "of": of}, {"t": "mark", "q": q}]))

    # What was done to it

    def _edit(self):
        paths = _segments(self._data)
        if not paths:
            return
        path = self._chance.choice(paths)
        with open(path, "rb") as file:
            contents = file.read()
        deed = self._chance.choice([self._bytes, self._bytes, self._lines, self._lines, self._file])
        self._deeds.append(f"{deed(path, contents, paths)} of {os.path.basename(path)}")

    def _bytes(self, path, contents, _):
        """Somewhere in the file."""
        place = self._chance.randrange(len(contents) + 1)
        length = self._chance.choice([1, 16, 512, 4_096])
        before, after = contents[:place], contents[place:]
        flipped = bytes([after[0] ^ 1 << self._chance.randrange(8)]) if after else b""
        return self._chosen(path, {
            "a flipped bit": before + flipped + after[1:],
            "the end": before, "the beginning": after,
            "zeros in place": before + b"\0" * len(after[:length]) + after[length:],
            "zeros in between": before + b"\0" * length + after,
            "garbage in between": before + self._chance.randbytes(length) + after,
            "a tail of zeros": contents + b"\0" * self._chance.choice([1, 4_096, 2 << 20]),
            "a tail of ones": contents + b"\xff" * length,
            "no last line feed": contents.rstrip(b"\n"), "everything": b"",
            "the line ends of another system": contents.replace(b"\n", b"\r\n"),
            "a byte order mark": b"\xef\xbb\xbf" + contents,
        })

    def _lines(self, path, contents, _):
        """Whole lines, as editors and scripts do."""
        lines = contents.splitlines(keepends=True) or [b""]
        one, other = (self._chance.randrange(len(lines)) for _ in range(2))
        swapped = list(lines)
        swapped[one], swapped[other] = lines[other], lines[one]
        changed = {
            "a doubled line": lines[:other] + [lines[one]] + lines[other:],
            "a lost line": lines[:one] + lines[one + 1:],
            "two swapped lines": swapped,
            "an empty line": lines[:one] + [b"\n"] + lines[one:],
            "a line with blanks": lines[:one] + [lines[one].replace(b":", b": ")]
            + lines[one + 1:],
            "another value": lines[:one] + [re.sub(rb'"value":\d', b'"value":9', lines[one])]
            + lines[one + 1:],
            "a line cut off": lines[:-1] + [lines[-1][:other]],
            "another store's line": [self._opening(*[int(os.path.basename(path)[:8])] * 2,
                                                   store="ANOTHER")] + lines[1:],
        }
        return self._chosen(path, {deed: b"".join(some) for deed, some in changed.items()})

    def _chosen(self, path, changed):
        deed = self._chance.choice(list(changed))
        _save(path, changed[deed])
        return deed

    def _file(self, path, contents, paths):
        """Whole files."""
        deed = self._chance.choice(["the loss", "a copy", "a later copy", "a swap", "a stranger",
                                    "an append"])
        other = self._chance.choice(paths)
        if deed == "the loss":
            os.unlink(path)
        elif deed == "a copy":
            _save(f"{self._folder}/{self._chance.randrange(1, 12):08}.jnl", contents)
        elif deed == "a later copy":
            later = int(os.path.basename(paths[-1])[:8]) + self._chance.choice([1, 1, 2])
            _save(f"{self._folder}/{later:08}.jnl", contents)
        elif deed == "a swap" and other != path:
            shutil.move(path, f"{path}.swap")
            shutil.move(other, path)
            shutil.move(f"{path}.swap", other)
        elif deed == "a stranger":
            names = ["notes.txt", "00000099.tmp", "00000001.jnl~", ".swp", "x.jnl"]
            _save(f"{self._folder}/{self._chance.choice(names)}", b"junk")
        elif deed == "an append":
            with open(other, "rb") as file:
                _save(path, contents + file.read())
        return deed


def _event(number):
    return {"src": "d", "id": f"e{number}", "goal": ["water", "walk"][number % 2],
            "value": number / 4, "comment": "c" * (number % 7), "at": 1_790_000_000 + number,
            "from": "receipt",
            "rx": {"wall": 1_790_000_000 + number, "mono": number, "boot": "b"}}


def _save(path, contents):
    with open(path, "wb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        file.write(contents)
