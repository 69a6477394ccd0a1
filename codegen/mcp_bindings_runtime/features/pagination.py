"""Pagination of lists (Pagination).

A cursor is the number of the last item of a page (see ``registry``), signed together with the name of its list. It stays
valid while items are added and removed, and neither skips nor repeats one. It is written in base64url: 16 bytes of the
signature, HMAC-SHA256, and then the digits of the number.
"""

from __future__ import annotations

from typing import TypeVar

from ..errors import ResponseError
from .error_codes import error_for
from .registry import Registry

T = TypeVar("T")

_SIGNATURE = 16
_LONGEST = 64
"""Characters; all cursors are shorter."""


class Paginator:
    """Divides lists into pages of ``size`` items. ``key`` signs the cursors."""

    def __init__(self, size: int, key: bytes) -> None:
        self._size = size
        self._key = key

    def cut(
        self, name: str, items: Registry[T], cursor: str | None, variant: str = ""
    ) -> tuple[tuple[T, ...], str | None]:
        """Return the page at a cursor (None for the first page) and the cursor of the next page (None at the end).

        A cursor is valid for the list called ``name`` and its ``variant`` only. Raise `ResponseError` (-32602) for any
        other cursor.
        """
        bound = f"{name}\0{variant}"
        number = 0 if cursor is None else self._number(bound, cursor)
        if number is None:
            raise self._unknown(name)
        page, last = items.page(number, self._size)
        return page, None if last is None else self._cursor(bound, last)

    def _cursor(self, bound: str, number: int) -> str:
        from base64 import urlsafe_b64encode

        digits = str(number).encode()
        return urlsafe_b64encode(self._sign(bound, digits) + digits).decode()

    def _number(self, bound: str, cursor: str) -> int | None:
        import hmac
        from base64 import urlsafe_b64decode

        try:
            data = urlsafe_b64decode(cursor) if len(cursor) <= _LONGEST else b""
        except ValueError:
            data = b""
        signature, digits = data[:_SIGNATURE], data[_SIGNATURE:]
        if not hmac.compare_digest(self._sign(bound, digits), signature):
            return None
        return int(digits)

    def _sign(self, bound: str, digits: bytes) -> bytes:
        import hmac

        # Zero bytes separate the parts: names of methods and numbers contain none.
        return hmac.digest(self._key, b"cursor\0" + bound.encode() + b"\0" + digits, "sha256")[:_SIGNATURE]

    def _unknown(self, name: str) -> ResponseError:
        reason = f"the cursor is not one of this server for {name}; start again without a cursor"
        return error_for("invalid cursor", "Invalid cursor", {"reason": reason})
