"""What is read from a document: values with their lines, notes on what cannot be read as it stands, and errors."""

from __future__ import annotations

import pytest
from mcp_bindgen.validate import markdown
from mcp_bindgen.validate.entries import Entry
from mcp_bindgen.validate.findings import Finding, Place


def read(text: str, source: str = "guide.md") -> tuple[list[Entry], list[Finding]]:
    found = list(markdown.read(text, source))
    return [each for each in found if isinstance(each, Entry)], [each for each in found if isinstance(each, Finding)]


def values(text: str) -> list[tuple[int | None, object]]:
    entries, findings = read(text)
    assert findings == []
    return [(entry.place.line, entry.value) for entry in entries]


def said(text: str) -> list[tuple[str, str, int | None]]:
    return [(finding.level, finding.code, finding.place.line) for finding in read(text)[1]]


def test_each_block_gives_its_value_with_the_line_where_it_starts() -> None:
    text = '# Title\n\n```json\n\n  {"a": 1}\n```\n\n- item\n\n  ```json title="x"\n  [2]\n  ```\n'
    assert values(text) == [(5, {"a": 1}), (11, [2])]


def test_an_entry_is_an_example_of_its_own() -> None:
    assert read("```json\n{}\n```\n")[0] == [Entry(Place("guide.md", 2), {}, alone=True)]


def test_blocks_of_other_languages_are_no_business_of_ours() -> None:
    assert values("```ts\n{\n```\n```\n{\n```\n~~~text\n{\n~~~\n~~~jsonl\n1\n~~~\n") == [(11, 1)]


def test_several_texts_in_one_block_have_a_line_each() -> None:
    assert values('```json\n{"a": 1}\n{"b":\n 2} 3\n\n4\n```\n') == [(2, {"a": 1}), (3, {"b": 2}), (4, 3), (6, 4)]


def test_messages_in_an_array_have_a_line_each() -> None:
    one, other = {"jsonrpc": "2.0", "id": 1, "result": {}}, {"jsonrpc": "2.0", "method": "x"}
    text = '```json\n[\n  {"jsonrpc": "2.0", "id": 1, "result": {}},\n\n {"jsonrpc": "2.0",\n "method": "x"}\n]\n```\n'
    assert values(text) == [(3, one), (5, other)]
    assert values('```json\n[\n  {"jsonrpc": "2.0"},\n  {}\n]\n```\n') == [(2, [{"jsonrpc": "2.0"}, {}])]


def test_members_without_braces_are_an_object() -> None:
    assert values('```json\n"capabilities": {\n  "tools": {}\n}\n```\n') == [(2, {"capabilities": {"tools": {}}})]
    assert values('```json\n"a": 1,\n"b": 2\n```\n') == [(2, {"a": 1, "b": 2})]
    assert values('```json\n"only: text"\n```\n') == [(2, "only: text")]


def test_a_block_with_comments_is_read_without_them_and_says_so() -> None:
    entries, findings = read('```json\n{\n  "a": 1, // one\n  "b": 2 // two\n}\n```\n')
    assert [entry.value for entry in entries] == [{"a": 1, "b": 2}]
    (finding,) = findings
    assert (finding.level, finding.code, finding.place.line) == ("note", "commented", 3)
    assert finding.message == "checked without its comments, which JSON does not allow (column 11)"


@pytest.mark.parametrize("language", ["jsonc", "json5"])
def test_trailing_commas_are_no_fault_where_readers_take_them(language: str) -> None:
    entries, findings = read(f'```{language}\n{{"a": [1,],\n}}\n```\n')
    assert [entry.value for entry in entries] == [{"a": [1]}]
    assert [finding.code for finding in findings] == ["commented"]
    assert "trailing commas" in findings[0].message
    assert said('```json\n{"a": [1,],\n}\n```\n') == [("error", "json", 2)]


def test_elements_that_are_left_out_are_not_missed() -> None:
    entries, findings = read('```json\n{\n  "tools": [...],\n  "nextCursor": "x"\n}\n```\n')
    assert [entry.value for entry in entries] == [{"tools": [], "nextCursor": "x"}]
    assert [(finding.level, finding.code, finding.place.line) for finding in findings] == [("note", "elided", 3)]


@pytest.mark.parametrize(
    "block", ['{\n "a": 1,\n ...\n}', '{\n "a": 1,\n "b": <name>}', '{\n "a": 1, \n // more ...\n}']
)
def test_an_object_with_something_left_out_is_not_checked(block: str) -> None:
    entries, findings = read(f"```json\n{block}\n```\n")
    assert entries == []
    assert [(finding.level, finding.code, finding.place.line) for finding in findings] == [("note", "elided", 4)]
    assert "not checked" in findings[0].message


def test_a_block_that_is_no_json_beside_what_it_leaves_out_is_not_checked() -> None:
    assert said("```json\n[1 ... 2]\n```\n") == [("note", "elided", 2)]


