"""Redacted recordings hold no secret and stay valid."""

from __future__ import annotations

import json
from typing import Any

import pytest
from checkout import REVISIONS
from hypothesis import given
from hypothesis import strategies as st
from mcp_bindgen.validate import validate
from mcp_bindings_runtime.codec.json_pointers import canonical, differences, parse_pointers, replaced_at, without
from mcp_bindings_runtime.errors import UsageError
from mcp_bindings_runtime.transports.redaction import REDACTED, Redaction
from support.echo_server import echo_server
from support.revisions import HANDSHAKE
from support.scripted_peers import package, text_of

SECRET = "s3cret"
LATEST = HANDSHAKE[-1]

texts = st.text("ab01*~/é ", max_size=3)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda children: st.lists(children, max_size=3) | st.dictionaries(texts, children, max_size=3),
    max_leaves=8,
)
tokens = st.sampled_from(["a", "b", "0", "1", "*", "~0", "~1", ""])
pointers = st.lists(tokens, min_size=1, max_size=3).map(lambda parts: "".join(f"/{part}" for part in parts))


def kinds(value: Any) -> Any:
    """Return a value with its kind in place of each part."""
    if isinstance(value, dict):
        return {key: kinds(item) for key, item in value.items()}
    return [kinds(item) for item in value] if isinstance(value, list) else type(value).__name__


@given(values, values)
def test_values_differ_where_their_texts_do(one, other):
    found = list(differences(one, other))
    assert (not found) == (canonical(one) == canonical(other))
    assert list(differences(one, one)) == []


@given(values, st.lists(pointers, max_size=3))
def test_a_difference_that_is_ignored_is_none(value, ignored):
    parsed = parse_pointers(ignored)
    changed = replaced_at(value, parsed, lambda part: ["another", part])
    assert canonical(without(changed, parsed)) == canonical(without(value, parsed))


@given(values, st.lists(pointers, max_size=3))
def test_redaction_keeps_the_kind_of_every_part_and_is_done_at_once(value, rules):
    redaction = Redaction(rules)
    redacted = redaction.redact({"params": value} if isinstance(value, list) else value)
    assert kinds(redacted) == kinds({"params": value} if isinstance(value, list) else value)
    assert redaction.redact(redacted) == redacted


@given(values)
def test_a_pattern_leaves_no_text_that_matches(value):
    value = [value, {"key": f"Bearer {SECRET}{SECRET}"}]
    assert SECRET not in json.dumps(Redaction([SECRET]).redact(value))


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("rule", ["/params/arguments/*", SECRET, "/params/arguments"])
def test_a_redacted_recording_is_valid_and_has_no_secret(rule, revision, tmp_path):
    path = tmp_path / "tape.jsonl"
    server, _ = echo_server(revision)
    client = package(revision).Client.in_memory(server, record=path, redact=[rule, "/result/content/*/text"])
    with client:
        assert text_of(client.call_tool("echo", {"n": SECRET, "extra": [SECRET]})) == SECRET
    text = path.read_text(encoding="utf-8")
    assert SECRET not in text
    assert text.count(REDACTED) == 3
    assert [str(each) for each in validate(path, rules=True)] == []


def test_text_that_is_no_message_is_redacted_by_patterns(tmp_path):
    path = tmp_path / "tape.jsonl"
    from mcp_bindings_runtime.transports.memory import pair
    from mcp_bindings_runtime.transports.recorder import Recorder

    mine, theirs = pair()
    recorder = Recorder(mine, path, "client", redact=[SECRET])
    theirs.send(f"the token is {SECRET}".encode())
    recorder.receive(10.0)
    recorder.close()
    assert json.loads(path.read_text(encoding="utf-8"))["raw"] == "the token is [redacted]"


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        (["("], r"'\(' in `redact` is no regular expression .*, and no JSON Pointer, which begins with '/'"),
        ([5], "an item of `redact` must be .*/params/arguments/password.*, got 5"),
        ("/params", "`redact` must be a list"),
    ],
)
def test_a_wrong_rule_is_refused_at_once(rules, reason):
    with pytest.raises(UsageError, match=reason):
        package(LATEST).Client.in_memory(echo_server(LATEST)[0], redact=rules)


def test_a_text_that_is_no_pointer_is_refused():
    with pytest.raises(UsageError, match="'params' is not a JSON Pointer below a message; write '/params/"):
        parse_pointers(["params"])
