"""Laws of validating: valid conversations are let pass, what decoding refuses is reported, in one piece or in many."""

from __future__ import annotations

import importlib
import io
import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from checkout import REVISIONS
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mcp_bindgen import catalog
from mcp_bindgen.validate import Finding, Limits, validate, validate_messages
from mcp_bindgen.validate.lines import lines
from mcp_bindgen.validate.logs import is_event_field
from strategies.conversations import Talk, conversation, handshake
from strategies.faults import Faults
from strategies.values import Values
from support.revisions import HANDSHAKE

Json = Any

randoms = st.builds(Random, st.integers(0, 2**32))
"""Not hypothesis' own, which remembers each of thousands of draws."""
revisions = st.sampled_from(REVISIONS)


def errors(findings: Iterator[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.level != "note"]


@given(revisions, randoms)
@settings(max_examples=settings.default.max_examples * 3 // 5)
def test_a_valid_conversation_has_no_errors(revision: str, random: Random) -> None:
    talk = conversation(catalog.load(revision), random)
    assert errors(validate_messages([message for _, message in talk], version=revision)) == []


@given(revisions, randoms)
@settings(max_examples=settings.default.max_examples * 3 // 5)
def test_nor_has_one_that_says_who_sends_what(revision: str, random: Random) -> None:
    talk = conversation(catalog.load(revision), random)
    wrapped = [{"from": sender, "message": json.dumps(message)} for sender, message in talk]
    report = validate_messages(wrapped, version=revision)
    assert errors(report) == []
    assert report.messages == len(talk)
    assert report.remarks.get("unchecked", 0) == 0


@given(revisions, randoms)
@settings(max_examples=settings.default.max_examples * 2 // 5)
def test_every_answer_is_checked_as_what_it_answers(revision: str, random: Random) -> None:
    talk = conversation(catalog.load(revision), random)
    lines = [json.dumps({"direction": sender, "payload": message}) for sender, message in talk]
    report = validate_messages(lines, version=revision)
    assert errors(report) == []
    answered = sum("result" in message for _, message in talk)
    assert report.kinds["result"] == answered


@pytest.mark.parametrize("revision", REVISIONS)
def test_every_fault_that_decoding_sees_is_an_error_at_its_place(revision: str) -> None:
    package = importlib.import_module(f"mcp_bindings.{catalog.package_name(revision)}")
    protocol = catalog.load(revision)
    made, faults, random = Values(protocol), Faults(protocol), Random(7)
    seen = 0
    for method in protocol.methods.values():
        if method.embedded:
            continue
        for case in list(made.cases(method.interface))[:6]:
            for change in list(faults.of(case, random))[:12]:
                message = change.applied(case.value)
                lenient = package.decode(json.dumps(message), mode="lenient")
                expected = {violation.path for violation in lenient.violations}
                found = {finding.path for finding in validate_messages([message], version=revision)}
                assert expected <= found, message
                seen += bool(expected)
    assert seen > 100


@given(revisions, randoms)
@settings(max_examples=settings.default.max_examples * 3 // 5)
def test_what_is_wrong_in_a_result_is_an_error_at_its_place(revision: str, random: Random) -> None:
    package = importlib.import_module(f"mcp_bindings.{catalog.package_name(revision)}")
    talk = conversation(catalog.load(revision), random)
    asked = {message["id"]: message["method"] for _, message in talk if "method" in message and "id" in message}
    spoiled: Talk = []
    expected: set[tuple[int, str]] = set()
    for line, (sender, message) in enumerate(talk, 1):
        if not message.get("result"):
            spoiled.append((sender, message))
            continue
        key = random.choice(list(message["result"]))
        wrong = {**message, "result": {**message["result"], key: random.choice([None, 1, "x", []])}}
        results = {message["id"]: package.methods.REQUESTS[asked[message["id"]]]}
        lenient = package.decode(json.dumps(wrong), results=results, mode="lenient")
        expected |= {(line, violation.path) for violation in lenient.violations}
        spoiled.append((sender, wrong))
    found = validate_messages([{"from": sender, "message": message} for sender, message in spoiled], version=revision)
    kinds = {"type", "value", "missing"}
    assert {(each.place.line, each.path) for each in found if each.code in kinds} == expected


@given(st.sampled_from(HANDSHAKE), randoms)
@settings(max_examples=settings.default.max_examples * 3 // 10)
def test_a_handshake_decides_by_which_revision_all_of_it_is_checked(revision: str, random: Random) -> None:
    talk = handshake(revision) + conversation(catalog.load(revision), random, without="initialize")
    messages = [{"from": sender, "message": message} for sender, message in talk]
    auto, told = validate_messages(messages), validate_messages(messages, version=revision)
    assert list(auto) == list(told)
    assert auto.revisions == (revision,)
    assert auto.accepted is None


@given(st.binary(max_size=80), st.integers(1, 9), st.lists(st.integers(1, 20)))
def test_lines_are_the_same_however_the_bytes_arrive(data: bytes, longest: int, sizes: list[int]) -> None:
    class Slow(io.RawIOBase):
        """Gives few bytes at a time."""

        def __init__(self) -> None:
            self.rest, self.sizes = data, iter(sizes)

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            part = self.rest[: min(next(self.sizes, 7), len(buffer))]
            self.rest = self.rest[len(part) :]
            buffer[: len(part)] = part
            return len(part)

    slowly = list(lines(io.BufferedReader(Slow(), 8), longest))
    assert slowly == list(lines(io.BytesIO(data), longest))
    assert sum(line.size for line in slowly) == len(data)
    whole = data.split(b"\n")
    whole = whole if whole[-1] else whole[:-1]
    assert [line.data for line in slowly] == [
        text if len(text) <= longest else None for text in (each.removesuffix(b"\r") for each in whole)
    ]


def is_json(text: str | bytes) -> bool:
    try:
        json.dumps(json.loads(text if isinstance(text, str) else text.decode()), allow_nan=False)
    except (ValueError, RecursionError):
        return False
    return True


@given(st.text(max_size=60) | st.binary(max_size=60))
@example(b":\n")
@settings(max_examples=settings.default.max_examples * 3)
def test_any_text_that_is_not_json_is_one_finding_unless_it_is_a_field_of_an_event(text: str | bytes) -> None:
    codes = [finding.code for finding in validate_messages([text], rules=True)]
    if is_json(text):
        assert codes
        assert not {"json", "encoding"} & set(codes)
    elif codes:
        (code,) = codes
        assert code in {"json", "encoding", "no-message", "cut"}
    else:
        # The end of the line is no part of the field.
        assert is_event_field((text if isinstance(text, str) else text.decode()).rstrip("\r\n"))


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
        lambda inner: st.lists(inner)
        | st.dictionaries(
            st.sampled_from(["jsonrpc", "id", "method", "params", "result", "error", "_meta", "from", "message", "t"]),
            inner,
        ),
        max_leaves=12,
    ).filter(lambda value: not isinstance(value, str))
)
@settings(max_examples=settings.default.max_examples * 3)
def test_any_json_has_the_same_findings_as_a_value_and_as_text(value: Json) -> None:
    text = json.dumps(value)
    report = validate_messages([text], rules=True)
    found = list(report)
    if is_json(text):
        assert found == list(validate_messages([value], rules=True))
    else:
        assert [each.code for each in found] == ["json"]
    assert report.ok is all(each.level == "note" for each in found)


@given(st.lists(st.sampled_from(["log", "open", "close", "x"]), max_size=30), revisions)
@settings(max_examples=settings.default.max_examples // 5)
def test_findings_do_not_depend_on_what_else_is_remembered(words: list[str], revision: str) -> None:
    """Open requests beyond the limit are forgotten, and their answers only unchecked."""
    messages = [
        {"jsonrpc": "2.0", "id": number, "method": "tools/list", "params": {"_meta": {}}}
        for number, _ in enumerate(words)
    ]
    messages += [{"jsonrpc": "2.0", "id": number, "result": {"tools": 3}} for number, _ in enumerate(words)]
    few = validate_messages(messages, version=revision, limits=Limits(open_requests=2))
    tools = [finding for finding in few if finding.path == "$.result.tools"]
    assert len(tools) == min(2, len(words))
    assert few.remarks.get("unchecked", 0) == max(0, len(words) - 2)


def test_a_folder_is_the_sum_of_its_files(tmp_path: Any) -> None:
    for name in ("b", "a", "c"):
        (tmp_path / f"{name}.jsonl").write_text('{"jsonrpc":"2.0","id":1}\n')
    found = [finding.place.source for finding in validate(tmp_path, version="2025-06-18")]
    assert found == [str(tmp_path / f"{name}.jsonl") for name in "abc"]
