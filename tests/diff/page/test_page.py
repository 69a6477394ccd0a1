from __future__ import annotations

import html
import json
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest
from attrs import evolve
from checkout import ROOT
from diff.comparing import compare, framed, resolve
from diff.page.cases import HOSTILE, PAIRS, bundled, loaded, many
from diff.page.reading import Page
from mcp_bindgen.diff import Difference, page
from mcp_bindgen.diff.assessment import Assessment, Perspective
from mcp_bindgen.diff.changes import Witness

OLD, NEW = loaded("2025-11-25"), loaded("2026-07-28")

each_pair = pytest.mark.parametrize(("old", "new"), PAIRS)
each_text = pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))


def shown(text: str) -> str:
    """A text as the page spells it."""
    unseen = "\x00\x07\u2028\u2029\u202e\u200b\ud800"
    return "".join(f"\\u{ord(char):04x}" if char in unseen else char for char in text)


@each_pair
def test_every_change_has_its_place_and_a_link_to_it(old: str, new: str) -> None:
    difference, text = bundled(old, new)
    found = Page(text)
    ids = [change.id for change in difference.changes]
    assert {identity for identity, tag in found.ids.items() if tag == "details"} == set(ids)
    assert {f"#{each}" for each in ids} <= {unquote(link) for link in found.links}
    assert sorted(each["id"] for each in found.index["changes"]) == sorted(ids)


@each_pair
def test_the_index_is_in_the_order_of_the_page_and_says_what_the_changes_say(old: str, new: str) -> None:
    difference, text = bundled(old, new)
    found = Page(text)
    by_id = {change.id: change for change in difference.changes}
    assert [each["id"] for each in found.index["changes"]] == [each for each in found.ids if each in by_id]
    for each in found.index["changes"]:
        change = by_id[each["id"]]
        assert (each["kind"], each["level"], each["api"]) == (change.kind, change.level, change.verdicts.api)
        assert each["old_client_new_server"] == change.verdicts.old_client_new_server
        assert each["new_client_old_server"] == change.verdicts.new_client_old_server
        assert tuple(found.index["methods"][place] for place in each["methods"]) == change.methods


@each_pair
def test_reasons_and_both_types_are_there_without_a_script(old: str, new: str) -> None:
    difference, text = bundled(old, new)
    words = re.sub(r"[\s`]+", "", "".join(Page(text).words))
    for change in difference.changes:
        assert re.sub(r"[\s`]+", "", change.reason) in words
        assert re.sub(r"[\s`]+", "", change.hint or "") in words
        for part in re.split(r"[{};|\s`]+", f"{change.old or ''} {change.new or ''}"):
            assert part in words


@each_pair
def test_a_folded_change_says_what_it_means_for_messages_and_for_code(old: str, new: str) -> None:
    difference, text = bundled(old, new)
    folded = dict(re.findall(r'<details class="change[^>]* id="([^"]*)".*?<summary>(.*?)</summary>', text, re.DOTALL))
    told = {html.unescape(name): re.findall('class="v ([a-z]+)"', inside) for name, inside in folded.items()}
    assert told == {each.id: [each.level, each.verdicts.api] for each in difference.changes}


@each_pair
def test_a_page_asks_nobody_for_anything(old: str, new: str) -> None:
    found = Page(bundled(old, new)[1])
    assert {each[:1] for each in found.references()} == {"#"}
    assert not {tag for tag, _ in found.elements} & {"link", "img", "iframe", "object", "embed", "base", "use"}


def test_only_its_own_script_and_style_may_run() -> None:
    found = Page(bundled("2025-11-25", "2026-07-28")[1])
    assert found.policy == {
        "default-src": ["'none'"],
        "script-src": found.hashes("script"),
        "style-src": found.hashes("style"),
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
    }
    assert len(found.hashes("script")) == len(found.hashes("style")) == 1
    # Neither of which the policy would let through.
    assert not [name for _, each in found.elements for name in each if name == "style" or name.startswith("on")]


TEMPLATES = sorted((ROOT / "templates" / "diff_page").glob("*.j2"))


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_a_template_escapes_all_texts_and_asks_named_booleans(template: Path) -> None:
    text = template.read_text(encoding="utf-8")
    tags = set(re.findall(r"{%[-+]?\s*(\w+)", text))
    assert tags <= {"for", "endfor", "if", "else", "endif", "macro", "endmacro", "from", "include"}
    conditions = re.findall(r"{% if (.*?) %}", text)
    assert [each for each in conditions if not re.fullmatch(r"not loop\.first|(\w+\.)?(is|has)_\w+", each)] == []
    assert re.findall(r"{[{%][^}]*\|[^}]*}}", text) == ["{{ index|tojson }}"] * text.count("|tojson")


