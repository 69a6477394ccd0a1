"""Reports: what they show, in which order, and that no text of a schema is more than text in them."""

from __future__ import annotations

import html
import re
from xml.etree import ElementTree as ET

import pytest
from attrs import evolve
from checkout import ROOT
from diff.comparing import compare, resolve
from diff.test_methods import EMBEDDED, SENT
from mcp_bindgen import catalog, diff
from mcp_bindgen.diff import page
from mcp_bindgen.diff.assessment import PAIRING_WORDS, Assessment
from mcp_bindgen.diff.finding_kinds import KINDS
from mcp_bindgen.diff.reports import github, history_text, junit, markdown, markdown_page, text
from mcp_bindgen.diff.reports.wording import LEVELS, kind_words
from mcp_bindgen.diff.selection import Selection

OLD = "export interface In { i: string; b?: string }\nexport interface Out { o: 'x' }"
NEW = "export interface In { i: string; b: string }\nexport interface Out { o: 'x' | 'y' }\nexport type Extra = string"
REQUIRED, ADDED = "field_became_required:In.b", 'enum_value_added:Out.o:"y"'

TEXT = """\
widgets/get
  breaking    In.b  now required: string
              old client, new server: An old client may omit it, but a new server requires it.
              Always send it: receivers of the old revision accept it too.
  risky       Out.o  new value: "y"
              old client, new server: A new server may send "y", which an old client does not know.
              Send it only to clients of the new revision.

names
  new types (1): Extra

acme -> acme: 3 changes, 1 breaking, 1 risky, 1 compatible
  old client, new server   1 breaking,   1 risky,   1 compatible
  new client, old server   0 breaking,   0 risky,   3 compatible
  breaking in widgets/get (1)
  1 change fails with --fail-on breaking
"""

HOSTILE = "a|b`c<img src=x>@all ::error:: %0A*b*_c_\\n\x1b[31m]]>"


def assessment(old=OLD, new=NEW, **how) -> Assessment:
    return Assessment(difference=compare(old, new), **how)


def hostile() -> Assessment:
    literal = HOSTILE.replace("\\", "\\\\")
    return assessment("export interface Out { o: 'x' }", f"export interface Out {{ o: 'x' | '{literal}' }}")


def test_text():
    assert text.render(assessment(), width=100) == TEXT


def test_text_fits_the_terminal_where_words_do():
    for width in (70, 80, 100):
        assert max(map(len, text.render(assessment(), width=width).splitlines())) <= width


def test_text_of_approved_changes():
    shown = text.render(assessment(approved={REQUIRED: "all send it"}), width=100)
    assert "  approved    In.b  now required: string\n              Approved: all send it\n" in shown
    assert shown.endswith("  1 change approved\n  passes with --fail-on breaking\n")


def test_text_in_colour_says_the_same():
    style = text.Style(bold=lambda part: f"<{part}>", dim=lambda part: part, level=lambda level, part: f"<{part}>")
    assert re.sub(r"[<>]", "", text.render(assessment(), width=100, style=style).replace("->", "")) == TEXT.replace(
        "->", ""
    )


def test_a_reason_is_that_of_the_pairing_beside_it():
    own, inside = resolve(SENT), resolve(EMBEDDED)
    difference = diff.compare(own, inside)
    (change,) = (each for each in difference.changes if each.kind == "method_embedded")
    sent, embedded = change.reason.removesuffix(".").split("; ")
    assert sent == "An old server sends it as a separate request, where a new client does not expect it"
    assert embedded == "a new server sends it inside `GetResult`, where an old client does not expect it"
    for perspective, pairing, told, other in (
        ("both", "new client, old server", sent, embedded),
        ("server", "new client, old server", sent, embedded),
        ("client", "old client, new server", f"{embedded[:1].upper()}{embedded[1:]}", sent),
    ):
        seen = Assessment(difference=difference, perspective=perspective)
        shown = " ".join(text.render(seen, width=100).split())
        assert f"{pairing}: {told}." in shown
        assert (f"old client, new server (risky): A{other[1:]}" in shown) == (perspective == "both")
        assert (other[1:] in shown) == (perspective == "both")
        as_html = told.replace("`GetResult`", "<code>GetResult</code>")
        assert f"<i>{pairing}</i>: {as_html}." in markdown.render(seen)
        for whole in (github.render(seen), junit.render(seen)):
            assert told in whole
            assert (other in whole) == (perspective == "both")


