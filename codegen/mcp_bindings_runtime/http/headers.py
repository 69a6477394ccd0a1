"""The headers in which requests of 2026-07-28 repeat parts of their body (Streamable HTTP: Request Metadata).

A client makes them with ``request_headers`` and ``argument_headers``; a server compares them with the body by
``find_mismatch``. The annotation ``x-mcp-header`` in the ``inputSchema`` of a tool marks the arguments that are repeated:
``param_headers_of``.
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
"""Method to the member of its params that ``Mcp-Name`` repeats.

The methods of tasks belong to the extension ``io.modelcontextprotocol/tasks`` (Streamable HTTP: Routing Headers).
"""

_LITERAL = frozenset({VERSION, METHOD})
"""Headers that are never encoded in Base64."""

MAX_INTEGER: Final = 2**53 - 1
"""Limit on the absolute value of integers in headers; JavaScript represents larger ones inexactly."""

_PREFIX, _SUFFIX = "=?base64?", "?="
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", re.ASCII)
"""The name of a header field (RFC 9110, section 5.1)."""
_PLAIN = re.compile(r"(?:[!-~](?:[ -~]*[!-~])?)?", re.ASCII)
"""A value that needs no encoding: printable, without spaces at either end."""
_VALUE = re.compile(r"[\t -~]*", re.ASCII)
"""The value of a header field (RFC 9110, section 5.5)."""
_INTEGER = re.compile(r"(-?\d{1,32})(?:\.0{1,32})?", re.ASCII)
_KINDS = frozenset({"string", "integer", "boolean"})
_DATA = frozenset({"const", "default", "enum", "examples"})
"""Keywords of JSON Schema whose values are not schemas."""


class ParamHeader(NamedTuple):
    """An argument of a tool that is repeated in a header."""

    header: str
    """The name of the header, including the prefix."""
    path: tuple[str, ...]
    """The path of property names to the value within ``arguments``."""


class InvalidParamHeader(ValueError):
    """The definition of a tool breaks the rules of ``x-mcp-header``, and clients have to reject it."""


# Values.


def encode_value(value: str) -> str:
    """Return a text as the value of a header, in Base64 if a header cannot carry it as it is."""
    if _PLAIN.fullmatch(value) and not (value.startswith(_PREFIX) and value.endswith(_SUFFIX)):
        return value
    return f"{_PREFIX}{b64encode(value.encode('utf-8', 'surrogatepass')).decode()}{_SUFFIX}"


def decode_value(value: str) -> str:
    """Return the text that the value of a header stands for. Raise ``ValueError`` for a malformed value."""
    value = value.strip(" \t")
    if not _VALUE.fullmatch(value):
        text = "it has characters that are not allowed in headers"
        raise ValueError(text)
    if not (value.startswith(_PREFIX) and value.endswith(_SUFFIX) and len(value) >= len(_PREFIX) + len(_SUFFIX)):
        return value
    try:
        return b64decode(value[len(_PREFIX) : -len(_SUFFIX)], validate=True).decode()
    except (BadBase64, UnicodeDecodeError):
        text = "the part between =?base64? and ?= is not Base64 of UTF-8"
        raise ValueError(text) from None


def value_text(value: Any) -> str | None:
    """Return an argument as text; None if headers cannot carry it."""
    if value.__class__ is bool:
        return "true" if value else "false"
    if value.__class__ is str:
        return str(value)
    if value.__class__ is int and -MAX_INTEGER <= value <= MAX_INTEGER:
        return str(value)
    return None


# Annotations.


def param_headers_of(schema: Any) -> tuple[ParamHeader, ...]:
    """Return the annotated arguments in the ``inputSchema`` of a tool, a JSON value.

    Raise ``InvalidParamHeader`` if one breaks the rules of the specification (Schema Extension). References are not
    followed: an argument behind one cannot be annotated.
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
                text = f"{ANNOTATION} {name!r} is repeated (case is ignored)"
                raise InvalidParamHeader(text)
            seen.add(name.lower())
            found.append(ParamHeader(PARAM + name, path))
        for keyword, value in each.items():
            if keyword == "properties" and value.__class__ is dict:
                waiting.extend((inner, (*path, name)) for name, inner in value.items())
            elif keyword not in _DATA and keyword != ANNOTATION and _is_annotated(value, keyword):
                text = f"{ANNOTATION} below {keyword!r} of {_place(path)}; only 'properties' may enclose it"
                raise InvalidParamHeader(text)
    return tuple(found)


_MAPS = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"})
"""Keywords that hold schemas by name."""