@each_text
def test_no_text_of_a_schema_becomes_markup(text: str) -> None:
    harmless, hostile = Page(page.render(many(8), OLD, NEW)), page.render(many(8, text), OLD, NEW)
    found = Page(hostile)
    # Everything that comes with a text more is known, and has no place to run anything in.
    assert {tag for tag, _ in found.elements} <= {tag for tag, _ in harmless.elements}
    assert {name for _, each in found.elements for name in each} <= {
        name for _, each in harmless.elements for name in each
    }
    assert found.hashes("script") == harmless.hashes("script")
    assert found.hashes("style") == harmless.hashes("style")
    assert {each[:1] for each in found.references()} == {"#"}
    assert shown(f"field_type_changed:Type0.field0{text}") in {each["id"] for each in found.index["changes"]}
    assert shown(f"An old client may send a number, which a new server refuses, in place 0.{text}") in found.words
    assert shown(f"field_type_changed:Type0.field0{text}") in found.ids
    hostile.encode()


def witnessed(difference: Difference, found: Witness) -> Difference:
    """The same difference, in which the second change has a witness."""
    first, second, *rest = difference.changes
    return evolve(difference, changes=(first, evolve(second, witness=found), *rest))


@each_text
def test_no_text_of_a_witness_becomes_markup(text: str) -> None:
    message = {"jsonrpc": "2.0", "method": text, "params": {text: [text]}}
    found = Witness("new_client_old_server", "server", message, "refused", answers=text, place=("params", text, 0))
    rendered = page.render(witnessed(many(2), found), OLD, NEW)
    read = Page(rendered)
    assert [each for _, each in read.elements].count({"class": "witness"}) == 1
    assert "New client, old server: the server sends this, and the client refuses it" in "".join(read.words)
    tags = {tag for tag, _ in Page(page.render(many(2), OLD, NEW)).elements}
    assert {tag for tag, _ in read.elements} <= {*tags, "mark"}
    rendered.encode()


@pytest.mark.parametrize(
    ("place", "marked"),
    [
        ((), []),
        (("params", "list", 1), ["2"]),
        (("params", "list"), ['"list": [']),
        (("params", "nothing", "there"), ['"params": {']),
        (("method",), ['"method": "a/b",']),
        (("nothing",), []),
    ],
)
def test_a_witness_shows_where(place: tuple[str | int, ...], marked: list[str]) -> None:
    message = {"method": "a/b", "params": {"list": [1, 2], "none": {}, "text": None}}
    found = Witness("old_client_new_server", "client", message, "ignored", place=place)
    rendered = page.render(witnessed(many(2), found), OLD, NEW)
    assert [html.unescape(each) for each in re.findall("<mark>(.*?)</mark>", rendered)] == marked
    shown_message = re.search(r"<details class=\"witness\">.*?<pre[^>]*>(.*?)</pre>", rendered, re.DOTALL)
    assert shown_message is not None
    assert html.unescape(re.sub("<[^>]*>", "", shown_message[1])) == json.dumps(message, indent=2)


def test_a_method_that_is_not_known_has_no_result() -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "gone"}
    found = Witness("old_client_new_server", "client", message, "unanswered", place=("method",))
    told = "".join(Page(page.render(witnessed(many(2), found), OLD, NEW)).words)
    assert "the server does not accept requests with this method, so there is no result" in told
    assert "never answers" not in told


@pytest.mark.parametrize("perspective", ["both", "client", "server"])
def test_the_levels_are_those_of_the_perspective(perspective: Perspective) -> None:
    difference = many(40)
    how = Assessment(
        difference=difference,
        perspective=perspective,
        approved=dict.fromkeys([each.id for each in difference.changes[:3]], "fine"),
    )
    rendered = page.render(difference, OLD, NEW, approved=how.approved, perspective=how.perspective)
    assert "40 changes, judged for a client and a server of these revisions that do not negotiate" in rendered
    assert "--fail-on" not in rendered
    levels = [each["level"] for each in json.loads(_index_of(rendered))["changes"]]
    assert {level: levels.count(level) for level in ("breaking", "risky", "compatible")} == how.numbers()


