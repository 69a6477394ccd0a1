"""Which files a path means, how each is read, and what happens to those that cannot be."""

from __future__ import annotations

import gzip
import io
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from checkout import REVISIONS
from mcp_bindgen.errors import BindgenError
from mcp_bindgen.validate import InputError, Limits, validate
from mcp_bindgen.validate.sources import find
from support.recorded_sessions import opening, recorded, request, result, shown, text_of

Json = Any

CALL = request("tools/call", nme="x")
MISSING = "$.params.name: missing, expected a string"


def written(path: Path, data: str | bytes = "{}") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def fed(monkeypatch: pytest.MonkeyPatch, data: bytes, **options: Json) -> list[str]:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    return shown(validate("-", version="2025-06-18", **options))


def test_a_folder_means_what_is_below_it_in_order(tmp_path: Path) -> None:
    wanted = ["a.jsonl", "b/c.JSON", "b/d.md", "b/e/f.log", "g.mdx", "h.ndjson", "i.markdown"]
    for name in [*wanted, ".git/x.json", "b/.hidden.json", "node_modules/y/package.json", "z.txt", "README", "k.py"]:
        written(tmp_path / name)
    assert [Path(source.name).relative_to(tmp_path).as_posix() for source in find([tmp_path])] == sorted(
        wanted, key=lambda name: (name.count("/") > 0, name.count("/"), name)
    )


def test_a_file_is_taken_whatever_it_is_called(tmp_path: Path) -> None:
    for name in ("x.trace", ".x", "node_modules"):
        assert shown(validate(written(tmp_path / name, text_of(CALL)), version="2025-06-18")) == [f"1: {MISSING}"]


@pytest.mark.parametrize("name", ["missing.jsonl", "no/such/folder", "nul\0byte", "x" * 300])
def test_what_is_not_there_is_said_at_once(tmp_path: Path, name: str) -> None:
    written(tmp_path / "a.jsonl", text_of(CALL))
    with pytest.raises(InputError, match="cannot read"):
        validate(tmp_path / "a.jsonl", tmp_path / name)