def _is_annotated(value: Any, keyword: str) -> bool:
    """Return whether the value of a keyword contains an annotation at any depth."""
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
        text = f"{ANNOTATION} at the root of the schema; move it to a property"
        raise InvalidParamHeader(text)
    if name.__class__ is not str or not _TOKEN.fullmatch(name):
        text = f"{ANNOTATION} of {_place(path)} is {name!r}, which cannot be part of the name of a header"
        raise InvalidParamHeader(text)
    kind: Any = schema.get("type")
    kinds: set[str] = {str(each) for each in kind} - {"null"} if kind.__class__ is list else {str(kind)}
    if len(kinds) != 1 or not kinds <= _KINDS:
        text = f"{ANNOTATION} of {_place(path)}, whose type is {kind!r}; it must be string, integer or boolean"
        raise InvalidParamHeader(text)
    if "integer" in kinds:
        _check_range(schema, path)
    result: str = name
    return result


def _check_range(schema: Mapping[str, Any], path: tuple[str, ...]) -> None:
    """Raise ``InvalidParamHeader`` if no valid value can be sent exactly."""
    values = [*(schema[each] for each in ("const", "minimum", "exclusiveMinimum") if each in schema)]
    least = [each for each in values if _is_number(each) and each > MAX_INTEGER]
    values = [*(schema[each] for each in ("const", "maximum", "exclusiveMaximum") if each in schema)]
    most = [each for each in values if _is_number(each) and each < -MAX_INTEGER]
    if least or most:
        text = f"{ANNOTATION} of {_place(path)}, whose values are beyond ±(2^53-1)"
        raise InvalidParamHeader(text)


def _is_number(value: Any) -> bool:
    return value.__class__ in {int, float}


def _place(path: Sequence[str]) -> str:
    return "property " + "/".join(path) if path else "the schema"


# Headers on a client.


def request_headers(message: Mapping[str, Any], revision: str | None = None) -> dict[str, str]:
    """Return the headers that repeat the revision, the method and the name in a request, a JSON value.

    ``revision`` is that of a message that names none, as notifications need not.
    """
    method = message["method"]
    params = _members(message.get("params"))
    found = {METHOD: method}
    version = _members(params.get("_meta")).get(VERSION_KEY, revision)
    if version.__class__ is str:
        found[VERSION] = version
    member = NAMED.get(method)
    if member is not None and params.get(member).__class__ is str:
        found[NAME] = encode_value(params[member])
    return found


def argument_headers(annotated: Sequence[ParamHeader], arguments: Any) -> dict[str, str]:
    """Return the headers that repeat the annotated arguments of a call; none for arguments that are absent or null.

    Raise ``UsageError`` for an integer that other implementations would not read exactly.
    """
    found: dict[str, str] = {}
    for header, path in annotated:
        value = _at(arguments, path)
        if value.__class__ is int and value_text(value) is None:
            text = (
                f"argument {'/'.join(path)} must be from -(2^53-1) to 2^53-1, got {value}: "
                f"the tool requires it in the header {header}"
            )
            raise UsageError(text)
        header_text = value_text(value)
        if header_text is not None:
            found[header] = encode_value(header_text)
    return found


# Headers on a server.


def find_mismatch(
    headers: Mapping[str, str], message: Mapping[str, Any], annotated: Sequence[ParamHeader] = ()
) -> str | None:
    """Return the reason to refuse a request with -32020, because its headers differ from its body; None if they agree.

    ``headers`` has names in lower case; ``annotated`` are the annotated arguments of the called tool. Spaces around values
    are ignored, case is not. ``MCP-Protocol-Version`` is not compared if the body names no revision.
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
        header = headers.get(name.lower())
        if header is None:
            if value is not None and value_text(value) is not None:
                return f"the header {name} is missing"
            continue
        try:
            text = header.strip(" \t") if name in _LITERAL else decode_value(header)
        except ValueError as error:
            return f"the header {name} is malformed: {error}"
        if not _agrees(text, value):
            return f"the header {name} is {text!r}, which differs from the body"
    return None


def _agrees(text: str, value: Any) -> bool:
    if value.__class__ is int or (value.__class__ is float and value.is_integer()):
        # Compare numbers: 42.0 equals 42 (Server Validation).
        number = _INTEGER.fullmatch(text)
        return number is not None and int(number[1]) == value
    return text == value_text(value)


def _at(value: Any, path: Sequence[str]) -> Any:
    for name in path:
        value = _members(value).get(name)
    return value


def _members(value: Any) -> Mapping[str, Any]:
    return value if value.__class__ is dict else {}