def _index_of(rendered: str) -> str:
    found = re.search(r'<script[^>]*id="index"[^>]*>(.*?)</script>', rendered, re.DOTALL)
    assert found is not None
    return found[1]


def test_approved_changes_say_so() -> None:
    difference = many(3)
    rendered = page.render(difference, OLD, NEW, approved={difference.changes[0].id})
    assert rendered.count(">approved<") == 1


def test_data_in_a_script_cannot_end_it() -> None:
    rendered = page.render(many(3, "</script>\u2028&<!--"), OLD, NEW)
    text = next(text for found, text in Page(rendered).verbatim["script"] if found.get("id") == "index")
    assert not set("<>&\u2028\u2029") & set(text)


def test_a_schema_of_ones_own() -> None:
    before, after = "export interface In { i: string; gone?: number }", "export interface In { i: number }"
    found = Page(page.render(compare(before, after), resolve(framed(before)), resolve(framed(after))))
    assert "details" in {tag for tag, each in found.elements if "field_removed:In.gone" in (each.get("id") or "")}
    words = "".join(found.words)
    assert "All of In side by side" in words
    deleted = [tag for tag, _ in found.elements if tag in {"del", "ins"}]
    assert deleted.count("del") >= 2


def test_a_renamed_type_stands_beside_its_old_self() -> None:
    difference, text = bundled("2025-06-18", "2025-11-25")
    renamed = [change for change in difference.changes if change.kind == "type_renamed"]
    assert renamed
    assert all(change.id in Page(text).ids for change in renamed)


def test_nothing_changed() -> None:
    found = Page(page.render(Difference(*_sides(), ()), OLD, OLD))
    assert "No changes" in "".join(found.words)
    assert found.index == {"methods": [], "changes": []}
    assert "form" not in {tag for tag, _ in found.elements}


def _sides() -> tuple:
    difference, _ = bundled("2025-11-25", "2026-07-28")
    return difference.old, difference.new


def test_one_change_is_one_change() -> None:
    assert "1 change, judged" in page.render(many(1), OLD, NEW)


def test_two_thousand_changes_make_a_page_of_a_few_megabytes() -> None:
    rendered = page.render(many(2_000), OLD, NEW)
    assert len(rendered.encode()) < 6_000_000
    assert len(Page(rendered).index["changes"]) == 2_000


PROGRAM = """
import hashlib
from mcp_bindgen import catalog, diff
from mcp_bindgen.diff import page
old, new = catalog.load("2025-11-25"), catalog.load("2026-07-28")
print(hashlib.sha256(page.render(diff.compare(old, new), old, new).encode()).hexdigest())
"""


def test_the_same_in_every_run() -> None:
    runs = [
        subprocess.run([sys.executable, "-c", PROGRAM], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True)
        for seed in ("1", "2")
    ]
    assert runs[0].stdout == runs[1].stdout
    assert len(runs[0].stdout.strip()) == 64


def test_all_that_may_be_asked_for_is_an_option() -> None:
    difference, text = bundled("2025-11-25", "2026-07-28")
    values = {each.get("value") for tag, each in Page(text).elements if tag in {"option", "input"}}
    assert {change.kind for change in difference.changes} <= values
    assert {method for change in difference.changes for method in change.methods} <= values
    assert {"breaking", "risky", "compatible", "old_client_new_server", "new_client_old_server", "-"} <= values


def test_the_matrix_has_a_row_for_each_method_with_changes() -> None:
    difference, text = bundled("2025-11-25", "2026-07-28")
    rows = [each["data-method"] for tag, each in Page(text).elements if tag == "tr" and "data-method" in each]
    assert len(rows) == len(set(rows))
    assert set(rows) == {method for change in difference.changes for method in change.methods} | {"-"}


def test_a_phrase_is_not_set_as_two_types_side_by_side() -> None:
    rendered = bundled("2025-11-25", "2026-07-28")[1]
    card = rendered[rendered.index('id="deprecated_added:LoggingLevel"') :]
    card = card[: card.index("</details>")]
    assert "deprecated: Since 2026-07-28" in card
    assert "absent" not in card
    embedded = rendered[rendered.index('id="method_embedded:roots/list"') :]
    assert "sent differently: as a separate request -&gt; inside <code>InputRequiredResult</code></span>" in embedded
    assert "Code written for the old types" in rendered
