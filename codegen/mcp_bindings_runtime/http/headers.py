"""What requests of 2026-07-28 repeat in their headers (Streamable HTTP: Request Metadata).

A client writes them with ``standard`` and ``parameters``; a server holds them against the body with ``mismatch``. Which
arguments of a tool are repeated is said by the annotation ``x-mcp-header`` in its ``inputSchema``: ``param_headers_of``.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from binascii import Error as BadBase64
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from ..errors import UsageError

VERSION: Final = "MCP-Protocol-Version"
METHOD: Final = "Mcp-Method"
NAME: Final = "Mcp-Name"
PARAM: Final = "Mcp-Param-"
ANNOTATION: Final = "x-mcp-header"

VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
"""The member of ``params._meta`` that the header repeats."""

NAMED: Final[Mapping[str, str]] = {
    "tools/call": "name",
    "prompts/get": "name",
    "resources/read": "uri",
    "tasks/get": "taskId",
    "tasks/update": "taskId",
    "tasks/cancel": "taskId",
}
"""The methods that have a ``Mcp-Name``, and the member of their params that it repeats.

Those of tasks are of the extension ``io.modelcontextprotocol/tasks`` (Streamable HTTP: Routing Headers).
"""

_LITERAL = frozenset({VERSION, METHOD})
"""Headers that are never in Base64."""

LARGEST: Final = 2**53 - 1
"""The largest integer that is repeated, and the negative of the smallest."""

_PREFIX, _SUFFIX = "=?base64?", "?="
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", re.ASCII)
"""A name of a header field (RFC 9110, section 5.1)."""
_PLAIN = re.compile(r"(?:[!-~](?:[ -~]*[!-~])?)?", re.ASCII)
"""A value that may be sent as it is: printable, and without blanks at either end."""
_VALUE = re.compile(r"[\t -~]*", re.ASCII)
"""What may be in a value at all (RFC 9110, section 5.5)."""
_INTEGER = re.compile(r"(-?\d{1,32})(?:\.0{1,32})?", re.ASCII)
_KINDS = frozenset({"string", "integer", "boolean"})
_DATA = frozenset({"const", "default", "enum", "examples"})
"""Keywords of JSON Schema that hold values and not schemas."""


class ParamHeader(NamedTuple):
    """An argument of a tool that is repeated in a header."""

    header: str
    """The name of the header, prefix included."""
    path: tuple[str, ...]
    """The names that lead to its value, from ``arguments`` on."""


class InvalidParamHeader(ValueError):
    """A tool whose definition clients have to reject, and why."""


# Values.


def encoded(value: str) -> str:
    """A text as the value of a header: as it is, or in Base64 where a header could not carry it."""
    if _PLAIN.fullmatch(value) and not (value.startswith(_PREFIX) and value.endswith(_SUFFIX)):
        return value
    return f"{_PREFIX}{b64encode(value.encode('utf-8', 'surrogatepass')).decode()}{_SUFFIX}"


def decoded(value: str) -> str:
    """The text that the value of a header stands for; raises ValueError, which says what is wrong with it."""
    value = value.strip(" \t")
    if not _VALUE.fullmatch(value):
        text = "it has characters that a header may not have"
        raise ValueError(text)
    if not (value.startswith(_PREFIX) and value.endswith(_SUFFIX) and len(value) >= len(_PREFIX) + len(_SUFFIX)):
        return value
    try:
        return b64decode(value[len(_PREFIX) : -len(_SUFFIX)], validate=True).decode()
    except (BadBase64, UnicodeDecodeError):
        text = "what is between =?base64? and ?= is no UTF-8 in Base64"
        raise ValueError(text) from None


def written(value: Any) -> str | None:
    """An argument as text; None for one that headers do not carry."""
    if value.__class__ is bool:
        return "true" if value else "false"
    if value.__class__ is str:
        return str(value)
    if value.__class__ is int and -LARGEST <= value <= LARGEST:
        return str(value)
    return None


# Annotations.


def param_headers_of(schema: Any) -> tuple[ParamHeader, ...]:
    """The annotated arguments of a tool, by its ``inputSchema`` as JSON.

    Raises InvalidParamHeader where one breaks the rules of the specification (Schema Extension). Nothing that the schema
    refers to is looked up: an argument that only a reference leads to cannot be annotated.
    """
    found: list[ParamHeader] = []
    seen: set[str] = set()
    waiting: list[tuple[Any, tuple[str, ...]]] = [(schema, ())]
    while waiting:
        each, path = waiting.pop()
        if each.__class__ is not dict:
            continue
        if ANNOTATION in each:
            name = _name(each, path)
            if name.lower() in seen:
                text = f"{ANNOTATION} {name!r} is there more than once (case does not count)"
                raise InvalidParamHeader(text)
            seen.add(name.lower())
            found.append(ParamHeader(PARAM + name, path))
        for keyword, value in each.items():
            if keyword == "properties" and value.__class__ is dict:
                waiting.extend((inner, (*path, name)) for name, inner in value.items())
            elif keyword not in _DATA and keyword != ANNOTATION and _is_annotated(value, keyword):
                text = f"{ANNOTATION} below {keyword!r} of {_place(path)}; only a chain of 'properties' may lead to one"
                raise InvalidParamHeader(text)
    return tuple(found)


_MAPS = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"})
"""Keywords whose members are schemas by name."""


def _is_annotated(value: Any, keyword: str) -> bool:
    """Whether there is an annotation in a value of a keyword, however deep."""
    waiting: list[tuple[Any, bool]] = [(value, keyword in _MAPS)]
    while waiting:
        each, by_name = waiting.pop()
        if each.__class__ is list:
            waiting.extend((inner, False) for inner in each)
        elif each.__class__ is dict:
            if not by_name and ANNOTATION in each:
                return True
            waiting.extend(
                (inner, not by_name and name in _MAPS) for name, inner in each.items() if by_name or name not in _DATA
            )
    return False


def _name(schema: Mapping[str, Any], path: tuple[str, ...]) -> str:
    name = schema[ANNOTATION]
    if not path:
        text = f"{ANNOTATION} at the root of the schema; it belongs to a property"
        raise InvalidParamHeader(text)
    if name.__class__ is not str or not _TOKEN.fullmatch(name):
        text = f"{ANNOTATION} of {_place(path)} is {name!r}, which cannot be a part of a header's name"
        raise InvalidParamHeader(text)
    kind: Any = schema.get("type")
    kinds: set[str] = {str(each) for each in kind} - {"null"} if kind.__class__ is list else {str(kind)}
    if len(kinds) != 1 or not kinds <= _KINDS:
        text = f"{ANNOTATION} of {_place(path)}, whose type is {kind!r}; accepted are string, integer, boolean"
        raise InvalidParamHeader(text)
    if "integer" in kinds:
        _check_range(schema, path)
    result: str = name
    return result


def _check_range(schema: Mapping[str, Any], path: tuple[str, ...]) -> None:
    """An integer that must lie beyond what a header carries exactly could never be sent."""
    values = [*(schema[each] for each in ("const", "minimum", "exclusiveMinimum") if each in schema)]
    least = [each for each in values if _is_number(each) and each > LARGEST]
    values = [*(schema[each] for each in ("const", "maximum", "exclusiveMaximum") if each in schema)]
    most = [each for each in values if _is_number(each) and each < -LARGEST]
    if least or most:
        text = f"{ANNOTATION} of {_place(path)}, whose values are beyond ±(2^53-1)"
        raise InvalidParamHeader(text)


def _is_number(value: Any) -> bool:
    return value.__class__ in {int, float}


def _place(path: Sequence[str]) -> str:
    return "property " + "/".join(path) if path else "the schema"


# Headers of a client.


def standard(message: Mapping[str, Any]) -> dict[str, str]:
    """The headers that repeat what a request, as JSON, is: its revision, its method and what it names."""
    method = message["method"]
    params = _members(message.get("params"))
    found = {METHOD: method}
    version = _members(params.get("_meta")).get(VERSION_KEY)
    if version.__class__ is str:
        found[VERSION] = version
    member = NAMED.get(method)
    if member is not None and params.get(member).__class__ is str:
        found[NAME] = encoded(params[member])
    return found


def parameters(annotated: Sequence[ParamHeader], arguments: Any) -> dict[str, str]:
    """The headers that repeat the annotated arguments of a call.

    What is absent or null, or not of a type that headers carry, has none. Raises UsageError for an integer that other
    readers would not read exactly.
    """
    found: dict[str, str] = {}
    for header, path in annotated:
        value = _at(arguments, path)
        if value.__class__ is int and written(value) is None:
            text = (
                f"argument {'/'.join(path)} is {value}, and the tool wants it in the header {header}, which carries "
                "integers from -(2^53-1) to 2^53-1"
            )
            raise UsageError(text)
        text_of = written(value)
        if text_of is not None:
            found[header] = encoded(text_of)
    return found


# Headers as a server sees them.


def mismatch(
    headers: Mapping[str, str], message: Mapping[str, Any], annotated: Sequence[ParamHeader] = ()
) -> str | None:
    """Why a request is to be refused with -32020: its headers are not what its body says. None where they are.

    ``headers`` has its names in lower case; ``annotated`` are the annotated arguments of the tool that is called. Blanks
    around values do not count, their case does. ``MCP-Protocol-Version`` is not looked at where the body names no
    revision, which is for others to refuse.
    """
    params = _members(message.get("params"))
    version = _members(params.get("_meta")).get(VERSION_KEY)
    wanted: list[tuple[str, Any]] = [] if version is None else [(VERSION, version)]
    wanted.append((METHOD, message.get("method")))
    member = NAMED.get(message.get("method", ""))
    if member is not None and params.get(member) is not None:
        wanted.append((NAME, params[member]))
    wanted.extend((each.header, _at(params.get("arguments"), each.path)) for each in annotated)
    for name, value in wanted:
        given = headers.get(name.lower())
        if given is None:
            if value is not None and written(value) is not None:
                return f"the header {name} is missing"
            continue
        try:
            text = given.strip(" \t") if name in _LITERAL else decoded(given)
        except ValueError as fault:
            return f"the header {name} cannot be read: {fault}"
        if not _agrees(text, value):
            return f"the header {name} says {text!r}, and the body does not"
    return None


def _agrees(text: str, value: Any) -> bool:
    if value.__class__ is int or (value.__class__ is float and value.is_integer()):
        # By their numbers, as 42.0 is 42 (Server Validation).
        number = _INTEGER.fullmatch(text)
        return number is not None and int(number[1]) == value
    return text == written(value)


def _at(value: Any, path: Sequence[str]) -> Any:
    for name in path:
        value = _members(value).get(name)
    return value


def _members(value: Any) -> Mapping[str, Any]:
    return value if value.__class__ is dict else {}