def test_text_without_changes():
    assert text.render(assessment(new=OLD)) == "acme -> acme: no changes\n"


@pytest.mark.parametrize("old", catalog.revisions())
@pytest.mark.parametrize("new", catalog.revisions())
def test_text_of_all_pairs(old, new):
    difference = diff.compare(catalog.load(old), catalog.load(new))
    shown = text.render(Assessment(difference=difference), width=80)
    head, separator, summary = shown.rpartition("\n\n")
    assert summary.count("\n") <= 12
    assert separator or not difference.changes
    words = set(re.split(r"[\s,]+", head))
    assert {change.subject for change in difference.changes if " " not in change.subject} <= words


def test_methods_with_what_is_worst_come_first():
    difference = diff.compare(catalog.load("2025-11-25"), catalog.load("2026-07-28"))
    titles = re.findall(r"^(\w.*)\n", text.render(Assessment(difference=difference)), re.MULTILINE)
    assert titles[0] == "elicitation/create"
    assert titles[-4:-1] == ["in several methods", "in no message that both revisions know", "names"]


def test_batches_are_in_messages_of_every_kind():
    shown = text.render(Assessment(difference=diff.compare(catalog.load("2025-03-26"), catalog.load("2025-06-18"))))
    start = "in all messages\n  breaking    JSONRPCMessage  alternative removed: JSONRPCBatchRequest\n"
    assert start in shown
    assert "\nin no message that both revisions know\n  compatible  LATEST_PROTOCOL_VERSION  " in shown


def test_a_required_field_that_harms_nobody_says_why():
    shown = text.render(Assessment(difference=diff.compare(catalog.load("2025-11-25"), catalog.load("2026-07-28"))))
    _, _, rest = shown.partition("  compatible  Result.resultType  new required field: ResultType\n")
    assert rest.startswith("              An old server does not send it, but a new client accepts its\n")
    assert (
        "compatible  ServerCapabilities.extensions  new field: { [key: string]:\n              JSONObject }\n  compatible"
        in shown
    )


def test_what_became_required_is_shown_as_it_is_now():
    shown = text.render(Assessment(difference=diff.compare(catalog.load("2025-11-25"), catalog.load("2026-07-28"))))
    assert "RequestParams._meta  now required: RequestMetaObject\n" in shown


def test_a_method_is_told_before_its_types():
    difference = diff.compare(catalog.load("2025-11-25"), catalog.load("2026-07-28"))
    assert "elicitation/create\n  breaking    elicitation/create  " in text.render(Assessment(difference=difference))


def test_every_kind_has_words():
    change = compare(OLD, NEW).changes[0]
    assert all(kind_words(evolve(change, kind=kind)) for kind in KINDS)


def test_nothing_in_a_text_is_obeyed_by_a_terminal():
    assert "\x1b" not in text.render(hostile())
    assert "\\u001b[31m" in text.render(hostile(), width=400)


def test_markdown():
    shown = markdown.render(assessment(approved={ADDED: "known"}))
    assert shown.startswith(
        "### acme → acme: 1 breaking, 1 risky, 1 compatible\n\n| programs | breaking | risky | compatible |\n"
    )
    assert "**1 change** at or above `--fail-on breaking`. 1 change approved." in shown
    assert "<details open>\n<summary><b>Breaking (1)</b></summary>" in shown
    assert (
        "| <code>In.b</code> | now required<br><code>string</code> | <i>old client, new server</i>: An old client"
        in shown
    )
    assert "<br>✓ <i>approved</i>: known |" in shown
    assert shown.count("<details") == shown.count("</details>") == 3


