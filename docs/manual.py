#!/usr/bin/env python3
"""Makes the manual that the relay serves at /docs from the pages of this folder.

    docs/manual.py           writes Sources/BeemedRelay/CEmbedded/manual/manual.html
    docs/manual.py --check   exits 1 when that file is not what the pages say, a link of the pages or of
                             README.md leads nowhere, or README.md or CHANGELOG.md is too long

So each table is written once, here, and the program needs no reader of Markdown: the manual is part
of it as HTML. The pages use this much of Markdown: headings, paragraphs, lists with two levels of
contents, fenced code, tables, `code`, **bold** and links. `<a id="x"></a>` before a heading gives its
name. Comments of a line of their own are places: `tabs` makes tabs of the headings below it, `fill` is
the form for goal and token, `table of FILE` a table that another file has, `routes` the contract's.
In code RELAY:2336, GOAL and TOKEN become the reader's own.
"""

import html
import pathlib
import re
import sys

DOCS = pathlib.Path(__file__).resolve().parent
ROOT = DOCS.parent
TARGET = ROOT / "Sources/BeemedRelay/CEmbedded/manual/manual.html"
EMBEDDED = (ROOT / "Sources/BeemedRelay/CEmbedded/embedded.c").read_text()
PAGES = ["devices", "health-data", "reminders", "home-assistant", "operate", "more-than-one", "install",
         "reference"]
MOST_WORDS = {"README.md": 1_500, "CHANGELOG.md": 1_000}
FORM = """<form id="fill" action="[[root]]docs" method="get">
<p><label>Goal <input name="goal" value="[[goal-value]]" pattern="[A-Za-z0-9_\\-]{1,64}"
maxlength="64" autocapitalize="none" autocomplete="off" spellcheck="false"></label>
<button>Fill it in</button></p>
</form>"""
ROUTES = """<table>
<tr><th scope="col">All requests<th scope="col"></tr>
{}
</table>"""
READERS_VALUES = [(r"http://RELAY:2336", "[[scheme]]://[[relay]]"), (r"\bRELAY:2336\b", "[[relay]]"),
                  (r"(?<![-\w$])GOAL\b", "[[goal]]"), (r"(?<![-\w$])TOKEN\b", "[[token]]")]


def slug(title):
    """The name that forges give a heading."""
    return re.sub(r"[^\w -]", "", re.sub(r"[`*]", "", title).lower()).replace(" ", "-")


class Page:
    """One page of the folder as a section of the manual."""

    def __init__(self, name):
        self.path = DOCS / f"{name}.md"
        self.lines = self.path.read_text().splitlines()
        self.at = 0
        self.anchor = None
        self.title = ""
        self.identity = name
        self.contents = []
        self.open = []
        self.tabs = None
        self.parts = []
        while self.at < len(self.lines):
            self.block()
        self.close(0)

    def block(self):
        """Reads one block at the present line."""
        line = self.lines[self.at]
        place = re.fullmatch(r"<!-- (.*) -->", line)
        anchor = re.fullmatch(r'<a id="(.+)"></a>', line)
        heading = re.match(r"(#+) (.*)", line)
        if not line.strip():
            self.at += 1
        elif place:
            self.at += 1
            self.place(place[1])
        elif anchor:
            self.at += 1
            self.anchor = anchor[1]
        elif heading:
            self.at += 1
            self.heading(len(heading[1]), heading[2])
        else:
            end = self.end()
            self.parts.append(blocks(self.lines[self.at:end], self))
            self.at = end

    def end(self):
        """The line at which the next heading or place begins."""
        fenced = False
        for at in range(self.at, len(self.lines)):
            line = self.lines[at]
            fenced ^= line.lstrip().startswith("```")
            if not fenced and at > self.at and re.match(r"#+ |<!-- |<a id=", line):
                return at
        return len(self.lines)

    def heading(self, level, title):
        """Begins the page, one of its sections, or a heading or tab in a section."""
        name = self.anchor or (self.identity if level == 1 else slug(title))
        self.anchor = None
        if level > 2 and self.tabs is not None:
            self.close(3)
            name = re.sub(r"\W", "", title.lower())
            self.tabs.append((name, title))
            self.parts.append(f'<section id="{name}" class="panel" aria-labelledby="tab-{name}">')
            self.open.append(3)
            return
        if level > 2:
            self.parts.append(f'<h{level + 1} id="{name}">{inline(title, self)}</h{level + 1}>')
            return
        self.close(level)
        self.parts.append(f'<section id="{name}" aria-labelledby="{name}-title">\n'
                          f'<h{level + 1} id="{name}-title">{inline(title, self)}</h{level + 1}>')
        self.open.append(level)
        if level == 1:
            self.title, self.identity = title, name
            self.parts.append("CONTENTS")
        else:
            self.contents.append((name, title))

    def close(self, level):
        """Ends the sections of this level and below."""
        while self.open and self.open[-1] >= level:
            if self.open.pop() < 3 and self.tabs is not None:
                self.parts.append("</div>")
                boxes = [f'<input type="radio" name="device" id="tab-{name}"{" checked" * (not index)}>'
                         f'<label for="tab-{name}">{title}</label>'
                         for index, (name, title) in enumerate(self.tabs)]
                self.parts[self.parts.index("TABS")] = '<div class="tabs">\n' + "\n".join(boxes)
                self.tabs = None
            self.parts.append("</section>")

    def place(self, what):
        """Inserts what a comment stands for."""
        if what == "tabs":
            self.tabs = []
            self.parts.append("TABS")
        elif what == "fill":
            self.parts.append(FORM)
        elif what == "routes":
            self.parts.append(ROUTES.format("\n".join(routes())))
        else:
            other = Source((DOCS / what.removeprefix("table of ")).resolve())
            text = other.path.read_text()
            self.parts.append(blocks(re.search(r"^\|(?:.*\n\|)*.*$", text, re.M)[0].splitlines(), other))

    def text(self):
        """The whole section."""
        links = " ".join(f'<a href="#{name}">{html.escape(re.sub("[`*]", "", title))}</a>'
                         for name, title in self.contents)
        nav = (f'<nav class="sections" aria-label="{html.escape(self.title)}">{links}</nav>'
               if len(self.contents) > 2 else "")
        return "\n".join(part for part in self.parts if part).replace("CONTENTS\n", nav + "\n", 1)


