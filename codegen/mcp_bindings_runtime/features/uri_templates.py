"""URI templates (RFC 6570, all four levels): parsing and expansion; ``uri_matching`` is the reverse."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from ..errors import UsageError

Atom: TypeAlias = "str | int | float"
Value: TypeAlias = "Atom | Sequence[Atom] | Mapping[str, Atom] | None"
"""Value of a variable; None, an empty list and an empty mapping count as undefined (section 2.3)."""


class Operator(NamedTuple):
    """A row of the table in RFC 6570, appendix A."""

    first: str
    separator: str
    named: bool
    if_empty: str
    """Text after the name if the value is empty."""
    reserved: bool
    """Whether reserved characters are not encoded."""


OPERATORS: Mapping[str, Operator] = {
    "": Operator("", ",", named=False, if_empty="", reserved=False),
    "+": Operator("", ",", named=False, if_empty="", reserved=True),
    "#": Operator("#", ",", named=False, if_empty="", reserved=True),
    ".": Operator(".", ".", named=False, if_empty="", reserved=False),
    "/": Operator("/", "/", named=False, if_empty="", reserved=False),
    ";": Operator(";", ";", named=True, if_empty="", reserved=False),
    "?": Operator("?", "&", named=True, if_empty="=", reserved=False),
    "&": Operator("&", "&", named=True, if_empty="=", reserved=False),
}

UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
RESERVED = ":/?#[]@!$&'()*+,;="
_TRIPLET = r"%[0-9A-Fa-f]{2}"
_NAME = re.compile(rf"(?:[A-Za-z0-9_]|{_TRIPLET})(?:\.?(?:[A-Za-z0-9_]|{_TRIPLET}))*")
_NOT_LITERAL = re.compile(rf'[\x00-\x20"<>\\^`{{|}}\x7f]|%(?!{_TRIPLET[1:]})')
_RESERVED_PIECES = re.compile(rf"{_TRIPLET}|[{re.escape(UNRESERVED + RESERVED)}]+|.", re.DOTALL)
_PREFIX_DIGITS = 4


class Variable(NamedTuple):
    """A variable of an expression with its modifier (section 2.4)."""

    name: str
    prefix: int | None
    """Number of characters of the value that are used; None for all."""
    explode: bool


class Expression(NamedTuple):
    """An expression in braces."""

    operator: str
    variables: tuple[Variable, ...]

    def __str__(self) -> str:
        specs = [
            each.name + ("*" if each.explode else "" if each.prefix is None else f":{each.prefix}")
            for each in self.variables
        ]
        return f"{{{self.operator}{','.join(specs)}}}"


class UriTemplate:
    """A parsed template: ``parts`` are its literals, encoded, and its expressions.

    Raises UsageError, which names the position, for an invalid template.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.parts: tuple[str | Expression, ...] = tuple(self._read())

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables, each once, in their order."""
        found = (each.name for part in self.parts if isinstance(part, Expression) for each in part.variables)
        return tuple(dict.fromkeys(found))

    def expand(self, values: Mapping[str, Value]) -> str:
        """Return the URI for these values (section 3); variables without a value are left out.

        Raises UsageError for a value that is neither text, number, list nor mapping, and for a prefix of a list or mapping.
        """
        return "".join(part if isinstance(part, str) else _expanded(part, values) for part in self.parts)

    def _read(self) -> Iterator[str | Expression]:
        end = 0
        while end < len(self.text):
            begin = self.text.find("{", end)
            literal = self.text[end : begin if begin >= 0 else None]
            wrong = _NOT_LITERAL.search(literal)
            if wrong is not None:
                raise self._fault(end + wrong.start(), f"{wrong[0]!r} is not allowed outside of an expression")
            if literal:
                yield _encoded(literal, reserved=True)
            if begin < 0:
                return
            end = self.text.find("}", begin) + 1
            if not end:
                raise self._fault(begin, "the closing '}' of the expression is missing")
            yield self._expression(begin + 1, self.text[begin + 1 : end - 1])

    def _expression(self, place: int, text: str) -> Expression:
        operator = text[:1] if text[:1] in OPERATORS else ""
        specs = text[len(operator) :].split(",")
        place += len(operator)
        variables: list[Variable] = []
        for spec in specs:
            variables.append(self._variable(place, spec))
            place += len(spec) + 1
        return Expression(operator, tuple(variables))

    def _variable(self, place: int, spec: str) -> Variable:
        name = _NAME.match(spec)
        if name is None:
            expected = "a name of letters, digits and _"
            accepted = "".join(OPERATORS)
            found = repr(spec[0]) if spec else "nothing"
            raise self._fault(place, f"found {found}, expected {expected}; operators are {' '.join(accepted)}")
        rest = spec[name.end() :]
        if rest == "*":
            return Variable(name[0], None, explode=True)
        digits = rest[1:]
        if (
            rest[:1] == ":"
            and digits.isascii()
            and digits.isdigit()
            and digits[0] != "0"
            and len(digits) <= _PREFIX_DIGITS
        ):
            return Variable(name[0], int(digits), explode=False)
        if rest:
            raise self._fault(place + name.end(), f"found {rest!r} after a name, expected '*' or ':1' to ':9999'")
        return Variable(name[0], None, explode=False)

    def _fault(self, place: int, reason: str) -> UsageError:
        return UsageError(
            f"{self.text!r} is not a URI template: at character {place + 1}, {reason} (RFC 6570, section 2)"
        )


def expand(template: str, values: Mapping[str, Value]) -> str:
    """Return the URI of a template for these values.

    Raise UsageError for an invalid template, for a value that is neither text, number, list nor mapping, and for a prefix
    of a list or mapping.
    """
    return UriTemplate(template).expand(values)


def _expanded(expression: Expression, values: Mapping[str, Value]) -> str:
    operator = OPERATORS[expression.operator]
    pieces: list[str] = []
    for variable in expression.variables:
        value = values.get(variable.name)
        if value is not None:
            pieces += _pieces(operator, variable, value)
    return operator.first + operator.separator.join(pieces) if pieces else ""


def _pieces(operator: Operator, variable: Variable, value: Value) -> list[str]:
    """Return the encoded parts of a value, to be joined by the operator's separator; none if it is undefined."""
    if isinstance(value, Mapping):
        pairs = [(_text(variable, key), _text(variable, item)) for key, item in value.items()]
    elif isinstance(value, str | bytes | bytearray) or not isinstance(value, Sequence):
        text = _text(variable, value)
        encoded = _encoded(text if variable.prefix is None else text[: variable.prefix], reserved=operator.reserved)
        return [_named(operator, variable.name, encoded)]
    else:
        pairs = [("", _text(variable, item)) for item in value]
    if variable.prefix is not None:
        text = f"{variable.name} is a list or a mapping, which cannot have a prefix (RFC 6570, section 2.4.1)"
        raise UsageError(text)
    encoded_pairs = [
        (_encoded(key, reserved=operator.reserved), _encoded(item, reserved=operator.reserved)) for key, item in pairs
    ]
    if not encoded_pairs:
        return []
    keyed = isinstance(value, Mapping)
    if not variable.explode:
        joined = ",".join(f"{key},{item}" if keyed else item for key, item in encoded_pairs)
        return [_named(operator, variable.name, joined)]
    if operator.named:
        return [_named(operator, key if keyed else variable.name, item) for key, item in encoded_pairs]
    return [f"{key}={item}" if keyed else item for key, item in encoded_pairs]


def _named(operator: Operator, name: str, encoded: str) -> str:
    if not operator.named:
        return encoded
    return f"{name}={encoded}" if encoded else name + operator.if_empty


def _text(variable: Variable, value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    text = f"{variable.name} must be a text, a number, or a list or mapping of these, got {value.__class__.__name__}"
    raise UsageError(text)


def _encoded(text: str, *, reserved: bool) -> str:
    """Percent-encode all but unreserved characters; with ``reserved``, keep reserved and encoded ones, too."""
    from urllib.parse import quote

    if not reserved:
        return quote(text, safe="~")
    return "".join(
        piece if len(piece) > 1 or piece in RESERVED else quote(piece, safe="~")
        for piece in _RESERVED_PIECES.findall(text)
    )
