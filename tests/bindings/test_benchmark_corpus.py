"""What the benchmarks measure with: messages that are valid and written back as they were, and others that are refused."""

from __future__ import annotations

import importlib
import json
from typing import Any

import pytest
from benchmarks.corpus import REVISIONS, Message, messages
from benchmarks.faults import wrong
from mcp_bindings_runtime.errors import DecodeError

CORPUS = [(revision, each) for revision in REVISIONS for each in messages(revision).values()]


@pytest.fixture(params=CORPUS, ids=lambda each: f"{each[0]} {each[1].name}")
def spoken(request: Any) -> tuple[Any, Message]:
    """The package of a revision, and a message of it."""
    revision, message = request.param
    return importlib.import_module(f"mcp_bindings.v{revision.replace('-', '_')}"), message


def decoded(mcp: Any, message: Message) -> Any:
    results = None if message.answers is None else {message.id: mcp.methods.REQUESTS[message.answers]}
    return mcp.decode(message.data, sender=message.sender, results=results)


def test_each_message_decodes_strictly_to_its_own_class(spoken: tuple[Any, Message]) -> None:
    mcp, message = spoken
    made = decoded(mcp, message)
    if message.answers is None:
        assert type(made) is {**mcp.methods.REQUESTS, **mcp.methods.NOTIFICATIONS}[message.method].message
    else:
        assert type(made) is getattr(mcp, "JSONRPCResultResponse", None) or mcp.JSONRPCResponse
        assert type(made.result).__module__ == mcp.types.__name__


def test_each_message_is_written_back_the_same(spoken: tuple[Any, Message]) -> None:
    mcp, message = spoken
    back = json.loads(mcp.encode(decoded(mcp, message)))
    assert json.dumps(back, sort_keys=True) == json.dumps(json.loads(message.data), sort_keys=True)


@pytest.mark.parametrize("revision", REVISIONS)
def test_the_corpus_is_the_same_at_each_call_and_has_all_sizes(revision: str) -> None:
    made = messages(revision)
    assert made == messages(revision)
    assert {each.size for each in made.values()} == {"small", "medium", "large"}
    assert list(made) == [each.name for each in made.values()]


@pytest.mark.parametrize("revision", REVISIONS)
def test_each_message_that_is_wrong_on_purpose_is_refused(revision: str) -> None:
    mcp = importlib.import_module(f"mcp_bindings.v{revision.replace('-', '_')}")
    spoilt = wrong(revision)
    assert len(spoilt) > 10
    for message in spoilt.values():
        with pytest.raises(DecodeError):
            decoded(mcp, message)
