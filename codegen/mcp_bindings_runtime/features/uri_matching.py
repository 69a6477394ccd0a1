"""URI matching: the values of a template's variables in a URI.

Only unambiguous templates can be matched: each value must end before a character that it cannot contain, and no
variable may have a prefix. In a template with ``{?…}`` or ``{#…}`` the first ``?`` or ``#`` of a URI begins that part, so
``{+path}`` before it ends there. Values are decoded. A value for one segment of a path contains no slash and is neither
``.`` nor ``..``, encoded or not; a value of ``{+path}`` contains no segment ``..``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeAlias
from urllib.parse import quote, unquote_to_bytes

from ..errors import UsageError
from .uri_templates import OPERATORS, RESERVED, UNRESERVED, Expression, UriTemplate, Variable

Values: TypeAlias = "dict[str, str | list[str]]"
"""Values by variable: a text, or a list for a variable with ``*``."""

_NOT_URI = re.compile(r'[\x00-\x20"<>\\^`{|}\x7f]|%(?![0-9A-Fa-f]{2})')
_TRIPLET = re.compile(r"%[0-9A-Fa-f]{2}")
_ENCODED = frozenset(UNRESERVED + "%")
"""Characters of an encoded value, unless its operator keeps reserved characters."""
_TOLERATED = frozenset(":@!$&'()*+;=,")
"""Characters that URIs written by hand have unencoded in segments of a path (RFC 3986, pchar)."""
_IN_QUERIES = frozenset("/?")
"""Further characters of a query (RFC 3986, section 3.4)."""
_ANY = frozenset(UNRESERVED + RESERVED + "%")
_CLOSING = frozenset("?#")
"""Characters that begin the query and the fragment, and so end a path (RFC 3986, section 3.3)."""
_OPTIONAL = frozenset("?&;#")
"""Operators whose first character or names show whether a value is present."""

Parts: TypeAlias = tuple[str | Expression, ...]


class Matcher:
    """Matches URIs against a template. Raises UsageError, with the reason, for an ambiguous one.

    ``optional`` are the variables that a URI may omit.
    """

    def __init__(self, template: UriTemplate) -> None:
        self._template = template
        self._expressions = [part for part in template.parts if isinstance(part, Expression)]
        self.optional = frozenset(
            each.name for part in self._expressions if part.operator in _OPTIONAL for each in part.variables
        )
        self._require_unambiguous()
        patterns = (_pattern(template.parts, index) for index in range(len(template.parts)))
        self._pattern = re.compile("".join(patterns))

    def match(self, uri: str) -> Values | None:
        """Return the values for which the template expands to this URI; None if there are none.

        Only variables of ``{?…}``, ``{&…}``, ``{;…}`` and ``{#…}`` may be absent or empty.
        """
        if _NOT_URI.search(uri):
            return None
        found = self._pattern.fullmatch(_normalized(uri))
        if found is None:
            return None
        values: Values = {}
        for expression, text in zip(self._expressions, found.groups(), strict=True):
            matched = _values_of(expression, text)
            if matched is None:
                return None
            values |= matched
        return values

    def _require_unambiguous(self) -> None:
        names = [each.name for part in self._expressions for each in part.variables]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            reason = f"{{{twice}}} occurs twice"
            raise self._ambiguous(reason)
        for part in self._expressions:
            self._require_unambiguous_expression(part)
        # Parts with a clear end are matched from the left, those with a clear begin from the right. One part may remain
        # in between: it takes the rest.
        parts = self._template.parts
        begin, end = 0, len(parts)
        while begin < end and _has_clear_end(parts, begin):
            begin += 1
        while begin < end and _has_clear_begin(parts, end - 1):
            end -= 1
        if end - begin > 1:
            reason = f"the value of {parts[begin]} may contain the text after it"
            raise self._ambiguous(reason)

    def _require_unambiguous_expression(self, expression: Expression) -> None:
        operator, variables = expression.operator, expression.variables
        if any(each.prefix is not None for each in variables):
            reason = f"{expression} contains only a part of the value"
        elif operator in {"+", "#", "."} and (len(variables) > 1 or any(each.explode for each in variables)):
            reason = f"{expression} contains several values, which may contain their separator"
        elif not OPERATORS[operator].named and any(each.explode for each in variables[:-1]):
            reason = f"{expression} has a list before its last variable"
        else:
            return
        raise self._ambiguous(reason)

    def _ambiguous(self, reason: str) -> UsageError:
        text = (
            f"{self._template.text!r} cannot be matched: {reason}. Separate values by a character that they cannot "
            "contain, such as '/' or ':', or use fewer variables"
        )
        return UsageError(text)


def _pattern(parts: Parts, index: int) -> str:
    part = parts[index]
    if isinstance(part, str):
        return re.escape(_normalized(part))
    first = re.escape(OPERATORS[part.operator].first)
    alphabet = _alphabet(part, _followers(parts, index) or frozenset(), _closing(parts, index))
    allowed = re.escape("".join(sorted(alphabet)))
    return f"(?:{first}([{allowed}]*))?" if part.operator in _OPTIONAL else f"{first}([{allowed}]+)"


def _alphabet(part: Expression, edges: frozenset[str], closing: frozenset[str]) -> frozenset[str]:
    """Return the characters of an expression after its first; tolerated ones only if they are not in ``edges``.

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
    return _ENCODED | tolerated | frozenset(structure)


def _followers(parts: Parts, index: int) -> frozenset[str] | None:
    """Return the characters that may follow a part: none at the end; None if any may follow."""
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
    """Return the characters with which expressions after a part begin a query or a fragment."""
    return _CLOSING & {part.operator for part in parts[index + 1 :] if isinstance(part, Expression)}


def _has_clear_end(parts: Parts, index: int) -> bool:
    """Return whether the end of a part is known once its begin is."""
    part, after = parts[index], _followers(parts, index)
    if isinstance(part, str) or index == len(parts) - 1:
        return True
    if after is None:
        return False
    return after.isdisjoint(_alphabet(part, after, _closing(parts, index)) | {OPERATORS[part.operator].first})


def _has_clear_begin(parts: Parts, index: int) -> bool:
    """Return whether the end of a part determines where the part begins."""
    part = parts[index]
    if isinstance(part, str) or index == 0:
        return True
    if part.operator in _CLOSING:
        return not any(_may_contain(parts, place, part.operator) for place in range(index))
    before = parts[index - 1]
    edge = OPERATORS[part.operator].first or (before[-1] if isinstance(before, str) else "")
    alphabet = _alphabet(part, frozenset(edge), _closing(parts, index))
    return bool(edge) and part.operator not in _OPTIONAL and edge not in alphabet


def _may_contain(parts: Parts, index: int, character: str) -> bool:
    """Return whether a character may occur in the text of a part."""
    part = parts[index]
    if isinstance(part, str):
        return character in part
    alphabet = _alphabet(part, _followers(parts, index) or frozenset(), _closing(parts, index))
    return character in alphabet | {OPERATORS[part.operator].first}


# Values of the text of an expression.


def _values_of(expression: Expression, text: str | None) -> Values | None:
    """Return the values of one expression; None if the text does not match it."""
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
    matched: Values = {each.name: value for each, value in zip(variables, values, strict=False)}
    if variables[-1].explode:
        matched[variables[-1].name] = values[len(variables) - 1 :]
    elif len(values) > len(variables):
        return None
    return matched


def _pairs(variables: Mapping[str, Variable], pairs: list[str]) -> Values | None:
    matched: Values = {}
    for pair in pairs:
        name, _, text = pair.partition("=")
        variable, value = variables.get(name), _decoded(text)
        if variable is None or value is None:
            return None
        before = matched.get(name)
        if isinstance(before, list):
            before.append(value)
        elif before is None:
            matched[name] = [value] if variable.explode else value
        else:
            return None
    return matched


def _segment(text: str) -> str | None:
    """Return the value of a segment of a path, or of a part of one; None if it leaves the segment."""
    value = _decoded(text)
    return None if not value or value in {".", ".."} or "/" in value or "\\" in value else value


def _decoded(text: str) -> str | None:
    """Return the decoded text; None if it is not UTF-8 or has a zero byte, which would end a file name early."""
    try:
        value = unquote_to_bytes(text).decode()
    except UnicodeDecodeError:
        return None
    return None if "\0" in value else value


def _normalized(uri: str) -> str:
    """Encode characters beyond ASCII, and write all encodings in capitals."""
    return _TRIPLET.sub(lambda triplet: triplet[0].upper(), quote(uri, safe=UNRESERVED + RESERVED + "%"))
