#!/usr/bin/env python3
"""Measures of the sources.

    Tests/house.py             prints them all
    Tests/house.py --folders   prints which folder uses which, as ARCHITECTURE.md lists it
    Tests/house.py --core      prints what the core owns: its stored properties, and the collections
                               in which one event can be
    Tests/house.py --check     exits 1 when a folder has more lines than its budget, a function more
                               than 40, folders need each other, or use others than ARCHITECTURE.md
                               lists

How many functions run for one press is told by `make trace`.
"""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ROOT / "Sources"
SIMULATOR = "BeemedRelay/Simulator"
# Targets in folders of others.
TARGETS = {SIMULATOR: "BeeminderSimulator", "BeemedRelay/Trunk": "RelayTrunk"}

# The limits of --check.
MOST_FUNCTION_LINES = 40

# The lines of Swift that each folder may have. A budget only shrinks: a change that needs room makes
# some in the same folder, or raises the budget and says in its commit what that buys.
BUDGETS = {
    "BeemedDomain/Bytes": 181,
    "BeemedDomain/Cluster": 883,
    "BeemedDomain/Core": 5819,
    "BeemedDomain/Delivery": 1097,
    "BeemedDomain/Goals": 1307,
    "BeemedDomain/JSON": 783,
    "BeemedDomain/Journal": 3872,
    "BeemedDomain/Model": 1205,
    "BeemedDomain/Storage": 805,
    "BeemedDomain/Upstream": 660,
    "BeemedRelay/Cluster": 1499,
    "BeemedRelay/Commands": 1650,
    "BeemedRelay/Commands/Doctor": 282,
    "BeemedRelay/Health": 2239,
    "BeemedRelay/Page": 97,
    "BeemedRelay/Page/Manual": 162,
    "BeemedRelay/Program": 601,
    "BeemedRelay/Reminders": 1530,
    "BeemedRelay/Transfer": 1257,
    "RelayHTTP/Connection": 539,
    "RelayHTTP/Content": 176,
    "RelayHTTP/Libc": 6,
    "RelayHTTP/Loop": 377,
    "RelayHTTP/Message": 731,
    "RelayHTTP/Parser": 680,
    "RelayHTTP/Server": 1373,
    "RelayTrunk/Access": 1378,
    "RelayTrunk/Answers": 932,
    "RelayTrunk/Beeminder": 700,
    "RelayTrunk/Client": 350,
    "RelayTrunk/CommandLine": 295,
    "RelayTrunk/Connectivity": 59,
    "RelayTrunk/Engine": 2652,
    "RelayTrunk/Files": 505,
    "RelayTrunk/Leaf": 274,
    "RelayTrunk/Metrics": 139,
    "RelayTrunk/PressInput": 1412,
    "RelayTrunk/Requests": 132,
    "RelayTrunk/Routes": 1400,
    "RelayTrunk/Settings": 1141,
    "RelayTrunk/Start": 352,
    "RelayTrunk/Storage": 565,
    "RelayTrunk/Text": 453,
    "RelayTrunk/Transport": 389,
}

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


def declarations():
    """What the product declares: the stored properties of each type, as (name, text), and the lines
    of each type together with its extensions, by the type's outer name."""
    properties = collections.defaultdict(list)
    sizes = collections.Counter()
    for path in swift_files():
        if is_simulator(path):
            continue
        stack = []
        depth = 0
        is_text = False
        for raw in path.read_text().splitlines():
            if stack:
                sizes[stack[0][1].split(".")[0]] += 1
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
                if found and "static" not in line.split() and is_stored(line):
                    properties[".".join(name for _, name, kind in stack)].append(found["names"])
            depth += line.count("{") - line.count("}")
            while stack and depth <= stack[-1][0]:
                stack.pop()
    return properties, sizes


def owned(root, properties):
    """The types that a type owns, by the types of its stored properties, with itself."""
    found, left = set(), [root]
    while left:
        name = left.pop()
        if name in found:
            continue
        found.add(name)
        for text in properties[name]:
            for word in re.findall(r"\b[A-Z]\w*", text):
                for other in (f"{name}.{word}", f"{name.split('.')[0]}.{word}", word):
                    if other in properties:
                        left.append(other)
                        break
    return found


