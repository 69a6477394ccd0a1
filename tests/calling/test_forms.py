"""Forms that a server asks for, filled in by somebody whose lines are written down here."""

from __future__ import annotations

from typing import Any

import pytest
from mcp_bindgen.calling.forms import Answer, fill_in


class Somebody:
    """Types the given lines, and then leaves."""

    def __init__(self, *lines: str) -> None:
        self._lines = iter(lines)
        self.seen: list[str] = []

    def show(self, text: str) -> None:
        self.seen.append(text)

    def prompt(self, text: str) -> str | None:
        self.seen.append(text)
        return next(self._lines, None)


def form(required: tuple[str, ...] = (), **fields: Any) -> Any:
    return {"message": "Well?", "requestedSchema": {"type": "object", "properties": fields, "required": [*required]}}


EVERY = form(
    required=("name",),
    name={"type": "string", "title": "Your name"},
    age={"type": "integer", "minimum": 1},
    score={"type": "number", "default": 95.5},
    verified={"type": "boolean"},
    status={"type": "string", "enum": ["a", "b"], "default": "a"},
    colour={"type": "string", "oneOf": [{"const": "#f00", "title": "Red"}, {"const": "#0f0", "title": "Green"}]},
    legacy={"type": "string", "enum": ["x", "y"], "enumNames": ["Ex", "Why"]},
    many={"type": "array", "items": {"enum": ["p", "q"]}},
    titled={"type": "array", "items": {"anyOf": [{"const": "p", "title": "Pea"}]}},
)


def test_each_field_has_its_type() -> None:
    somebody = Somebody("y", " Ada ", "36", "1", "TRUE", "b", "Red", "Why", "p, q", "Pea", "y")
    assert fill_in(EVERY, somebody) == Answer(
        "accept",
        {
            "name": " Ada ",
            "age": 36,
            "score": 1,
            "verified": True,
            "status": "b",
            "colour": "#f00",
            "legacy": "y",
            "many": ["p", "q"],
            "titled": ["p"],
        },
    )


def test_enter_takes_the_default_and_leaves_out_what_is_optional() -> None:
    answer = fill_in(EVERY, Somebody("", "Ada", *[""] * 8, ""))
    assert answer == Answer("accept", {"name": "Ada", "score": 95.5, "status": "a"})


@pytest.mark.parametrize(
    ("lines", "action"),
    [
        (["n"], "decline"),
        (["c"], "cancel"),
        (["what?", "No"], "decline"),
        ([], "cancel"),
        (["y"], "cancel"),
        (["y", "Ada", "n"], "decline"),
        (["y", "Ada", "c"], "cancel"),
        (["y", "Ada"], "cancel"),
    ],
)
def test_whoever_does_not_want_to_sends_nothing(lines: list[str], action: str) -> None:
    assert fill_in(form(name={"type": "string"}), Somebody(*lines)) == Answer(action)


def test_a_form_may_be_filled_in_again() -> None:
    assert fill_in(form(n={"type": "integer"}), Somebody("y", "1", "e", "2", "y")) == Answer("accept", {"n": 2})


@pytest.mark.parametrize(
    ("field", "wrong", "complaint"),
    [
        ({"type": "integer"}, "x", "expected integer, got 'x'"),
        ({"type": "integer", "minimum": 1}, "0", "expected at least 1, got 0"),
        ({"type": "number", "maximum": 9}, "9.5", "expected at most 9, got 9.5"),
        ({"type": "string", "minLength": 3}, "ab", "expected at least 3 characters, got 'ab'"),
        ({"type": "string", "maxLength": 3}, "abcd", "expected at most 3 characters, got 'abcd'"),
        ({"type": "boolean"}, "perhaps", "write true or false"),
        ({"type": "string", "enum": ["a", "b"]}, "c", "expected one of a, b, got"),
        ({"type": "array", "items": {"enum": ["a", "b"]}, "maxItems": 1}, "a,b", "expected at most 1 items, got"),
        ({"type": "string"}, "", "a value is required"),
    ],
)
def test_what_does_not_fit_is_asked_for_again(field: Any, wrong: str, complaint: str) -> None:
    somebody = Somebody("y", wrong)
    assert fill_in(form(required=("x",), x=field), somebody) == Answer("cancel")
    assert complaint in somebody.seen[-2]


def test_what_a_server_writes_is_not_obeyed_by_a_terminal() -> None:
    evil = "\x1b[2J\x07"
    somebody = Somebody("y", "1", "y")
    fields = {evil: {"type": "string", "title": evil, "description": evil, "default": evil, "format": evil}}
    fill_in({"message": evil, "requestedSchema": {"properties": fields}}, somebody)
    assert "\x1b" not in "".join(somebody.seen)
    assert "\x07" not in "".join(somebody.seen)


def test_a_form_without_fields_is_a_question() -> None:
    assert fill_in({"message": "Go on?"}, Somebody("", "")) == Answer("accept", {})
