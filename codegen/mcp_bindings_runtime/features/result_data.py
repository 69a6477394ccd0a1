"""The data of a tool's result: as JSON, and as a value of the type that the caller expects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..codec.json_text import NotJson, parse
from ..errors import DataMismatch, ProtocolError, UsageError
from ..logs import exception_text
from ..unset import UNSET
from .mismatch import Mismatch, MismatchError
from .type_parser import NoSchema, name_of, parse_type

_WRAPPER = "result"
"""Some servers wrap a value that is not an object in an object with only this member, as older revisions require one."""


def data_of(result: Any, structured: Any) -> Any:
    """Return the structured content or, without any, the text as JSON; None if there is no text either.

    Raise ``ToolFailed`` if the tool failed, ``ProtocolError`` if the text is not JSON.
    """
    result.raise_for_error()
    if structured is not None and structured is not UNSET:
        return structured
    text = result.text
    if not text:
        return None
    try:
        return parse(text)
    except NotJson as error:
        message = f"the tool's result has no structured content, and its text is not JSON: {error}; read `text` instead"
        raise ProtocolError(message) from None


def require_supported(expected: Any) -> None:
    """Raise ``UsageError`` for a type that ``convert_data`` does not support without a converter."""
    try:
        parse_type(expected)
    except NoSchema as error:
        text = f"{error}; for another type, pass a converter of cattrs to `as_` of the result"
        raise UsageError(text) from None


def convert_data(result: Any, structured: Any, expected: Any, converter: Any = None) -> Any:
    """Return the data of a result as a value of a type, for ``as_`` of the class ``CallToolResult``.

    ``converter`` is a converter of cattrs; without one, the types are those that tools may have as parameters, and the data
    may have members that a class lacks. Raise ``ToolFailed`` if the tool failed, ``DataMismatch`` if the data is not of the
    type, ``UsageError`` for a type that is not supported.
    """
    result.raise_for_error()
    convert = _own_conversion(expected) if converter is None else _cattrs_conversion(expected, converter)
    if structured is not None and structured is not UNSET:
        value = structured
    elif expected is str:
        value = result.text
    else:
        value = _json_or_text(result.text)
    try:
        return convert(value)
    except MismatchError as error:
        misfit = error
    if value.__class__ is dict and value.keys() == {_WRAPPER}:
        try:
            return convert(value[_WRAPPER])
        except MismatchError as error:
            if not all(each.keys for each in misfit.mismatches):
                misfit = MismatchError(error.below(_WRAPPER))
    raise DataMismatch(name_of(expected), [str(each) for each in misfit.mismatches], result)


def _json_or_text(text: str) -> Any:
    try:
        return parse(text) if text else None
    except NotJson:
        return text


def _own_conversion(expected: Any) -> Callable[[Any], Any]:
    require_supported(expected)
    return parse_type(expected, ignore_unknown=True).read


def _cattrs_conversion(expected: Any, converter: Any) -> Callable[[Any], Any]:
    from cattrs import BaseValidationError, StructureHandlerNotFoundError, transform_error

    def convert(value: Any) -> Any:
        try:
            return converter.structure(value, expected)
        except StructureHandlerNotFoundError:
            raise
        except BaseValidationError as error:
            raise MismatchError([Mismatch((), text) for text in transform_error(error)]) from error
        except (ValueError, TypeError, KeyError) as error:
            raise MismatchError([Mismatch((), exception_text(error))]) from error

    return convert