COLLECTION = re.compile(r"\[.*\]|\b(?:Queue|Set|Dictionary|\w*Table|\w*Dictionary|Heap)<")
EVENT = re.compile(r"SequenceNumber|EventKey|EventIdentity|Entry\b")


def print_core():
    properties, _ = declarations()
    types = owned("RelayCore", properties)
    count = sum(len(properties[name]) for name in types)
    print(f"RelayCore owns {count} stored properties in {len(types)} types")
    holders = [(name, text) for name in sorted(types) for text in properties[name]
               if COLLECTION.search(text) and EVENT.search(text)]
    print(f"collections in which one event can be: {len(holders)}")
    for name, text in holders:
        print(f"    {name}: {text.strip()}")


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
    for place, target in TARGETS.items():
        if name.startswith(place):
            return name.replace(place, target)
    return name


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
    for target in ("RelayHTTP", "BeemedDomain", "RelayTrunk", "BeemedRelay"):
        names = sorted(name for name in uses if name.split("/")[0] == target)
        width = max(len(name) - len(target) - 1 for name in names)
        print(f"In `{target}`:\n")
        for name in names:
            others = ", ".join(sorted(other.split("/", 1)[1] for other in uses[name]))
            print(f"    {name.split('/', 1)[1]:<{width}} -> {others}")
        print()


def listed():
    """Which folder uses which, as ARCHITECTURE.md lists it."""
    uses = {}
    target = ""
    for line in (ROOT / "ARCHITECTURE.md").read_text().splitlines():
        if heading := re.fullmatch(r"In `(\w+)`:", line):
            target = heading[1]
        elif arrow := re.fullmatch(r" {4}([\w/]+) +-> (.+)", line):
            uses[f"{target}/{arrow[1]}"] = {f"{target}/{name}" for name in arrow[2].split(", ")}
    return uses


def unlisted():
    """What differs between the sources and the list of ARCHITECTURE.md, as sentences."""
    found, said = arrows(), listed()
    for name in sorted(found.keys() | said.keys()):
        for other in sorted(found.get(name, set()) - said.get(name, set())):
            yield f"{name} uses {other}, which ARCHITECTURE.md does not list"
        for other in sorted(said.get(name, set()) - found.get(name, set())):
            yield f"{name} does not use {other} any more"


def circles():
    """Folders that need each other, directly or not."""
    left = {name: set(used) for name, used in arrows().items()}
    while True:
        free = [name for name, used in left.items() if not used & left.keys()]
        if not free:
            return sorted(left)
        for name in free:
            del left[name]


def folder_lines():
    """The lines of each folder of the product, without the folders in it."""
    lines = collections.Counter()
    for path in swift_files():
        if not is_simulator(path):
            lines[folder(path)] += len(path.read_text().splitlines())
    return lines


def main():
    if "--folders" in sys.argv:
        print_folders()
        return 0
    if "--core" in sys.argv:
        print_core()
        return 0
    lines = folder_lines()
    files = sum(not is_simulator(path) for path in swift_files())
    print(f"lines of Sources without the simulator: {sum(lines.values())} in {files} files")
    over = [name for name, count in lines.items() if count > BUDGETS.get(name, 0)]
    for name, count in sorted(lines.items()):
        print(f"    {count:5} of {BUDGETS.get(name, 0):5} {name}{' OVER' if name in over else ''}")
    _, sizes = declarations()
    largest = ", ".join(f"{name} {count}" for name, count in sizes.most_common(8))
    print(f"lines of a type with its extensions: {largest}")
    long_functions = [
        (count, name, path) for path, name, count in functions() if count > MOST_FUNCTION_LINES]
    print(f"functions over {MOST_FUNCTION_LINES} lines: {len(long_functions)}")
    for count, name, path in sorted(long_functions, reverse=True):
        print(f"    {count} {name} in {path.relative_to(ROOT)}")
    needed = circles()
    print(f"circles between folders: {len(needed)} {' '.join(needed)}")
    differences = list(unlisted())
    for sentence in differences:
        print(sentence)
    is_wrong = over or long_functions or needed or differences
    return 1 if "--check" in sys.argv and is_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