PAGE = """\
# MCP acme: changes since acme

3 changes, judged for a client and a server that do not negotiate the revision: the old one knows only acme, the new one only acme.

Only the schemas were compared. Changes of transports, authorization and behaviour that only the text of the specification describes are not listed.

| programs | breaking | risky | compatible |
|---|--:|--:|--:|
| old client, new server | 1 | 1 | 1 |
| new client, old server | 0 | 0 | 3 |

Each change is listed once, under the more severe of its two verdicts; the other one, if not compatible, is stated below it.

-   **Breaking**: The new peer refuses or misreads a message that the old peer already sends, or the new peer must send a message that the old peer refuses.
-   **Risky**: The effect depends on what the programs use. The new peer may send something that the old peer refuses or does not know, may ignore something optional that the old peer sends, or may never send something that the old peer waits for.
-   **Compatible**: Everything else, such as a new optional field, which old peers ignore.

## Breaking (1)

-   `In.b`: now required, `string`

    *Old client, new server*: An old client may omit it, but a new server requires it.

    Always send it: receivers of the old revision accept it too.

    In `widgets/get`.

## Risky (1)

-   `Out.o`: new value, `"y"`

    *Old client, new server*: A new server may send "y", which an old client does not know.

    Send it only to clients of the new revision.

    In `widgets/get`.

    Approved: known

## Compatible (1)

-   New type: `Extra`
"""


def test_a_page_is_plain_markdown():
    assert markdown_page.render(assessment(approved={ADDED: "known"})) == PAGE
    assert markdown_page.render(assessment(OLD, OLD)).startswith(
        "# MCP acme: changes since acme\n\nNo changes.\n\nOnly the"
    )


def test_a_page_has_the_examples_and_the_types_that_inherit_a_change():
    old, new = catalog.load("2025-11-25"), catalog.load("2026-07-28")
    shown = markdown_page.render(Assessment(difference=diff.with_witnesses(diff.compare(old, new), old, new)))
    assert '\n        {"jsonrpc": "2.0"' in shown
    assert "\n    Also changes `" in shown
    assert re.search(r"<[a-z]", re.sub(r"`[^`]*`|^        .*$", "", shown, flags=re.MULTILINE)) is None


def test_a_page_lists_compatible_changes_that_differ_only_in_their_names_together():
    difference = diff.compare(catalog.load("2025-11-25"), catalog.load("2026-07-28"))
    shown = markdown_page.render(Assessment(difference=difference))
    assert "\n-   New types (42): `CacheableResult`, `CallToolResultResponse`, " in shown
    assert "\n-   Removed constant: `URL_ELICITATION_REQUIRED`\n" in shown
    assert "`ToolUseContent`; each with the note “Since 2026-07-28 (SEP-2577); it stays" in shown
    assert shown.count("only code must change") == 1
    approved = markdown_page.render(Assessment(difference=difference, approved={"type_added:ResultType": "known"}))
    assert "\n-   `ResultType`: new type. Approved: known\n" in approved
    assert "\n-   New types (41): " in approved


def test_reports_say_why_a_new_required_field_is_compatible():
    difference = diff.compare(catalog.load("2025-11-25"), catalog.load("2026-07-28"))
    reason = "but a new client accepts its absence, as the specification requires, and assumes 0."
    for render in (text.render, markdown.render, markdown_page.render):
        assert reason in " ".join(render(Assessment(difference=difference)).split())


def test_a_page_for_one_pairing_does_not_speak_of_two():
    assert "two verdicts" not in markdown_page.render(assessment(perspective="client"))


def test_reports_do_not_repeat_the_method_that_changed():
    difference = diff.compare(catalog.load("2025-11-25"), catalog.load("2026-07-28"))
    assert "In `initialize`." not in markdown_page.render(Assessment(difference=difference))
    assert "<i>in</i> <code>initialize</code>" not in markdown.render(Assessment(difference=difference))


