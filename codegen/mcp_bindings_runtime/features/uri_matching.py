"""Values from a URI: whether it is one that a template gives, and for which values.

Only templates that leave no choice can be matched. So every value has to end where something comes that it cannot hold,
and no value may come through a prefix. Where a template has ``{?…}`` or ``{#…}``, the first ``?`` or ``#`` of a URI
begins it, so that ``{+path}`` before it ends there. Values come decoded. Those that stand for one segment of a path hold
no slash and are neither ``.`` nor ``..``, however that was written; those of ``{+path}`` have no segment ``..``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeAlias
from urllib.parse import quote, unquote_to_bytes

from ..errors import UsageError
from .uri_templates import OPERATORS, RESERVED, UNRESERVED, Expression, UriTemplate, Variable

Values: TypeAlias = "dict[str, str | list[str]]"
"""What the variables stand for: text, or a list where the template says ``*``."""

_NO_URI = re.compile(r'[\x00-\x20"<>\\^`{|}\x7f]|%(?![0-9A-Fa-f]{2})')
_TRIPLET = re.compile(r"%[0-9A-Fa-f]{2}")
_EXACT = frozenset(UNRESERVED + "%")
"""What an expression gives, but for separators and names, unless its operator keeps reserved characters."""
_TOLERATED = frozenset(":@!$&'()*+;=,")
"""What may stand in a segment of a path unencoded, and does where URIs are put together by hand (RFC 3986, pchar)."""
_IN_QUERIES = frozenset("/?")
"""What a query may hold besides (RFC 3986, section 3.4)."""
_ANY = frozenset(UNRESERVED + RESERVED + "%")
_CLOSING = frozenset("?#")
"""What begins the query and the fragment: a path holds neither (RFC 3986, section 3.3)."""
_OPTIONAL = frozenset("?&;#")
"""Operators that show whether there is a value: what they begin with, or the names, are there or not."""

Parts: TypeAlias = tuple[str | Expression, ...]


class Matcher:
    """Matches URIs against a template. Raises UsageError, with the reason, for one that leaves a choice.

    ``optional`` are the variables that a URI may lack.
    """

    def __init__(self, template: UriTemplate) -> None:
        self._template = template
        self._expressions = [part for part in template.parts if isinstance(part, Expression)]
        self.optional = frozenset(
            each.name for part in self._expressions if part.operator in _OPTIONAL for each in part.variables
        )
        self._refuse_choices()
        patterns = (_pattern(template.parts, index) for index in range(len(template.parts)))
        self._pattern = re.compile("".join(patterns))

    def match(self, uri: str) -> Values | None:
        """The values that the template gives this URI for; None where it is none of its.

        Every variable has a value, and none is empty, except for those of ``{?…}``, ``{&…}``, ``{;…}`` and ``{#…}``.
        """
        if _NO_URI.search(uri):
            return None
        found = self._pattern.fullmatch(_normal(uri))
        if found is None:
            return None
        values: Values = {}
        for expression, text in zip(self._expressions, found.groups(), strict=True):
            taken = _taken(expression, text)
            if taken is None:
                return None
            values |= taken
        return values

    def _refuse_choices(self) -> None:
        names = [each.name for part in self._expressions for each in part.variables]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            reason = f"{{{twice}}} stands in it twice"
            raise self._fault(reason)
        for part in self._expressions:
            self._refuse_expression(part)
        # Read from the left, each value ends where something comes that it cannot hold; from the right, too. What is
        # left over between the two is the one value that takes all the rest.
        parts = self._template.parts
        begin, end = 0, len(parts)
        while begin < end and _ends(parts, begin):
            begin += 1
        while begin < end and _begins(parts, end - 1):
            end -= 1
        if end - begin > 1:
            reason = f"the value of {parts[begin]} may hold what comes after it, so it is open where it ends"
            raise self._fault(reason)

    def _refuse_expression(self, expression: Expression) -> None:
        operator, variables = expression.operator, expression.variables
        if any(each.prefix is not None for each in variables):
            reason = f"{expression} gives a part of the value only"
        elif operator in {"+", "#", "."} and (len(variables) > 1 or any(each.explode for each in variables)):
            reason = f"{expression} gives several values, each of which may hold their separator"
        elif not OPERATORS[operator].named and any(each.explode for each in variables[:-1]):
            reason = f"{expression} has a list that is not the last, so it is open where the list ends"
        else:
            return
        raise self._fault(reason)

    def _fault(self, reason: str) -> UsageError:
        text = (
            f"{self._template.text!r} cannot be matched: {reason}. Put a character between values that none of them "
            "holds, such as '/' or ':', or use fewer variables"
        )
        return UsageError(text)


def _pattern(parts: Parts, index: int) -> str:
    part = parts[index]
    if isinstance(part, str):
        return re.escape(_normal(part))
    first = re.escape(OPERATORS[part.operator].first)
    alphabet = _alphabet(part, _after(parts, index) or frozenset(), _closing(parts, index))
    allowed = re.escape("".join(sorted(alphabet)))
    return f"(?:{first}([{allowed}]*))?" if part.operator in _OPTIONAL else f"{first}([{allowed}]+)"


def _alphabet(part: Expression, edges: frozenset[str], closing: frozenset[str]) -> frozenset[str]:
    """What an expression may give after its first character; what is only tolerated gives way to what comes next.

    ``closing`` are the characters that end the value of ``{+path}``, because a query or a fragment may follow.
    """
    operator = OPERATORS[part.operator]
    if operator.reserved:
        return _ANY - closing if part.operator == "+" else _ANY
    tolerated = _TOLERATED - edges
    several = len(part.variables) > 1 or any(each.explode for each in part.variables)
    structure = operator.separator if several else ""
    if operator.named:
        structure = operator.separator + "="
    if operator.separator == "&":
        tolerated |= _IN_QUERIES - edges
    return _EXACT | tolerated | frozenset(structure)


def _after(parts: Parts, index: int) -> frozenset[str] | None:
    """The characters that may come right after a part: none at the end, None where that may be any."""
    found: set[str] = set()
    for part in parts[index + 1 :]:
        if isinstance(part, str):
            return frozenset({*found, part[0]})
        first = OPERATORS[part.operator].first
        if not first:
            return None
        found.add(first)
        if part.operator not in _OPTIONAL:
            break
    return frozenset(found)


def _closing(parts: Parts, index: int) -> frozenset[str]:
    """The characters with which expressions after a part begin a query or a fragment."""
    return _CLOSING & {part.operator for part in parts[index + 1 :] if isinstance(part, Expression)}


def _ends(parts: Parts, index: int) -> bool:
    """Whether it is clear where a part ends, if it is clear where it begins."""
    part, after = parts[index], _after(parts, index)
    if isinstance(part, str) or index == len(parts) - 1:
        return True
    if after is None:
        return False
    return after.isdisjoint(_alphabet(part, after, _closing(parts, index)) | {OPERATORS[part.operator].first})


def _begins(parts: Parts, index: int) -> bool:
    """Whether it is clear where a part begins, if it is clear where it ends."""
    part = parts[index]
    if isinstance(part, str) or index == 0:
        return True
    if part.operator in _CLOSING:
        return not any(_may_hold(parts, place, part.operator) for place in range(index))
    before = parts[index - 1]
    edge = OPERATORS[part.operator].first or (before[-1] if isinstance(before, str) else "")
    alphabet = _alphabet(part, frozenset(edge), _closing(parts, index))
    return bool(edge) and part.operator not in _OPTIONAL and edge not in alphabet


def _may_hold(parts: Parts, index: int, character: str) -> bool:
    """Whether a character may occur in what a part gives."""
    part = parts[index]
    if isinstance(part, str):
        return character in part
    alphabet = _alphabet(part, _after(parts, index) or frozenset(), _closing(parts, index))
    return character in alphabet | {OPERATORS[part.operator].first}


# What the text of an expression stands for.


def _taken(expression: Expression, text: str | None) -> Values | None:
    """The values of one expression; None where they are not such as it may have."""
    operator, variables = expression.operator, expression.variables
    if text is None:
        return {}
    if OPERATORS[operator].named:
        return _pairs({each.name: each for each in variables}, text.split(OPERATORS[operator].separator))
    if operator in {"+", "#"}:
        value = _decoded(text)
        if value is None or (operator == "+" and ".." in re.split(r"[/\\]", value)):
            return None
        return {variables[0].name: value}
    single = len(variables) == 1 and not variables[0].explode
    texts = [text] if single else text.split("/" if operator == "/" else ",")
    segments = [_segment(each) for each in texts]
    values = [each for each in segments if each is not None]
    if len(values) < len(segments) or len(values) < len(variables):
        return None
    taken: Values = {each.name: value for each, value in zip(variables, values, strict=False)}
    if variables[-1].explode:
        taken[variables[-1].name] = values[len(variables) - 1 :]
    elif len(values) > len(variables):
        return None
    return taken


def _pairs(variables: Mapping[str, Variable], pairs: list[str]) -> Values | None:
    taken: Values = {}
    for pair in pairs:
        name, _, text = pair.partition("=")
        variable, value = variables.get(name), _decoded(text)
        if variable is None or value is None:
            return None
        before = taken.get(name)
        if isinstance(before, list):
            before.append(value)
        elif before is None:
            taken[name] = [value] if variable.explode else value
        else:
            return None
    return taken


def _segment(text: str) -> str | None:
    """The value that stands for one segment of a path, or a part of one; None for what leads elsewhere."""
    value = _decoded(text)
    return None if not value or value in {".", ".."} or "/" in value or "\\" in value else value


def _decoded(text: str) -> str | None:
    """None for what is no UTF-8, and for a zero byte, at which names of files end elsewhere."""
    try:
        value = unquote_to_bytes(text).decode()
    except UnicodeDecodeError:
        return None
    return None if "\0" in value else value


def _normal(uri: str) -> str:
    """With characters beyond ASCII encoded, and capital letters where they are."""
    return _TRIPLET.sub(lambda triplet: triplet[0].upper(), quote(uri, safe=UNRESERVED + RESERVED + "%"))
