#!/usr/bin/env python3
"""Makes what the relay sends of its page, shorter and with the same meaning, from the files that people write.

    packaging/page.py           writes Sources/BeemedRelay/CEmbedded/sent
    packaging/page.py --check   exits 1 when those files are not what the page's say

Of a style, comments and blanks go; of a module, also long names that only the page's modules use. They are read
as far as the page uses JavaScript: each statement ends with a semicolon or a brace, a comment has a line of its
own, no text runs over two lines, and no module declares a name of the browser that it uses as such.
"""

import hashlib
import pathlib
import re
import string
import sys

EMBEDDED = pathlib.Path(__file__).resolve().parent.parent / "Sources/BeemedRelay/CEmbedded"
PAGE, SENT = EMBEDDED / "page", EMBEDDED / "sent"
NAME = re.compile(r"[A-Za-z_$][\w$]*$")
WORDS = set("""as async await break case catch class const continue default delete do else export extends false
    finally for from function get if import in instanceof let new null of return set static super switch this throw
    true try typeof undefined void while yield""".split())
EQUALS = {"const": "let", "true": "!0", "false": "!1", "undefined": "void 0"}
LETTERS = string.ascii_letters
SHORT = [*LETTERS, *(a + b for a in LETTERS for b in LETTERS if a + b not in WORDS)]
# Exports by which the browser cases reach into the page.
OPEN = {"api", "press", "qrCode", "store", "texts", "toast"}
BEFORE_EXPRESSION = {None, "(", ",", "=", ":", "[", "!", "&", "|", "?", ";", "return"}
EXPRESSION = re.compile(r"/(?:\[[^\]]*\]|\\.|[^/\\\[])*/")
TOKEN = re.compile(r"""\s+|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[\w$]+|\+\+|--|.""", re.ASCII)
TEMPLATE = re.compile(r"(?:\\.|\$(?!\{)|[^`\\$])*(?:`|\$\{)", re.S)


def tokens(module):
    """Its texts, words and signs. A template is one token up to each expression in it, and one behind."""
    found, braces, place = [], [], 0
    while place < len(module):
        start, first = place, module[place]
        isRest = first == "}" and braces and braces[-1] == 0
        if first == "`" or isRest:
            if isRest:
                braces.pop()
            place = TEMPLATE.match(module, place + 1).end()
            if module[place - 1] == "{":
                braces.append(0)
        elif first == "/" and (found[-1] if found else None) in BEFORE_EXPRESSION:
            place = EXPRESSION.match(module, place).end()
        else:
            if module.startswith("//", place):
                sys.exit(f"a comment behind a statement: {module[place:].splitlines()[0]}")
            place = TOKEN.match(module, place).end()
            if braces and first in "{}":
                braces[-1] += 1 if first == "{" else -1
        if not first.isspace():
            found.append(module[start:place])
    return found


class Module:
    """The tokens of a module, each with the bracket that it stands in."""

    def __init__(self, text):
        lines = re.sub(r"(?ms)^\s*/\*\*.*?\*/$", "", text).splitlines()
        self.tokens = tokens("\n".join(line for line in lines if not line.lstrip().startswith("//")))
        self.brackets, opened = [], []
        for token in self.tokens:
            if token in (")", "]") or token.startswith("}"):
                opened.pop()
            self.brackets.append(opened[-1] if opened else "")
            if token in ("(", "[", "{") or token.endswith("${"):
                opened.append(token)

    def __getitem__(self, place):
        return self.tokens[place] if 0 <= place < len(self.tokens) else ""

    def names(self):
        """The places of names."""
        return [place for place, token in enumerate(self.tokens) if NAME.match(token) and token not in WORDS]

    def end(self, place):
        """The place of the bracket that closes the one there."""
        depth = 0
        for other in range(place, len(self.tokens)):
            depth += (self[other] == "(") - (self[other] == ")")
            if not depth:
                return other
        return len(self.tokens)

    def is_arrow(self, place):
        return self[place] == "=" and self[place + 1] == ">"

    def is_import(self, place):
        """Whether a name stands in the list of an import."""
        if self.brackets[place] != "{":
            return False
        start = max(other for other in range(place) if self[other] == "{")
        return self[start - 1] == "import"

    def is_export(self, place):
        return "export" in (self[place - 2], self[place - 3])

    def is_declared(self, place):
        """Whether a name is declared there: as a constant, a variable, a function or a parameter."""
        if self[place - 1] in ("const", "let", "function"):
            return True
        if self.brackets[place] != "(" or self[place - 1] not in ("(", ","):
            return False
        start = place
        while start > 0 and not (self[start] == "(" and self.end(start) > place):
            start -= 1
        return (self.is_arrow(self.end(start) + 1) or self[start - 2] == "function"
                or self[start - 1] == "catch")

    def is_member(self, place):
        """Whether a name is that of a member or a method."""
        before, after = self[place - 1], self[place + 1]
        if self.is_import(place):
            return False
        if before == "." and self[place - 2] != ".":
            return True
        if before in ("class", "async", "get") and after != "=":
            return True
        if self.brackets[place] != "{":
            return False
        if before in ("{", ",") and after in (",", "}", ":", "="):
            return True
        return after == "(" and before != "function" and self[self.end(place + 1) + 1] == "{"

    def short(self, shared, own):
        """The module with other names: those that all modules share, and its own."""
        written, joints = "", self.joints()
        for place, token in enumerate(self.tokens):
            if self.is_superfluous(place) or place - 1 in joints:
                continue
            word = shared.get(token) or own.get(token) or EQUALS.get(token, token)
            if token in own and self.is_import(place):
                word = f"{token} as {word}"
            if place in joints:
                word = ","
            if written and re.match(r"[\w$]{2}", written[-1] + word[0], re.ASCII):
                written += " "
            written += word
        return written

    def joints(self):
        """The places of semicolons between two declarations, which become one."""
        found, declares = set(), [False]
        for place, token in enumerate(self.tokens):
            if token in (")", "]") or token.startswith("}"):
                declares.pop()
            if token in ("(", "[", "{") or token.endswith("${"):
                declares.append(False)
            if token in ("const", "let"):
                declares[-1] = self[place - 1] != "export"
            elif token == ";" and declares[-1]:
                declares[-1] = self[place + 1] in ("const", "let")
                if declares[-1]:
                    found.add(place)
        return found

    def is_superfluous(self, place):
        """A semicolon or a comma before a brace, and parentheses around one parameter."""
        if self[place] in (";", ","):
            return self[place + 1] == "}"
        start = {"(": place, ")": place - 2}.get(self[place], -1)
        return (self[start] == "(" and bool(NAME.match(self[start + 1])) and self[start + 2] == ")"
                and self.is_arrow(start + 3))