def test_a_page_shows_hostile_texts_as_they_are():
    shown = markdown_page.render(hostile())
    assert '``"a|b`c<img src=x>@all ::error:: %0A*b*_c_' in shown
    assert "a\\|b\\`c\\<img src=x\\>@all ::error:: %0A\\*b\\*\\_c\\_" in shown
    assert "\x1b" not in shown


def test_markdown_counts_the_methods_that_it_does_not_name():
    difference = diff.compare(catalog.load("2025-11-25"), catalog.load("2026-07-28"))
    methods = next(
        each.methods for each in difference.changes if each.id == "field_became_required:RequestParams._meta"
    )
    row = next(
        each
        for each in markdown.render(Assessment(difference=difference)).splitlines()
        if each.startswith("| <code>RequestParams.&#95;meta</code> | now required")
    )
    assert f"<code>{methods[3]}</code> and {len(methods) - 4} more<br>" in row


def test_markdown_tables_may_give_the_reasons_of_what_is_compatible():
    looked_at = assessment(
        new="export interface In { i: string; b?: string; c?: string }\nexport interface Out { o: 'x' }"
    )
    changes = looked_at.difference.changes
    assert [*markdown.table(looked_at, changes, reasons=False)][-1] == (
        "| <code>In.c</code> | new field<br><code>string</code> |"
    )
    assert [*markdown.table(looked_at, changes, reasons=True)][-1] == (
        "| <code>In.c</code> | new field<br><code>string</code> | An old server ignores it, and a new server accepts its absence."
        "<br><i>in</i> <code>widgets/get</code> |"
    )


def test_markdown_without_changes():
    assert markdown.render(assessment(new=OLD)) == "### acme → acme: no changes\n"


def test_nothing_in_a_text_is_markup():
    shown = markdown.render(hostile())
    assert not set(re.findall(r"<(\w+)", shown)) - {"details", "summary", "b", "code", "i", "br"}
    assert {line.count("|") for line in shown.splitlines() if line.startswith("|")} == {4, 5}
    cells = "".join(line for line in shown.splitlines() if "new value" in line)
    assert not set("`*_[]\\~") & set(cells)
    why = cells.split(" | ")[2]
    assert "@" not in why
    assert "a|b`c<img src=x>" in html.unescape(cells)


def test_prose_links_to_nothing_and_calls_nobody():
    shown = markdown.prose("see www.x.org, https://x.org, @all and #1")
    assert not [part for part in ("www.", "://", "@", " #1") if part in shown]
    assert html.unescape(shown).replace("\u200b", "") == "see www.x.org, https://x.org, @all and #1"


def test_markdown_of_a_large_difference_fits_a_comment():
    many = "".join(f"; field{number}: string" for number in range(1500))
    shown = markdown.render(
        assessment("export interface In { i: string }", f"export interface In {{ i: string{many} }}")
    )
    assert len(shown) <= 65_536
    assert "**Breaking (1500)**: too many to show here" in shown


def test_annotations_say_the_worst_first():
    first, second, third = github.render(assessment(approved={ADDED: "known"}), file="new/schema.ts").splitlines()
    assert first.startswith("::error file=new/schema.ts,title=breaking%3A In.b (field-became-required)::now required")
    assert second.startswith("::notice file=new/schema.ts,title=risky%3A Out.o")
    assert second.endswith(" Approved: known")
    assert third.startswith("::notice file=new/schema.ts,title=compatible%3A Extra")


def test_an_annotation_is_one_line_and_one_command():
    (line,) = github.render(hostile()).splitlines()
    assert line.count("::warning ") == 1
    assert "\x1b" not in line
    assert "%250A" in line


def test_junit():
    root = ET.fromstring(junit.render(assessment(approved={ADDED: "known"})))
    (suite,) = root
    assert {**suite.attrib} == {
        "name": "acme to acme",
        "tests": "3",
        "failures": "1",
        "errors": "0",
        "skipped": "1",
    }
    cases = {case.attrib["name"]: case for case in suite}
    assert cases[REQUIRED].attrib["classname"] == "In"
    assert cases[REQUIRED][0].tag == "failure"
    assert cases[REQUIRED][0].attrib["type"] == "field-became-required"
    assert cases[ADDED][0].attrib == {"message": "approved: known"}
    assert [child.tag for child in cases["type_added:Extra"]] == ["system-out"]


