"""Plays Tasmota around its recipe, for RecipeTests:

    tasmota.py RECIPE URL TOKEN STATE set|unset STEP...

The clock is set or not. A step is "press" (the counter counts one) or a number of seconds that go by.
STATE is the flash, so that another process is the same device after a restart. Prints the status of
every request, 0 where nobody answered.

There is no Berry interpreter among Debian's packages. The recipe is translated to Python line by line,
which does for what the recipe uses of the language; anything else is a syntax error here.
"""
import json
import os
import random
import re
import sys
import time
import types
import urllib.error
import urllib.request

RECIPE, URL, TOKEN, STATE, CLOCK, *STEPS = sys.argv[1:]
statuses, printed = [], []


class List(list):
    """Berry's list, as far as it is another one."""
    push = list.append

    def remove(self, index):
        self.pop(index)

    def find(self, item):
        return self.index(item) if item in self else None

    def concat(self):
        return "".join(self)


def own(value):
    return List(value) if isinstance(value, list) else value


class Persist:
    """What is in memory; `save` puts it into flash."""

    def __init__(self):
        if os.path.exists(STATE):
            with open(STATE) as file:
                for name, value in json.load(file).items():
                    setattr(self, name, value)

    def __setattr__(self, name, value):
        self.__dict__[name] = own(value)

    def has(self, name):
        return name in self.__dict__

    def find(self, name, other):
        return self.__dict__.get(name, other)

    def dirty(self):
        pass

    def save(self):
        with open(STATE, "w") as file:
            json.dump(self.__dict__, file)


class Tasmota:
    def __init__(self):
        self.counter, self.drivers, self.crons = 0, [], []

    def millis(self):
        return 1234

    def rtc(self):
        now = int(time.time()) if CLOCK == "set" else 3
        return {"utc": now, "local": now}

    def wifi(self):
        return {"mac": "AA:BB:CC:22:11:03", "up": True}

    def cmd(self, command, mute=False):
        assert command == "Counter1"
        return {"Counter1": self.counter}

    def add_driver(self, driver):
        self.drivers.append(driver)

    def add_cron(self, pattern, action, name):
        self.crons.append(action)

    def second(self):
        for driver in self.drivers:
            driver.every_second()
        for action in self.crons if CLOCK == "set" else []:
            action()


class WebClient:
    def begin(self, url):
        self.request = urllib.request.Request(url, method="POST")

    def set_timeouts(self, total, connection):
        pass

    def add_header(self, name, value):
        self.request.add_header(name, value)

    def POST(self, body):
        self.request.data, self.text = body.encode(), ""
        try:
            with urllib.request.urlopen(self.request, timeout=10) as answer:
                status, self.text = answer.status, answer.read().decode()
        except urllib.error.HTTPError as refusal:
            status, self.text = refusal.code, refusal.read().decode()
        except OSError:
            status = -1
        statuses.append(max(status, 0))
        return status

    def get_size(self):
        return len(self.text)

    def get_string(self):
        return self.text

    def close(self):
        pass


def expression(text):
    """Berry's operators outside of strings."""
    parts = re.split(r"""("[^"]*"|'[^']*')""", text)
    for index in range(0, len(parts), 2):
        part = parts[index].replace("&&", " and ").replace("||", " or ").replace(" .. ", " + ")
        part = re.sub(r"!(?!=)", " not ", part)
        parts[index] = re.sub(r"\bnil\b", "None", re.sub(r"\btrue\b", "True", part))
    # A choice stands in brackets, or is an item of a list.
    choice = r"""([^\[\](),]+) \? ("[^"]*"|[^?:]+) : ([^\[\](),]+)"""
    return re.sub(choice, r" (\2 if \1 else \3)", "".join(parts))


# What may stand behind an `if` in one line: Berry has no word between condition and statement.
STATEMENT = r"return|print\(.+\)|[\w.]+\(\)|[\w.]+(?:\[\S+\])? = .+"


def translated(source):
    """The recipe in Python."""
    lines, depth = [], 0

    def add(text):
        lines.append("    " * depth + text)

    for line in source.split("\n"):
        line = re.sub(r"#(?:[^\"']|\"[^\"]*\"|'[^']*')*$", "", line).strip()
        short = re.fullmatch(rf"if (.+?) ({STATEMENT}) end", line)
        if not line or line.startswith("import ") or re.fullmatch(r"var \w+", line):
            continue
        if short:
            add(f"if {expression(short[1])}: {expression(short[2])}")
        elif line == "end":
            depth -= 1
        elif match := re.fullmatch(r"class (\w+)", line):
            add(f"class {match[1]}:")
            depth += 1
        elif match := re.fullmatch(r"static (\w+) = (.+)", line):
            add(f"{match[1]} = own({match[2]})")
        elif match := re.fullmatch(r"def (\w+)\((.*)\)", line):
            name = "__init__" if match[1] == "init" else match[1]
            add(f"def {name}({', '.join(['self', match[2]] if match[2] else ['self'])}):")
            depth += 1
        elif match := re.fullmatch(r"(if|while) (.+)", line):
            add(f"{match[1]} {expression(match[2])}:")
            depth += 1
        else:
            add(expression(line.removeprefix("var ")))
    assert depth == 0, "an end is missing, or one is too many"
    return "\n".join(lines)


def main():
    with open(RECIPE) as file:
        source = file.read().replace("http://RELAY:2336/log/GOAL", URL + "/log/water")
    source = source.replace('"TOKEN"', json.dumps(TOKEN))
    tasmota = Tasmota()
    modules = {
        "json": types.SimpleNamespace(dump=json.dumps),
        "math": types.SimpleNamespace(srand=random.seed, rand=lambda: random.getrandbits(31)),
        "string": types.SimpleNamespace(
            format=lambda pattern, *values: pattern % values, find=str.find,
            split=lambda text, at: List(text.split(at)))}
    exec(translated(source), {
        **modules, "persist": Persist(), "tasmota": tasmota, "webclient": WebClient, "own": own,
        "size": len, "print": printed.append})
    for step in STEPS:
        if step == "press":
            tasmota.counter += 1
        else:
            for _ in range(int(step)):
                tasmota.second()
    print(" ".join(map(str, statuses)))


if __name__ == "__main__":
    main()