def test_so_is_a_folder_with_nothing_to_check(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no files to check; looked for \.jsonl"):
        validate(tmp_path)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_what_cannot_be_read_does_not_keep_others_from_it(tmp_path: Path) -> None:
    written(tmp_path / "a.jsonl").chmod(0)
    written(tmp_path / "b.jsonl", text_of(CALL))
    report = validate(tmp_path, version="2025-06-18")
    assert shown(report) == [f"1: {MISSING}"]
    assert report.failures == (f"cannot read {tmp_path / 'a.jsonl'}: permission denied",)


def test_what_vanishes_before_it_is_read_is_a_failure(tmp_path: Path) -> None:
    gone = written(tmp_path / "a.jsonl")
    report = validate(gone, version="2025-06-18")
    gone.unlink()
    assert not report.ok
    assert report.failures == (f"cannot read {gone}: no such file or directory",)


def test_a_file_that_is_too_large_to_be_read_as_a_whole(tmp_path: Path) -> None:
    for name in ("a.json", "a.md"):
        report = validate(written(tmp_path / name, " " * 2000), limits=Limits(document=1024))
        assert not report.ok
        (failure,) = report.failures
        assert failure.endswith(f"{name} is larger than 1 KiB, the limit for sources that are read as a whole")


def test_a_line_that_is_too_long_is_passed_over(tmp_path: Path) -> None:
    lines = [request("tools/call", name="x" * 5000), CALL, "x" * 999]
    found = shown(recorded(tmp_path, *lines, version="2025-06-18", limits=Limits(line=200)))
    assert found == [
        "1: $: a line of 5 KiB; the limit is 200 bytes",
        f"2: {MISSING}",
        "3: $: a line of 1000 bytes; the limit is 200 bytes",
    ]


def test_ends_of_lines(tmp_path: Path) -> None:
    text = text_of(CALL, CALL).replace("\n", "\r\n") + "\r\n  \n\t\n" + json.dumps(CALL)
    path = written(tmp_path / "a.jsonl", text)
    assert shown(validate(path, version="2025-06-18")) == [f"{line}: {MISSING}" for line in (1, 2, 6)]


def test_other_separators_end_no_line(tmp_path: Path) -> None:
    line = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a\u2028b\u0085c"}}'
    assert shown(recorded(tmp_path, line, version="2025-06-18")) == []


def test_a_byte_order_mark_is_an_error_and_no_more(tmp_path: Path) -> None:
    for name, line in (("a.jsonl", "1: "), ("a.json", "")):
        path = written(tmp_path / name, b"\xef\xbb\xbf" + json.dumps(CALL).encode())
        mark = "1: $: JSON must not begin with a byte order mark"
        assert shown(validate(path, version="2025-06-18")) == [mark, f"{line}{MISSING}"]


@pytest.mark.parametrize("name", ["a.jsonl", "a.json"])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
def test_utf_16_is_said_once(tmp_path: Path, name: str, encoding: str) -> None:
    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
    path = written(tmp_path / name, mark + text_of(CALL, CALL).encode(encoding))
    assert shown(validate(path)) == ["1: $: the text is UTF-16; JSON must be UTF-8"]


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.log", "a.gz"])
def test_what_is_compressed_is_not_read(tmp_path: Path, name: str) -> None:
    report = validate(written(tmp_path / name, gzip.compress(text_of(CALL).encode())))
    assert "is compressed; decompress it first" in report.failures[0]


def test_a_json_file_is_one_message(tmp_path: Path) -> None:
    path = written(tmp_path / "a.json", json.dumps(CALL, indent=2))
    assert shown(validate(path, version="2025-06-18")) == [MISSING]


def test_a_json_file_that_is_broken(tmp_path: Path) -> None:
    path = written(tmp_path / "a.json", '{\n  "jsonrpc": "2.0",\n  "id": 1,\n}\n')
    (found,) = shown(validate(path))
    # Newer versions of Python complain about the comma, older ones about what does not follow it.
    assert found.startswith(("4: $: not JSON: ", "3: $: not JSON: "))


def test_a_json_file_may_hold_a_conversation(tmp_path: Path) -> None:
    talk = [*opening(), request("tools/list", 5), result(5, tools=3)]
    wrapped = [{"direction": "x" if "method" in each else "y", "payload": each} for each in talk]
    for value, place in [
        (talk, "$[4]"),
        ({"started": 1, "entries": wrapped}, "$.entries[4]"),
        ({"messages": talk}, "$.messages[4]"),
        (wrapped, "$[4]"),
    ]:
        path = written(tmp_path / "a.json", json.dumps(value, indent=1))
        assert shown(validate(path)) == [f"{place}.result.tools: found 3, expected an array"]


def test_an_array_without_answers_in_it_is_a_batch(tmp_path: Path) -> None:
    path = written(tmp_path / "a.json", json.dumps([CALL]))
    assert shown(validate(path, version="2025-03-26")) == ["$[0].params.name: missing, expected a string"]
    assert shown(validate(path, version="2025-06-18")) == ["$: found a batch, but only 2025-03-26 has batches"]


def test_a_json_file_with_a_text_on_each_line(tmp_path: Path) -> None:
    path = written(tmp_path / "a.json", text_of(request("ping"), CALL))
    assert shown(validate(path, version="2025-06-18")) == [f"2: {MISSING}"]


def test_a_part_of_a_message_is_none(tmp_path: Path) -> None:
    path = written(tmp_path / "a.json", '{"id": 1, "method": "ping"}')
    assert shown(validate(path, version="2025-06-18")) == ['$.jsonrpc: missing, expected "2.0"']


def test_standard_input_has_messages_on_lines_or_is_one_text(monkeypatch: pytest.MonkeyPatch) -> None:
    line = json.dumps(CALL).encode()
    assert fed(monkeypatch, line) == [f"1: {MISSING}"]
    assert fed(monkeypatch, b"\n" + line + b"\n" + line) == [f"2: {MISSING}", f"3: {MISSING}"]
    assert fed(monkeypatch, json.dumps(CALL, indent=2).encode()) == [MISSING]
    assert fed(monkeypatch, b'{"jsonrpc":"2.\n' + line + b"\n") == [
        "1: $: not JSON: unexpected end at column 15",
        f"2: {MISSING}",
    ]
    assert fed(monkeypatch, b"") == []
    assert fed(monkeypatch, b"# x\n```json\n" + line + b"\n```\n", form="markdown") == [f"3: {MISSING}"]
    assert fed(monkeypatch, b"up\nx: " + line, form="log") == [f"2: {MISSING}"]


def test_a_text_that_goes_on_beyond_the_limit_is_read_as_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"[\n" + b'{"a":1}\n' * 100
    found = fed(monkeypatch, data, limits=Limits(document=50))
    assert len(found) == 101


def test_a_type_makes_values_of_what_would_be_messages(tmp_path: Path) -> None:
    values = [{"name": "x", "inputSchema": {"type": "object"}}, {"message": {"jsonrpc": "2.0"}, "from": "client"}]
    found = shown(recorded(tmp_path, *values, type="Tool", version="2025-06-18"))
    assert found == ["2: $.name: missing, expected a string", "2: $.inputSchema: missing, expected an object"]


def test_a_folder_named_after_a_type_says_what_is_in_it(tmp_path: Path) -> None:
    written(tmp_path / "Tool" / "a.json", '{"name": "x"}')
    written(tmp_path / "tool" / "a.json", json.dumps(request("ping")))
    report = validate(tmp_path, version="2025-06-18")
    (finding,) = report
    assert finding.place.source == str(tmp_path / "Tool" / "a.json")
    assert finding.path == "$.inputSchema"


def test_the_revision_of_examples_is_in_their_path(tmp_path: Path) -> None:
    path = written(tmp_path / "2024-11-05" / "examples" / "Tool" / "a.json", '{"name": "x"}')
    assert validate(path).revisions == ("2024-11-05",)
    assert validate(path, version="2025-06-18").revisions == ("2025-06-18",)


def test_a_folder_of_logs_may_be_named_after_a_day(tmp_path: Path) -> None:
    report = recorded(tmp_path, *opening("2025-11-25"), name="2025-06-18/a.jsonl")
    assert (report.ok, report.revisions) == (True, ("2025-11-25",))


def test_a_type_that_one_revision_does_not_have(tmp_path: Path) -> None:
    path = written(tmp_path / "Task" / "a.json", "{}")
    assert shown(validate(path, version="2025-06-18")) == ["$: 2025-06-18 has no type Task"]
    with pytest.raises(BindgenError, match="unknown type 'Task' in 2025-06-18"):
        validate(path, version="2025-06-18", type="Task")
    with pytest.raises(BindgenError, match=rf"unknown type 'Tols' in {REVISIONS[-1]}; did you mean Tool"):
        validate(path, type="Tols")


def test_a_type_that_nothing_tells_apart(tmp_path: Path) -> None:
    with pytest.raises(BindgenError, match="ClientResult"):
        validate(written(tmp_path / "a.json"), version="2025-06-18", type="ClientResult")


def test_the_json_in_documents_is_checked(tmp_path: Path) -> None:
    text = f"# Tools\n\n```json\n{json.dumps(CALL)}\n```\n\n```python\n{{}}\n```\n"
    path = written(tmp_path / "2025-06-18" / "tools.mdx", text)
    assert shown(validate(path)) == [f"4: {MISSING}"]
    assert validate(path).revisions == ("2025-06-18",)
