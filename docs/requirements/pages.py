"""Pages on the rules of the specification, with the tests that verify them; MkDocs calls this when it builds the site.

Each TOML file of this folder covers one page of the specification, in all revisions that have it. A long page may have
several files, whose names begin alike: ``basic-transports.toml``, ``basic-transports-http.toml``. Each row lists the
digests of the sentences that it represents, so that the tests notice a sentence without a row.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import field, frozen
from mcp_bindgen import catalog
from mcp_bindgen.errors import BindgenError

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

FOLDER = Path(__file__).resolve().parent
REVISIONS = catalog.revisions()
SOURCE = "https://modelcontextprotocol.io/specification"

LEVELS = ("MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "MAY")
"""Levels of rules; MAY marks a freedom of one side that the other side must accept."""
SIDES = ("client", "server", "both")
_KEYS = {"revisions", "section", "level", "who", "rule", "test", "reason", "sentences"}
_OPTIONAL = {"test", "reason", "sentences"}
_WIDE = "---\nhide:\n  - navigation\n  - toc\n---\n\n"
"""Head of a page that gives its table the whole width."""


@frozen
class Rule:
    """One rule of the specification for a side."""

    revisions: Sequence[str]
    """Revisions whose text has the rule."""
    section: str
    level: str
    who: str
    rule: str
    """Text of the rule in our words."""
    test: Sequence[str] = ()
    """Tests that verify the rule: ``tests/path.py::name``."""
    reason: str = ""
    """Reason for a rule without tests."""
    sentences: Sequence[str] = ()
    """Digests of the sentences that state the rule; ``tests/docs/specification.toml`` has those of each page."""


@frozen
class Page:
    """The rules of one page of the specification."""

    name: str
    """Path of the page, such as ``server/tools``."""
    rules: Sequence[Rule] = field(factory=tuple)

    @property
    def file(self) -> str:
        """File name of the page on this site."""
        # The page `index` is one among others here, whose own is the table of all.
        return "overview.md" if self.name == "index" else f"{self.name.replace('/', '-')}.md"


def read(folder: Path = FOLDER) -> list[Page]:
    """Return all pages by name; raise BindgenError for an invalid file, with file and row."""
    found: dict[str, list[Rule]] = {}
    for file in sorted(folder.glob("*.toml")):
        page = _page(file)
        found.setdefault(page.name, []).extend(page.rules)
    return [Page(name, rules) for name, rules in found.items()]


def _page(file: Path) -> Page:
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as fault:
        message = f"{file.name}: {fault}"
        raise BindgenError(message) from fault
    if data.keys() != {"page", "rule"}:
        message = f"{file.name}: must have page, and tables named rule, got {', '.join(sorted(data))}"
        raise BindgenError(message)
    if not file.stem.startswith(data["page"].replace("/", "-")):
        message = f"{file.name}: is about {data['page']}, so its name begins with {data['page'].replace('/', '-')}"
        raise BindgenError(message)
    return Page(data["page"], [_rule(f"{file.name}, rule {n}", row) for n, row in enumerate(data["rule"], 1)])


def _rule(where: str, row: Mapping[str, Any]) -> Rule:
    faults = [f"no key {key!r} is known" for key in row.keys() - _KEYS]
    faults += [f"there is no {key!r}" for key in _KEYS - _OPTIONAL - row.keys()]
    if not faults:
        faults += [f"no revision {each!r} is known" for each in row["revisions"] if each not in REVISIONS]
        faults += [] if row["revisions"] else ["revisions are missing"]
        faults += (
            [] if row["level"] in LEVELS else [f"the level must be one of {', '.join(LEVELS)}, got {row['level']!r}"]
        )
        faults += [] if row["who"] in SIDES else [f"who must be one of {', '.join(SIDES)}, got {row['who']!r}"]
        faults += [] if bool(row.get("test")) != bool(row.get("reason")) else ["give either a test or a reason"]
        faults += [] if row["rule"].endswith(".") else ["the rule is no sentence: it ends without a full stop"]
    if faults:
        message = f"{where}: {'; '.join(faults)}"
        raise BindgenError(message)
    test = row.get("test", ())
    return Rule(**{**row, "test": [test] if isinstance(test, str) else test})


def texts(pages: Sequence[Page]) -> dict[str, str]:
    """Return the text of each page of the site by the name of its file."""
    return {"index.md": _text(_index(pages)), **{page.file: _text(_rules(page)) for page in pages}}


def _index(pages: Sequence[Page]) -> Iterator[str]:
    yield "# Rules of the specification"
    yield ""
    yield "The rules for clients and servers on each page of the specification, in our words, with the tests that verify"
    yield "them. If a library cannot verify a rule, the table gives the reason. Numbers: rules with a test, and all rules."
    yield ""
    yield f"| page | {' | '.join(REVISIONS)} |"
    yield f"|---|{'--:|' * len(REVISIONS)}"
    for page in pages:
        counts = [_count([rule for rule in page.rules if revision in rule.revisions]) for revision in REVISIONS]
        yield f"| [{page.name}]({page.file}) | {' | '.join(counts)} |"


def _count(rules: Sequence[Rule]) -> str:
    return f"{sum(bool(rule.test) for rule in rules)} of {len(rules)}" if rules else ""


def _rules(page: Page) -> Iterator[str]:
    revisions = [revision for revision in REVISIONS if any(revision in rule.revisions for rule in page.rules)]
    yield f"# Rules of {page.name}"
    yield ""
    yield "This page is a part of the [rules of the specification](index.md)."
    yield ""
    yield f"The text: {', '.join(f'[{each}]({SOURCE}/{each}/{page.name})' for each in revisions)}."
    yield ""
    yield "| section | who | level | rule | revisions | verified by |"
    yield "|---|---|---|---|---|---|"
    for rule in page.rules:
        which = "all" if list(rule.revisions) == revisions else ", ".join(rule.revisions)
        shown = "<br>".join(f"`{each.removeprefix('tests/')}`" for each in rule.test) or _cell(rule.reason)
        yield f"| {_cell(rule.section)} | {rule.who} | {rule.level} | {_cell(rule.rule)} | {which} | {shown} |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def _text(lines: Iterator[str]) -> str:
    return "\n".join(lines) + "\n"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages to the site (a hook of MkDocs)."""
    from mkdocs.structure.files import File

    for name, text in texts(read()).items():
        files.append(File.generated(config, f"requirements/{name}", content=_WIDE + text))
    return files
