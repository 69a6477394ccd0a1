"""The result of a request's handler as the type that the method declares."""

from __future__ import annotations

from typing import Any

from ..codec.codec import Codec
from ..errors import DecodeError, EncodeError
from ..methods import RequestMethod


def as_declared(codec: Codec[Any], key: RequestMethod[Any, Any], result: Any) -> Any:
    """Return a result of another class, or a JSON value, as the type of the method; raise ``EncodeError`` if it is none."""
    try:
        return codec.decode_result(key, codec.unstructure(result))
    except DecodeError as error:
        raise EncodeError(("result", *error.keys), error.found, error.expected, error.revision) from None