@pytest.mark.parametrize(
    ("block", "line", "column"),
    [
        ('{\n  "a": 1\n  "b": 2\n}', 4, 3),
        ("{\n  “a”: 1\n}", 3, 3),
        ('{"a": 1}\n}', 3, 1),
        ('{"a": 1', 2, 8),
        ('"a": 1\n"b": 2', 3, 1),
        ('{\n  "a": 1 // one\n  "b": 2\n}', 4, 3),
        ("", 2, 1),
    ],
)
def test_a_block_that_is_no_json_is_an_error_with_its_place_in_the_document(block: str, line: int, column: int) -> None:
    (finding,) = read(f"```json\n{block}\n```\n")[1]
    assert (finding.level, finding.code, finding.path, finding.place) == ("error", "json", "$", Place("guide.md", line))
    assert finding.message.startswith("not JSON: ")
    assert finding.message.endswith(f"(column {column})")


def test_columns_are_those_of_the_document() -> None:
    (finding,) = read("> - ```json\n>   [1 2]\n>   ```\n")[1]
    assert finding.place.line == 2
    assert finding.message.endswith("(column 8)")


def test_what_comes_after_a_fault_in_one_block_is_still_read() -> None:
    entries, findings = read("```json\n{\n```\n```json\n{}\n```\n")
    assert [entry.place.line for entry in entries] == [5]
    assert len(findings) == 1


def test_a_fence_that_is_never_closed_is_named_as_the_cause() -> None:
    assert "without closing fence" in read("```json\n{}\n\nAnd so on.\n")[1][0].message
    assert values("```json\n{}\n") == [(2, {})]


@pytest.mark.parametrize(
    ("block", "code"),
    [("[" * 100_000, "depth"), ("9" * 100_000, "json"), ("1e999", "json"), ("NaN", "json"), ('"\\ud800"', "encoding")],
)
def test_what_other_readers_refuse_is_an_error(block: str, code: str) -> None:
    assert said(f"```json\n{block}\n```\n") == [("error", code, 2)]


def test_a_member_that_stands_twice_is_an_error() -> None:
    entries, findings = read('```json\n{}\n{"a": {"b": 1, "b": 2}}\n```\n')
    assert entries[1].value == {"a": {"b": 2}}
    assert [(each.code, each.path, each.place.line) for each in findings] == [("duplicate-key", "$.a.b", 3)]


@pytest.mark.parametrize(
    ("source", "revision"),
    [
        ("docs/specification/2025-06-18/server/tools.mdx", "2025-06-18"),
        ("docs\\2025-11-25\\index.md", "2025-11-25"),
        ("notes/2026-07-28.md", "2026-07-28"),
        ("2024-11-05/2025-03-26/x.md", "2025-03-26"),
        ("docs/specification/draft/index.mdx", None),
        ("docs/2025-06-17/index.mdx", None),
        ("about-2025-06-18.md", None),
        ("<stdin>", None),
    ],
)
def test_the_revision_is_the_innermost_that_the_path_names(source: str, revision: str | None) -> None:
    assert read("```json\n{}\n```\n", source)[0][0].revision == revision


def test_members_that_the_text_says_are_left_out_are_known() -> None:
    note = "The examples here omit the\n`_meta` object and `cursor`. See `params`.\n\nResults may omit `title`.\n\n"
    block = '```json\n"Examples omit `name`."\n```\n'
    assert read(note + block)[0][0].omits == {"_meta", "cursor"}
    assert read("Examples are complete: `_meta`.\n" + block)[0][0].omits == frozenset()


def paired(*messages: dict[str, object]) -> list[str | None]:
    return [each.request for each in markdown.pair(Entry(Place("x"), message) for message in messages)]


def request(number: object, method: str) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": number, "method": method}


def result(number: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": number, "result": {}}


def test_a_response_answers_the_nearest_request_before_it_with_its_id() -> None:
    a, b = request(1, "a"), request(2, "b")
    assert paired(a, b, result(1), result(2)) == [None, None, "a", "b"]
    assert paired(a, result(1), request(1, "c"), result(1), result(1)) == [None, "a", None, "c", "c"]
    assert paired(a, {"id": 1, "error": {}}, {"id": 1}) == [None, "a", None]


def test_a_response_without_a_request_before_it_answers_none() -> None:
    assert paired(result(1), request(1, "a")) == [None, None]
    assert paired(request(1, "a"), result("1"), result(2), {"result": {}}) == [None] * 4
    assert paired(request("1", "a"), result(1), result("1")) == [None, None, "a"]


@pytest.mark.parametrize(
    "value", [None, 1, "x", [], {}, {"id": {}}, {"id": True, "result": {}}, {"id": 1, "method": 2}]
)
def test_pairing_leaves_what_is_no_message_alone(value: object) -> None:
    entry = Entry(Place("x"), value)
    assert markdown.pair([entry]) == [entry]
