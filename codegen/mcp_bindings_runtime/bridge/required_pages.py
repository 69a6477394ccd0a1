"""The pages that a user must visit before a request: an error of 2025-11-25, requests for input of 2026-07-28."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from ..errors import DecodeError, ResponseError
from ..meta import member

if TYPE_CHECKING:
    from ..binding import Binding

ELICIT: Final = "elicitation/create"
_PAGE_FIRST: Final = -32042


def required_pages(binding: Binding, error: ResponseError) -> Sequence[Any]:
    """Return the pages of an error of this revision, as params of ``elicitation/create``; empty if it has none.

    See 2025-11-25, Elicitation: URL Elicitation Required Error.
    """
    listed: Any = member(error.data, "elicitations")
    if error.code != _PAGE_FIRST or not binding.facts.page_errors or listed.__class__ is not list:
        return ()
    try:
        return [binding.codec.structure(each, binding.types.ElicitRequestURLParams) for each in listed]
    except DecodeError:
        return ()


def visit_pages(context: Any, error: ResponseError) -> bool:
    """Ask the client to send its user to the pages of an error; return whether the user has accepted them all.

    ``context`` is that of the request, in the revision of the error. Raise as its ``request``.
    """
    binding: Binding = context.peer.binding
    pages = required_pages(binding, error)
    return bool(pages) and all(context.request(binding.requests[ELICIT], each).action == "accept" for each in pages)