def short_modules(texts):
    """The modules by their file names. A name that one of them exports is the same in all of them."""
    modules = {name: Module(text) for name, text in texts.items()}
    uses = [(module, place, module[place]) for module in modules.values() for place in module.names()]
    members = {name for module, place, name in uses if module.is_member(place)}
    exported = {name for module, place, name in uses if module.is_export(place) or module.is_import(place)}
    used = {name for _, _, name in uses}
    # Most of the names of one letter are for what a module declares for itself.
    free = [name for name in SHORT if name not in used][20:]
    shared = shorter((name for _, _, name in uses if name in exported - members - OPEN), free)
    return {name: module.short(shared, own_names(module, shared)) for name, module in modules.items()}


def own_names(module, shared):
    """Short names for those that a module declares for itself, or imports by another name."""
    names = {place: module[place] for place in module.names()}
    taken = {name for place, name in names.items() if module.is_member(place) or module.is_export(place)} | set(shared)
    imported = {name for place, name in names.items() if module.is_import(place)} - taken
    declared = {name for place, name in names.items() if module.is_declared(place)} - taken | imported
    free = [name for name in SHORT if name not in names.values() and name not in shared.values()]
    return shorter((name for name in names.values() if name in declared), free,
                   {name: -len(name) - 4 for name in imported})


def shorter(uses, free, costs=()):
    """A free name for each of these, the ones first with which most is gained."""
    gains = dict(costs)
    for name in uses:
        gains[name] = gains.get(name, 0) + len(name) - 1
    names = sorted((name for name, gain in gains.items() if gain > 0), key=lambda name: (-gains[name], name))
    return {name: short for name, short in zip(names, free) if len(short) < len(name)}


def short_style(text):
    """A style without comments, line ends, and blanks beside its punctuation."""
    text = "".join(line.strip() + "\n" for line in text.splitlines() if not line.strip().startswith("/*"))
    return re.sub(r" ?([{}]) ?|([;:,]) ", r"\1\2", text).replace("\n", "").replace(";}", "}")


def sent():
    """The files that are sent in place of the page's, by name. The service worker has a digest of all of them, so that
    a browser that has kept them asks for them anew."""
    files = {path.name: path.read_text() for path in sorted(PAGE.iterdir()) if path.suffix in (".js", ".css")}
    made = short_modules({name: text for name, text in files.items() if name.endswith(".js")})
    made |= {name: short_style(text) for name, text in files.items() if name.endswith(".css")}
    others = b"".join(path.read_bytes() for path in sorted(PAGE.iterdir()) if path.name not in made)
    digest = hashlib.sha256("".join(made[name] for name in sorted(made)).encode() + others).hexdigest()[:16]
    made["worker.js"] = made["worker.js"].replace("VERSION", digest)
    return made


def main():
    made = sent()
    there = {path.name: path.read_text() for path in SENT.iterdir()} if SENT.exists() else {}
    if sys.argv[1:] == ["--check"]:
        stale = sorted(name for name in made.keys() | there.keys() if made.get(name) != there.get(name))
        sys.exit(f"run packaging/page.py: {', '.join(stale)}" if stale else 0)
    SENT.mkdir(exist_ok=True)
    for name in there.keys() - made.keys():
        (SENT / name).unlink()
    for name, text in made.items():
        (SENT / name).write_text(text)
    weight = sum(map(len, map(str.encode, made.values()))) + sum(
        path.stat().st_size for path in PAGE.iterdir() if path.name not in made)
    print(f"{weight} bytes")


if __name__ == "__main__":
    main()
