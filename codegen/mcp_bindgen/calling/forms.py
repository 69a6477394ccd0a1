"""A form that a server has somebody fill in (``elicitation/create``), asked line by line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from mcp_bindgen.calling import schemas
from mcp_bindgen.calling.schemas import Json, UnfitError
from mcp_bindgen.escaping import visible

T = TypeVar("T")

Action: TypeAlias = Literal["accept", "decline", "cancel"]


class Asked(Protocol):
    """Whoever is asked."""

    def say(self, text: str) -> None:
        """Shows a line."""
        ...

    def ask(self, prompt: str) -> str | None:
        """The line that is typed at a prompt, without its end; None at the end of the input."""
        ...


class Answer(NamedTuple):
    """What has been made of a form; ``content`` where it is accepted."""

    action: Action
    content: dict[str, Json] | None = None


class _CancelledError(Exception):
    """The input has ended in the middle of the form."""


def fill_in(params: Json, somebody: Asked) -> Answer:
    """Has somebody fill in the form of an ``elicitation/create``, look at it, and send it or not."""
    schema = schemas.as_object(params.get("requestedSchema"))
    fields = schemas.as_object(schema.get("properties"))
    required = schemas.as_list(schema.get("required"))
    somebody.say(question(params))
    try:
        begun = _choose(somebody, "answer? [Y]es, [n]o, [c]ancel: ", _WHETHER)
        if begun != "accept":
            return Answer(begun)
        while True:
            content = {name: _field(somebody, name, field, needed=name in required) for name, field in fields.items()}
            done = _choose(somebody, "send it? [Y]es, [e]dit, [n]o, [c]ancel: ", _AT_THE_END)
            if done == "accept":
                return Answer(done, {name: value for name, value in content.items() if value is not _LEFT_OUT})
            if done != "edit":
                return Answer(done)
    except _CancelledError:
        return Answer("cancel")


def question(params: Json) -> str:
    """What the server asks, in its words, of which a terminal obeys none."""
    return "\n  ".join(visible(line) for line in f"the server asks: {params.get('message')}".splitlines())


_LEFT_OUT: Final = object()
_WHETHER: Mapping[str, Action] = {"y": "accept", "n": "decline", "c": "cancel"}
_AT_THE_END: Mapping[str, Action | Literal["edit"]] = {**_WHETHER, "e": "edit"}


def _choose(somebody: Asked, prompt: str, replies: Mapping[str, T]) -> T:
    """What a reply stands for, by its first letter; yes where there is none."""
    while True:
        letter = (_line(somebody, prompt).strip() or "y")[0].lower()
        if letter in replies:
            return replies[letter]


def _field(somebody: Asked, name: str, field: Json, *, needed: bool) -> Json:
    """The value of one field; asks again until it fits."""
    prompt = _prompt(somebody, name, field, needed=needed)
    read = _reader(field)
    while True:
        word = _line(somebody, prompt)
        if not word.strip():
            if "default" in field:
                return field["default"]
            if not needed:
                return _LEFT_OUT
            somebody.say("  it is required")
            continue
        try:
            value = read(word)
            schemas.check(value, field, field)
        except UnfitError as problem:
            somebody.say(f"  {visible(str(problem))}")
            continue
        return value


def _prompt(somebody: Asked, name: str, field: Json, *, needed: bool) -> str:
    title, description = field.get("title"), field.get("description")
    words = [each for each in (title, description) if isinstance(each, str)]
    if words:
        somebody.say(f"  {visible(': '.join(words))}")
    for value, label in schemas.choices(schemas.items_of(field, field) or field, field):
        if label != value:
            somebody.say(f"    {visible(str(value))}  {visible(label)}")
    kind = schemas.in_words(field, field)
    if isinstance(field.get("format"), str):
        kind += f", {field['format']}"
    if "default" in field:
        tail = f" [{_shown(field['default'])}]"
    else:
        tail = "" if needed else " (optional)"
    return f"  {visible(name)} <{visible(kind)}>{visible(tail)}: "


def _reader(field: Json) -> Callable[[str], Json]:
    items = schemas.items_of(field, field)
    if items is None:
        return lambda word: schemas.read(
            word.strip() if schemas.types_of(field, field) != ["string"] else word, field, field
        )
    return lambda word: [schemas.read(each.strip(), items, field) for each in word.split(",") if each.strip()]


def _line(somebody: Asked, prompt: str) -> str:
    line = somebody.ask(prompt)
    if line is None:
        raise _CancelledError
    return line


def _shown(value: Json) -> str:
    if value.__class__ is list:
        return ", ".join(map(_shown, value))
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