class Source:
    """A file of which a part is shown: its links start from its folder."""

    def __init__(self, path):
        self.path = path


def blocks(lines, page):
    """Paragraphs, lists, tables and code."""
    out = []
    at = 0
    while at < len(lines):
        line = lines[at]
        start = at
        item = re.match(r"(?:[-*]|\d+\.) +", line)
        if not line.strip():
            at += 1
        elif line.startswith("```"):
            at = lines.index("```", at + 1) + 1
            out.append(code(lines[start + 1:at - 1]))
        elif line.startswith("    "):
            while at < len(lines) and (lines[at].startswith("    ") or not lines[at].strip()):
                at += 1
            out.append(code([one[4:] for one in "\n".join(lines[start:at]).rstrip().split("\n")]))
        elif line.startswith("|"):
            while at < len(lines) and lines[at].startswith("|"):
                at += 1
            out.append(table(lines[start:at], page))
        elif item:
            at, text = list_of(lines, at, page)
            out.append(text)
        else:
            while at < len(lines) and lines[at].strip() and not re.match(r"```|\||[-*] |\d+\. ", lines[at]):
                at += 1
            at = max(at, start + 1)
            out.append(f"<p>{inline(chr(10).join(lines[start:at]), page)}</p>")
    return "\n".join(out)


def list_of(lines, at, page):
    """A list whose items go on as far as they are indented."""
    tag = "ul" if lines[at][0] in "-*" else "ol"
    items = []
    while at < len(lines):
        mark = re.match(r"(?:[-*]|\d+\.) +", lines[at])
        if not mark:
            break
        item = [lines[at][mark.end():]]
        at += 1
        while at < len(lines) and (lines[at].startswith("  ") or not lines[at].strip()):
            item.append(lines[at][min(mark.end(), len(lines[at]) - len(lines[at].lstrip())):])
            at += 1
        while item and not item[-1].strip():
            item.pop()
        text = blocks(item, page)
        single = text.count("<p>") == 1 and text.startswith("<p>") and text.endswith("</p>")
        items.append(f"<li>{text[3:-4] if single else text}")
    return at, f"<{tag}>\n" + "\n".join(items) + f"\n</{tag}>"


def table(lines, page):
    """A table; the rows of one whose first column is the code have names."""
    rows = [[inline(cell.strip().replace("\\|", "|"), page)
             for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]] for line in lines]
    head = "".join(f'<th scope="col">{cell}' for cell in rows[0])
    out = [f"<tr>{head}</tr>"]
    for row in rows[2:]:
        named = f' id="{re.sub("<[^>]*>", "", row[0])}"' if rows[0][0] == "Code" else ""
        out.append(f"<tr{named}>" + "".join(f"<td>{cell}" for cell in row) + "</tr>")
    return "<table>\n" + "\n".join(out) + "\n</table>"


def filled(text):
    """Code with the places for the reader's own values."""
    for pattern, place in READERS_VALUES:
        text = re.sub(pattern, place, text)
    return text


def code(lines):
    return f"<pre><code>{filled(html.escape(chr(10).join(lines), quote=False))}</code></pre>"


