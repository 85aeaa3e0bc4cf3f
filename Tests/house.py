#!/usr/bin/env python3
"""Measures of the sources.

    Tests/house.py             prints them all
    Tests/house.py --folders   prints which folder uses which, as ARCHITECTURE.md lists it
    Tests/house.py --check     exits 1 when a limit is exceeded
"""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ROOT / "Sources"
SIMULATOR = "BeemedRelay/Simulator"

# The limits of --check.
MOST_FUNCTION_LINES = 40

KINDS = ("struct", "class", "enum", "actor", "protocol", "extension")
DECLARATION = re.compile(
    r"^(?P<indent> *)(?:(?:package|public|private|fileprivate|final|indirect|nonisolated|@\S+) )*"
    r"(?P<kind>" + "|".join(KINDS) + r") (?P<name>[\w.]+)")
FUNCTION = re.compile(
    r"^(?P<indent> *)(?:(?:package|public|private|fileprivate|static|mutating|nonisolated|override|"
    r"@\w+(?:\([^)]*\))?) )*(?:func (?P<name>[^(<]+)|(?P<init>init)\b)")
PROPERTY = re.compile(
    r"^ *(?:(?:package|public|private|fileprivate|internal|nonisolated|unowned|weak|@\w+)"
    r"(?:\((?:set|unsafe)\))? )*(?:var|let) (?P<names>.+)")


def swift_files():
    return sorted(SOURCES.rglob("*.swift"))


def is_simulator(path):
    return str(path.relative_to(SOURCES)).startswith(SIMULATOR)


def code(line):
    """The line without its comment and the contents of its texts."""
    line = re.sub(r'"(?:[^"\\]|\\.)*"', '""', line)
    return line.split("//")[0]


def stored_properties():
    """The number of stored properties of each type, by name."""
    counts = collections.Counter()
    for path in swift_files():
        if is_simulator(path):
            continue
        stack = []
        depth = 0
        is_text = False
        for raw in path.read_text().splitlines():
            if raw.count('"""') % 2:
                is_text = not is_text
                if not raw.rstrip().endswith("{"):
                    continue
            if is_text:
                continue
            line = code(raw)
            opened = DECLARATION.match(line)
            if opened and "{" in line:
                stack.append((depth, opened["name"], opened["kind"]))
            elif stack and depth == stack[-1][0] + 1 and stack[-1][2] != "protocol":
                found = PROPERTY.match(line)
                words = line.split()
                if found and "static" not in words and is_stored(line):
                    names = ".".join(name for _, name, kind in stack)
                    counts[names] += 1
            depth += line.count("{") - line.count("}")
            while stack and depth <= stack[-1][0]:
                stack.pop()
    return counts


def is_stored(line):
    """A property whose line opens a body without `=` is computed."""
    if line.rstrip().endswith("{"):
        return "=" in line.split("{")[0]
    return not re.search(r"\{.*\}\s*$", line) or "=" in line.split("{")[0]


def functions():
    """(file, name, lines) of each function."""
    found = []
    for path in swift_files():
        lines = path.read_text().splitlines()
        for number, line in enumerate(lines):
            match = FUNCTION.match(line)
            if not match or line.rstrip().endswith("}"):
                continue
            end = f"{match['indent']}}}"
            for later in range(number, min(number + 200, len(lines))):
                if lines[later] == end and later > number:
                    found.append((path, match["name"] or "init", later - number + 1))
                    break
                if later > number and lines[later] and not lines[later].startswith(match["indent"]):
                    break
    return found


def folder(path):
    parts = path.relative_to(SOURCES).parts[:-1]
    name = "/".join(parts)
    return name.replace(SIMULATOR, "BeeminderSimulator") if name.startswith(SIMULATOR) else name


def arrows():
    """Which folder uses which, within a target: by the names of types."""
    owners = collections.defaultdict(set)
    words = collections.defaultdict(set)
    for path in swift_files():
        for raw in path.read_text().splitlines():
            line = code(raw)
            words[folder(path)].update(re.findall(r"\w+", line))
            declared = re.match(
                r"(?:(?:package|public|final|indirect|@\S+) )*"
                r"(?:struct|class|enum|actor|protocol|typealias) (\w+)", line)
            if declared:
                owners[declared[1]].add(folder(path))
    uses = collections.defaultdict(set)
    for source, used in words.items():
        for word in used:
            if len(owners.get(word, ())) != 1:
                continue
            target = next(iter(owners[word]))
            if target != source and target.split("/")[0] == source.split("/")[0]:
                uses[source].add(target)
    return uses


def print_folders():
    uses = arrows()
    for target in ("RelayHTTP", "BeemedDomain", "BeemedRelay"):
        names = sorted(name for name in uses if name.split("/")[0] == target)
        width = max(len(name) - len(target) - 1 for name in names)
        print(f"In `{target}`:\n")
        for name in names:
            others = ", ".join(sorted(other.split("/", 1)[1] for other in uses[name]))
            print(f"    {name.split('/', 1)[1]:<{width}} -> {others}")
        print()


def circles():
    """Folders that need each other, directly or not."""
    left = {name: set(used) for name, used in arrows().items()}
    while True:
        free = [name for name, used in left.items() if not used & left.keys()]
        if not free:
            return sorted(left)
        for name in free:
            del left[name]


def measure():
    properties = stored_properties()
    long_functions = [
        (lines, name, path) for path, name, lines in functions() if lines > MOST_FUNCTION_LINES]
    sizes = {path: len(path.read_text().splitlines()) for path in swift_files()}
    return {
        "properties": properties,
        "long functions": long_functions,
        "sizes": sizes,
        "circles": circles(),
    }


def main():
    if "--folders" in sys.argv:
        print_folders()
        return 0
    found = measure()
    product = sum(size for path, size in found["sizes"].items() if not is_simulator(path))
    largest = found["properties"].most_common(8)
    over = [(path, size) for path, size in found["sizes"].items() if size > 300]
    print(f"lines of Sources without the simulator: {product} in "
          f"{sum(not is_simulator(path) for path in found['sizes'])} files")
    print("stored properties: " + ", ".join(f"{name} {count}" for name, count in largest))
    print(f"functions over {MOST_FUNCTION_LINES} lines: {len(found['long functions'])}")
    for lines, name, path in sorted(found["long functions"], reverse=True):
        print(f"    {lines} {name} in {path.relative_to(ROOT)}")
    print(f"files over 300 lines: {len(over)}")
    for path, size in sorted(over, key=lambda item: -item[1]):
        print(f"    {size} {path.relative_to(ROOT)}")
    print(f"circles between folders: {len(found['circles'])} {' '.join(found['circles'])}")
    failures = [found["long functions"], found["circles"]]
    return 1 if "--check" in sys.argv and any(failures) else 0


if __name__ == "__main__":
    sys.exit(main())
