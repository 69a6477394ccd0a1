"""``_meta`` and progress tokens, in revisions that declare them in params and in those that do not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from checkout import REVISIONS
from mcp_bindings_runtime.errors import UsageError
from mcp_bindings_runtime.jsonrpc import ErrorObject
from mcp_bindings_runtime.meta import member, meta_of, token_in, with_token
from mcp_bindings_runtime.session.events import Dropped, Incoming, Progressed
from support.bindings import binding
from support.minimal_params import params_of, raw_params
from support.revisions import HANDSHAKE, STATELESS
from support.sessions import answer, call, line, only, opened, pair

Json = Any

each_revision = pytest.mark.parametrize("revision", REVISIONS)
OWN = {"initialize", "ping", "server/discover", "subscriptions/listen"}
"""What sessions answer themselves."""

ASKED = [
    pytest.param(revision, side, key, id=f"{revision} {side} {key.name}")
    for revision in REVISIONS
    for key in binding(revision).requests.values()
    if not key.embedded and key.name not in OWN
    for side in key.sent_by
]


@pytest.mark.parametrize(("revision", "side", "key"), ASKED)
def test_a_token_is_asked_for_and_read_with_every_method(revision: str, side: str, key: Any) -> None:
    left, right = pair(revision)
    speaker, hearer = (left, right) if side == "client" else (right, left)
    params = params_of(revision, key)
    before = None if params is None else binding(revision).codec.unstructure(params)
    request_id, sent = speaker.request(key, params, progress=True)
    assert json.loads(sent)["params"]["_meta"]["progressToken"] == request_id
    assert only(hearer.receive(sent), Incoming).token == request_id
    # The caller's own object is as it was.
    assert (None if params is None else binding(revision).codec.unstructure(params)) == before


@pytest.mark.parametrize(("revision", "side", "key"), ASKED)
def test_no_token_goes_out_unasked(revision: str, side: str, key: Any) -> None:
    left, right = pair(revision)
    speaker, hearer = (left, right) if side == "client" else (right, left)
    _, sent = speaker.request(key, params_of(revision, key))
    assert "progressToken" not in json.loads(sent).get("params", {}).get("_meta", {})
    assert only(hearer.receive(sent), Incoming).token is None


def declared(revision: str) -> bool:
    """Whether the params of a tool call have a field for ``_meta``."""
    return "tools/call" in binding(revision).facts.meta_classes


@each_revision
@pytest.mark.parametrize("token", ["t", "", 0, 5, -1, 2**70])
def test_a_token_is_a_string_or_an_integer(revision: str, token: Json) -> None:
    session = opened(revision, "server")
    message = call(revision, "tools/call", 7, raw_params("tools/call"))
    message["params"].setdefault("_meta", {})["progressToken"] = token
    incoming = only(session.receive(line(message)), Incoming)
    assert (incoming.token, type(incoming.token)) == (token, type(token))


@each_revision
@pytest.mark.parametrize("token", [True, 1.5, None, [1], {}])
def test_anything_else_is_no_token(revision: str, token: Json) -> None:
    session = opened(revision, "server")
    message = call(revision, "tools/call", 7, raw_params("tools/call"))
    message["params"].setdefault("_meta", {})["progressToken"] = token
    events = session.receive(line(message))
    if declared(revision):
        assert answer(events)["error"]["code"] == -32602
    else:
        assert only(events, Incoming).token is None


@pytest.mark.parametrize("revision", HANDSHAKE)
@pytest.mark.parametrize("raw", [None, 5, "x", [1]])
def test_a_meta_that_is_no_object_carries_nothing(revision: str, raw: Json) -> None:
    session = opened(revision, "server")
    events = session.receive(line(call(revision, "tools/call", 7, {"name": "t", "_meta": raw})))
    if declared(revision):
        assert answer(events)["error"]["code"] == -32602
        return
    incoming = only(events, Incoming)
    assert incoming.token is None
    assert token_in(meta_of(with_token(incoming.params, 3, None), declared=False)) == 3


@each_revision
def test_a_token_is_laid_over_what_else_there_is(revision: str) -> None:
    key = binding(revision).requests["tools/call"]
    raw = call(revision, "tools/call", 7, {"name": "t", "odd": 1})["params"]
    raw["_meta"] = {**raw.get("_meta", {}), "example.com/trace": "abc", "progressToken": "old"}
    params = binding(revision).codec.structure(raw, key.params)
    made = binding(revision).codec.unstructure(with_token(params, 9, binding(revision).meta_class("tools/call")))
    assert made == {**raw, "_meta": {**raw["_meta"], "progressToken": 9}}
    assert token_in(meta_of(params, declared=declared(revision))) == "old"


@each_revision
@pytest.mark.parametrize("name", ["example.com/trace", "io.modelcontextprotocol/future", "mcp.dev/future"])
def test_entries_are_found_wherever_they_are(revision: str, name: str) -> None:
    """Those too that are reserved and not defined."""
    key = binding(revision).requests["tools/call"]
    raw = call(revision, "tools/call", 7, {"name": "t"})["params"]
    if revision not in STATELESS:
        assert meta_of(binding(revision).codec.structure(raw, key.params), declared=declared(revision)) is None
    raw["_meta"] = {**raw.get("_meta", {}), name: "abc"}
    entries = meta_of(binding(revision).codec.structure(raw, key.params), declared=declared(revision))
    assert (entries if isinstance(entries, dict) else entries.extra)[name] == "abc"
    assert meta_of(None, declared=True) is None
    assert token_in(None) is None


@pytest.mark.parametrize(
    ("value", "path", "found"),
    [
        ({"a": {"b": 1}}, "a b", 1),
        ({"a": 1}, "a b", None),
        ([], "a", None),
        (None, "a", None),
        ({"a": None}, "a", None),
    ],
)
def test_a_member_is_found_or_there_is_none(value: Json, path: str, found: Json) -> None:
    assert member(value, *path.split()) == found


# Progress, on the side that reports and on the one that hears of it.


def working(revision: str, *, progress: bool = True) -> tuple[Any, Any, Any, int]:
    """A client that waits, a server that works, on what, and its id."""
    left, right = pair(revision)
    key = binding(revision).requests["tools/call"]
    # True and 1.0 equal 1.
    left._ids = iter([1])
    request_id, sent = left.request(key, params_of(revision, key), progress=progress)
    return left, right, only(right.receive(sent), Incoming), request_id


@each_revision
def test_progress_is_reported_to_who_asked_for_it(revision: str) -> None:
    left, right, incoming, request_id = working(revision)
    sent = right.progress(incoming, 1, 2.5, "half")
    params = {"progressToken": request_id, "progress": 1, "total": 2.5, "message": "half"}
    if not binding(revision).facts.progress_messages:
        del params["message"]
    assert json.loads(sent) == {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}
    event = only(left.receive(sent), Progressed)
    assert (event.id, event.params.progress, event.params.total) == (request_id, 1, 2.5)


@each_revision
def test_nobody_hears_of_progress_who_did_not_ask(revision: str) -> None:
    _, right, incoming, _ = working(revision, progress=False)
    assert right.progress(incoming, 1) is None


@each_revision
@pytest.mark.parametrize("second", [1, 0.5, -1, 1.0])
def test_progress_increases(revision: str, second: float) -> None:
    left, right, incoming, request_id = working(revision)
    only(left.receive(right.progress(incoming, 1)), Progressed)
    with pytest.raises(UsageError, match="progress must increase: it was 1, got"):
        right.progress(incoming, second)
    # A server that reports it nevertheless is not listened to.
    params = {"progressToken": request_id, "progress": second}
    only(left.receive(line({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})), Dropped)
    only(left.receive(right.progress(incoming, 1.5)), Progressed)


@each_revision
@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_progress_that_json_cannot_carry_is_not_sent(revision: str, number: float) -> None:
    _, right, incoming, _ = working(revision)
    with pytest.raises(UsageError):
        right.progress(incoming, number)
    assert right.progress(incoming, 1) is not None


@each_revision
@pytest.mark.parametrize("made_of", [str, float, bool, lambda token: [token], lambda token: token + 1, lambda _: None])
def test_progress_under_another_token_is_not_heard(revision: str, made_of: Any) -> None:
    left, _, _, request_id = working(revision)
    params = {"progressToken": made_of(request_id), "progress": 1}
    only(left.receive(line({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})), Dropped)


@each_revision
def test_progress_ends_with_the_request(revision: str) -> None:
    left, right, incoming, _ = working(revision)
    late = right.progress(incoming, 1)
    left.receive(right.settle(incoming, right.error_response_line(incoming, ErrorObject(-32000, "no"))))
    assert right.progress(incoming, 2) is None
    only(left.receive(late), Dropped)


@each_revision
def test_progress_ends_with_cancellation(revision: str) -> None:
    left, right, incoming, request_id = working(revision)
    late = right.progress(incoming, 1)
    right.receive(left.cancel(request_id))
    assert right.progress(incoming, 2) is None
    only(left.receive(late), Dropped)