def test_junit_without_changes_has_a_test():
    root = ET.fromstring(junit.render(assessment(new=OLD)))
    assert root.attrib["tests"] == "1"
    assert [case.attrib["name"] for case in root[0]] == ["no changes"]


def test_junit_holds_any_text():
    (case,) = ET.fromstring(junit.render(hostile()))[0]
    assert "a|b`c<img src=x>" in case.attrib["name"]
    assert "\\u001b" in case.attrib["name"]


def test_a_page_states_the_milder_verdict_of_a_change_too():
    difference = diff.compare(catalog.load("2025-11-25"), catalog.load("2026-07-28"))
    found = Assessment(difference=difference)
    shown = markdown_page.render(found)
    for pairing, words in PAIRING_WORDS.items():
        counted = found.numbers(pairing)["risky"]
        own = len(re.findall(rf"\*{words}\*: ", shown.partition("## Risky")[2], re.IGNORECASE))
        milder = len(re.findall(rf"\*{words} \(risky\)\*: ", shown, re.IGNORECASE))
        both = len(re.findall(r"\*both pairings\*: ", shown.partition("## Risky")[2], re.IGNORECASE))
        assert own + milder + both == counted
    of_sampling = diff.history([catalog.load("2025-11-25"), catalog.load("2026-07-28")], "sampling/createMessage")
    text_of_it = " ".join(history_text.render(of_sampling).split())
    assert (
        "new client, old server: An old server sends it as a separate request, where a new client does not"
        in text_of_it
    )
    assert "old client, new server (risky): A new server sends it inside `InputRequiredResult`" in text_of_it


def test_reports_state_the_filter():
    selection = Selection(methods=("tools/call", "tools/list"), level="risky")
    assert selection.sentence == (
        "Filtered: messages of `tools/call` or `tools/list`; level breaking or risky. Other changes are left out."
    )
    assert Selection().sentence is None
    found = assessment(shown=selection.sentence)
    shown = [text.render(found, width=200), markdown_page.render(found)]
    assert all(selection.sentence in each for each in shown)
    assert "messages of <code>tools/call</code> or" in markdown.render(found)
    old, new = resolve(SENT), resolve(EMBEDDED)
    assert "messages of <code>tools/call</code> or" in page.render(diff.compare(old, new), old, new, shown=found.shown)


def test_a_page_cuts_nothing_off():
    old = "export interface In { i: string }\nexport interface Out { o: 'x' }"
    long = " | ".join(f"'{'v' * 9}{number}'" for number in range(20))
    new = f"export interface In {{ i: string; b?: {{ c: {long} }} }}\nexport interface Out {{ o: 'x' }}"
    shown = markdown_page.render(assessment(old, new))
    assert "vvvvvvvvv19" in shown
    assert "…" not in shown


def test_a_field_that_an_open_object_still_allows_is_no_longer_declared():
    difference = diff.compare(catalog.load("2025-11-25"), catalog.load("2026-07-28"))
    found = Assessment(difference=difference)
    words = "no longer declared, any value is allowed (was `string[]`)"
    assert f"`Tool.inputSchema.required`: {words}" in markdown_page.render(found)
    whole = diff.history([catalog.load(each) for each in catalog.revisions()], "Tool.inputSchema.required")
    assert whole.span.words == "2024-11-05 to 2025-11-25, no longer declared in 2026-07-28"


def test_the_documentation_defines_the_levels_as_the_reports_do():
    for file in ("docs/cli.md", "docs/revisions/index.md"):
        written = (ROOT / file).read_text(encoding="utf-8")
        assert all(f"| {level} | {meaning} |" in written for level, meaning in LEVELS.items()), file
