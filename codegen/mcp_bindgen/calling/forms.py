"""Forms of ``elicitation/create``, filled in line by line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from mcp_bindgen.calling import schemas
from mcp_bindgen.calling.schemas import InvalidValueError, Json
from mcp_bindgen.escaping import visible

T = TypeVar("T")

Action: TypeAlias = Literal["accept", "decline", "cancel"]


class Prompter(Protocol):
    """Shows lines and prompts for input."""

    def show(self, text: str) -> None:
        """Show a line."""
        ...

    def prompt(self, text: str) -> str | None:
        """Show a prompt and return the typed line without its end; None at the end of the input."""
        ...


class Answer(NamedTuple):
    """The result of a form; ``content`` if it is accepted."""

    action: Action
    content: dict[str, Json] | None = None


class _CancelledError(Exception):
    """The input ended in the middle of the form."""


def fill_in(params: Json, prompter: Prompter) -> Answer:
    """Prompt for the fields of an ``elicitation/create``, and for confirmation."""
    schema = schemas.as_object(params.get("requestedSchema"))
    fields = schemas.as_object(schema.get("properties"))
    required = schemas.as_list(schema.get("required"))
    prompter.show(question(params))
    try:
        reply = _choose(prompter, "answer? [Y]es, [n]o, [c]ancel: ", _FIRST_REPLIES)
        if reply != "accept":
            return Answer(reply)
        while True:
            content = {name: _field(prompter, name, field, required=name in required) for name, field in fields.items()}
            confirmation = _choose(prompter, "send it? [Y]es, [e]dit, [n]o, [c]ancel: ", _LAST_REPLIES)
            if confirmation == "accept":
                return Answer(confirmation, {name: value for name, value in content.items() if value is not _LEFT_OUT})
            if confirmation != "edit":
                return Answer(confirmation)
    except _CancelledError:
        return Answer("cancel")


def question(params: Json) -> str:
    """Return the server's message, with control characters escaped."""
    return "\n  ".join(visible(line) for line in f"the server asks: {params.get('message')}".splitlines())


_LEFT_OUT: Final = object()
_FIRST_REPLIES: Mapping[str, Action] = {"y": "accept", "n": "decline", "c": "cancel"}
_LAST_REPLIES: Mapping[str, Action | Literal["edit"]] = {**_FIRST_REPLIES, "e": "edit"}


def _choose(prompter: Prompter, prompt: str, replies: Mapping[str, T]) -> T:
    """Prompt for a reply and return its meaning, by its first letter; an empty reply means yes."""
    while True:
        letter = (_line(prompter, prompt).strip() or "y")[0].lower()
        if letter in replies:
            return replies[letter]


def _field(prompter: Prompter, name: str, field: Json, *, required: bool) -> Json:
    """Prompt for the value of a field until it is valid."""
    prompt = _prompt(prompter, name, field, required=required)
    read = _reader(field)
    while True:
        word = _line(prompter, prompt)
        if not word.strip():
            if "default" in field:
                return field["default"]
            if not required:
                return _LEFT_OUT
            prompter.show("  a value is required")
            continue
        try:
            value = read(word)
            schemas.check(value, field, field)
        except InvalidValueError as problem:
            prompter.show(f"  {visible(str(problem))}")
            continue
        return value


def _prompt(prompter: Prompter, name: str, field: Json, *, required: bool) -> str:
    title, description = field.get("title"), field.get("description")
    words = [each for each in (title, description) if isinstance(each, str)]
    if words:
        prompter.show(f"  {visible(': '.join(words))}")
    for value, label in schemas.choices(schemas.items_of(field, field) or field, field):
        if label != value:
            prompter.show(f"    {visible(str(value))}  {visible(label)}")
    kind = schemas.in_words(field, field)
    if isinstance(field.get("format"), str):
        kind += f", {field['format']}"
    if "default" in field:
        tail = f" [{_shown(field['default'])}]"
    else:
        tail = "" if required else " (optional)"
    return f"  {visible(name)} <{visible(kind)}>{visible(tail)}: "


def _reader(field: Json) -> Callable[[str], Json]:
    items = schemas.items_of(field, field)
    if items is None:
        return lambda word: schemas.read(
            word.strip() if schemas.types_of(field, field) != ["string"] else word, field, field
        )
    return lambda word: [schemas.read(each.strip(), items, field) for each in word.split(",") if each.strip()]


def _line(prompter: Prompter, prompt: str) -> str:
    line = prompter.prompt(prompt)
    if line is None:
        raise _CancelledError
    return line


def _shown(value: Json) -> str:
    if value.__class__ is list:
        return ", ".join(map(_shown, value))
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
