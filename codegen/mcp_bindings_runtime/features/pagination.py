"""Cutting a list into pages (Pagination).

A cursor is the number of the last item of a page (see ``registry``), signed together with the list that it belongs to:
it stays good while items come and go, and neither skips nor repeats one. It is written in base64url: the signature,
HMAC-SHA256 cut to 16 bytes, and then the number.
"""

from __future__ import annotations

from typing import TypeVar

from ..errors import ResponseError
from .error_codes import error_for
from .registry import Registry

T = TypeVar("T")

_SIGNATURE = 16
_LONGEST = 64
"""Characters; no cursor that was given out is longer."""


class Paginator:
    """Cuts lists of a revision into pages of ``size`` items. ``key`` signs the cursors."""

    def __init__(self, size: int, key: bytes) -> None:
        self._size = size
        self._key = key

    def cut(
        self, name: str, items: Registry[T], cursor: str | None, variant: str = ""
    ) -> tuple[tuple[T, ...], str | None]:
        """The page that a cursor leads to, the first for None, and the cursor of the next, None at the end.

        ``name`` says which list it is, and ``variant`` what all its pages have in common: a cursor is good for that list
        and variant only. Raises ResponseError (-32602) for a cursor
        that was not given out for it.
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

        # What is put together is told apart by zero bytes, which no name of a method and no number holds.
        return hmac.digest(self._key, b"cursor\0" + bound.encode() + b"\0" + digits, "sha256")[:_SIGNATURE]

    def _unknown(self, name: str) -> ResponseError:
        reason = f"the cursor was not given out for {name} by this server; ask again without a cursor"
        return error_for("invalid cursor", "Invalid cursor", {"reason": reason})
