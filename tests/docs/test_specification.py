"""Each sentence of the specification that binds somebody has a row in a table, or a reason to have none.

``specification.toml`` records the pages of the specification, and the sentences that bind, by digests of their words. The
pages are fetched by ``nox -s upstream``; after a change there, ``python tests/docs/test_specification.py`` records them anew.
"""

from __future__ import annotations

import hashlib
import json
import runpy
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from mcp_bindgen import catalog

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from checkout import MISSING, UPSTREAM  # noqa: E402
from support.specification_sentences import Sentence, sentences  # noqa: E402  # this is a program, too

RECORD = Path(__file__).with_name("specification.toml")
RECORDED = tomllib.loads(RECORD.read_text(encoding="utf-8"))
PAGES: Sequence[Mapping[str, Any]] = RECORDED["page"]
TABLES = {page.name: page for page in runpy.run_path(str(ROOT / "docs" / "requirements" / "pages.py"))["read"]()}
WITHOUT: Mapping[str, str] = RECORDED["without_table"]
LEFT_OUT = {(each["page"], each["sentence"]) for each in RECORDED["left_out"]}


def told(page: Mapping[str, Any]) -> str:
    return f"{page['name']}, {page['revision']}"


each_page = pytest.mark.parametrize("page", PAGES, ids=told)


def test_each_revision_has_its_pages():
    recorded = {page["revision"] for page in PAGES}
    later = set(RECORDED["without_pages"])
    assert recorded | later == set(catalog.revisions()), "record the pages of a revision, or say why they come later"
    assert not recorded & later


@each_page
def test_each_sentence_that_binds_has_a_row(page):
    if page["name"] in WITHOUT:
        assert page["name"] not in TABLES
        return
    rows = TABLES[page["name"]].rules if page["name"] in TABLES else ()
    covered = {each for rule in rows if page["revision"] in rule.revisions for each in rule.sentences}
    left = [each for each in page["sentences"] if each not in covered and (page["name"], each) not in LEFT_OUT]
    if left:
        pytest.fail("sentences without a row:\n" + "\n".join(shown(page, left, UPSTREAM)), pytrace=False)


def test_rows_are_about_pages_and_sentences_that_there_are():
    known = {(page["name"], page["revision"]): set(page["sentences"]) for page in PAGES}
    wrong = []
    for table in TABLES.values():
        for rule in table.rules:
            there = [known.get((table.name, revision)) for revision in rule.revisions]
            said = set().union(*(each for each in there if each is not None))
            if None in there or not said.issuperset(rule.sentences):
                wrong.append(f"{table.name}: {rule.rule}")
    assert wrong == []


def test_what_is_left_out_is_there():
    known = {(page["name"], each) for page in PAGES for each in page["sentences"]}
    assert known >= LEFT_OUT
    assert {page["name"] for page in PAGES} >= set(WITHOUT)


@each_page
def test_the_record_is_that_of_the_official_page(upstream, page):
    file = official(upstream, page)
    if not file.is_file():
        pytest.skip(MISSING)
    data = file.read_bytes()
    assert hashlib.sha256(data).hexdigest() == page["sha256"]
    assert [each.digest for each in sentences(data.decode("utf-8"))] == page["sentences"]


def official(folder: Path, page: Mapping[str, Any]) -> Path:
    """Where ``nox -s upstream`` puts a page."""
    return folder / page["revision"] / "pages" / f"{page['name']}.mdx"


def shown(page: Mapping[str, Any], digests: Sequence[str], folder: Path) -> list[str]:
    """Return digests as messages show them: with the page, and with the section and the text if the page is there."""
    file = official(folder, page)
    texts: dict[str, str] = {}
    if digests and file.is_file():
        for each in sentences(file.read_text(encoding="utf-8")):
            texts.setdefault(each.digest, f": {each.section}: {each.text}")
    return [f"{told(page)}: {each}{texts.get(each, '')}" for each in digests]


def test_a_sentence_without_a_row_is_shown_with_its_page_and_its_text(tmp_path):
    page = {"name": "basic/index", "revision": "2099-01-01"}
    digest = Sentence("", "Clients MUST see.").digest
    assert shown(page, [digest], tmp_path) == [f"basic/index, 2099-01-01: {digest}"]
    file = official(tmp_path, page)
    file.parent.mkdir(parents=True)
    file.write_text("## Sight\nClients **MUST** see.\n", encoding="utf-8")
    assert shown(page, [digest, "00000000"], tmp_path) == [
        f"basic/index, 2099-01-01: {digest}: Sight: Clients MUST see.",
        "basic/index, 2099-01-01: 00000000",
    ]


# How sentences are found.

MARKDOWN = """---
title: A page that MUST not be read here
---
## First
One side **MUST** do this. It may do that.
Servers SHOULD [see](https://a.example/MUST):

- the first `thing`
- the second
  over two lines
- what **MUST NOT** be

Clients **MUST** send:

```json
"MUST"
```

## Second
1. Servers **SHOULD**:
   - count
   - stop

| a | SHOULD NOT |
"""


def test_sentences_are_found_with_what_introduces_them():
    assert sentences(MARKDOWN) == [
        Sentence("First", "One side MUST do this."),
        Sentence("First", "Servers SHOULD see: the first thing"),
        Sentence("First", "Servers SHOULD see: the second over two lines"),
        Sentence("First", "what MUST NOT be"),
        Sentence("First", "Clients MUST send:"),
        Sentence("Second", "Servers SHOULD: count"),
        Sentence("Second", "Servers SHOULD: stop"),
        Sentence("Second", "| a | SHOULD NOT |"),
    ]


def test_a_digest_stands_for_the_words():
    assert Sentence("a", "Clients MUST see.").digest == Sentence("b", "clients must  *see*").digest
    assert Sentence("a", "Clients MUST see.").digest != Sentence("a", "Clients MUST hear.").digest


# Recording.


def recorded(folder: Path) -> Iterator[str]:
    """The pages of a folder as the end of the record, in the order of their names and revisions."""
    for file in sorted(folder.glob("*/pages/**/*.mdx"), key=lambda each: (each.parts[len(folder.parts) + 2 :], each)):
        revision, _, *name = file.relative_to(folder).with_suffix("").parts
        data = file.read_bytes()
        found = [f'"{each.digest}"' for each in sentences(data.decode("utf-8"))]
        origin = next((each["origin"] for each in PAGES if each["name"] == "/".join(name) and "origin" in each), None)
        yield "\n[[page]]"
        yield f'name = "{"/".join(name)}"'
        yield f'revision = "{revision}"'
        if origin is not None:
            yield f"origin = {{ {', '.join(f'{key} = {json.dumps(value)}' for key, value in origin.items())} }}"
        yield f'sha256 = "{hashlib.sha256(data).hexdigest()}"'
        yield "sentences = ["
        yield from (f"  {', '.join(found[start : start + 9])}," for start in range(0, len(found), 9))
        yield "]"


if __name__ == "__main__":
    kept = RECORD.read_text(encoding="utf-8").partition("\n[[page]]")[0].rstrip("\n")
    RECORD.write_text("\n".join([kept, *recorded(ROOT / ".upstream")]) + "\n", encoding="utf-8")