def inline(text, page):
    """Code, links and bold text of a paragraph."""
    kept = []

    def keep(piece):
        kept.append(piece)
        return f"\0{len(kept) - 1}\0"

    text = re.sub(r"`([^`]+)`",
                  lambda m: keep(f"<code>{filled(html.escape(m[1], quote=False))}</code>"), text)
    text = re.sub(r"<(https?://[^>]+)>", lambda m: keep(f"<code>{html.escape(m[1])}</code>"), text)
    text = html.escape(text, quote=False)
    text = re.sub(r"\[([^\]]+)\]\(([^)]+)\)", lambda m: linked(m[1], m[2], page), text)
    text = re.sub(r"\*\*([^*]+)\*\*", r"<b>\1</b>", text)
    return re.sub("\0(\\d+)\0", lambda m: kept[int(m[1])], text)


def routes():
    """A row of each route of the contract, but OPTIONS, which every path has, and HEAD, which GET includes.
    `ContractTests` hold the contract's indentation to the routes."""
    path = method = ""
    for line in (ROOT / "openapi.yaml").read_text().splitlines():
        if line == "components:":
            break
        if found := re.fullmatch(r"  (/.*):", line):
            path = found[1]
        elif found := re.match(r"    (\w+):", line):
            method = found[1].upper()
        elif line.startswith("      summary: ") and method not in ("OPTIONS", "HEAD"):
            place, summary = (html.escape(text).replace("&#x27;", "&#39;")
                              for text in (path, line.removeprefix("      summary: ")))
            yield f"<tr><td><code>{method} {place}</code><td>{summary}</tr>"


def linked(text, target, page):
    """A link within the manual, to a recipe or the contract; of others the text, as the manual is
    read without internet."""
    if target.startswith("http"):
        return f"{text} ({html.escape(target)})"
    name, _, anchor = target.partition("#")
    path = (page.path.parent / name).resolve() if name else page.path
    inside = path.relative_to(ROOT).as_posix()
    if inside == "recipes/README.md":
        return f'<a href="#recipes">{text}</a>'
    if inside == "openapi.yaml":
        return f'<a href="[[root]]openapi.yaml">{text}</a>'
    if f'ENTRY("{inside}"' in EMBEDDED:
        return f'<a href="[[root]]docs/{inside}">{text}</a>'
    if path.parent == DOCS and path.stem in PAGES:
        return f'<a href="#{anchor or first_anchor(path)}">{text}</a>'
    return text


def first_anchor(path):
    """The name of a page's own section."""
    found = re.match(r'<a id="(.+)"></a>', path.read_text())
    return found[1] if found else path.stem


def manual():
    """The whole manual."""
    pages = [Page(name) for name in PAGES]
    links = " ".join(f'<a href="#{page.identity}">{html.escape(page.title)}</a>' for page in pages)
    text = (DOCS / "manual.html").read_text()
    text = text.replace("<!-- contents -->", '<nav class="sections" aria-label="Sections">\n'
                        f'{links} <a href="[[root]]openapi.yaml">openapi.yaml</a>\n</nav>')
    return text.replace("<!-- pages -->", "\n\n".join(page.text() for page in pages))


def anchors(path):
    """The names in a file to which a link can lead."""
    text = path.read_text()
    plain = re.sub(r"```.*?```", "", text, flags=re.S)
    return (set(re.findall(r'<a id="(.+?)">', plain))
            | {slug(title) for title in re.findall(r"^#+ (.*)$", plain, re.M)})


def dead_links():
    """Links to files or headings that are not there."""
    found = []
    for path in [*sorted(DOCS.glob("*.md")), ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "recipes/README.md",
                 ROOT / "packaging/README.md", ROOT / "CONTRIBUTING.md"]:
        plain = re.sub(r"```.*?```|`[^`]*`", "", path.read_text(), flags=re.S)
        for target in re.findall(r"\]\(([^)]+)\)", plain):
            name, _, anchor = target.partition("#")
            other = (path.parent / name).resolve() if name else path
            if not target.startswith("http") and (
                    not other.exists() or (anchor and other.suffix == ".md" and anchor not in anchors(other))):
                found.append(f"{path.relative_to(ROOT)}: {target} leads nowhere")
    return found


def too_long():
    """Pages for the first minutes that have more words than are read then."""
    return [f"{name} has {count} words, and {most} are the most" for name, most in MOST_WORDS.items()
            if (count := len((ROOT / name).read_text().split())) > most]


def main():
    text = manual()
    if "--check" not in sys.argv:
        TARGET.write_text(text)
        return 0
    found = dead_links() + too_long()
    if TARGET.read_text() != text:
        found.append("the manual is not what docs/ says: run docs/manual.py")
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
