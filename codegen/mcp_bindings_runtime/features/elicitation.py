"""Elicitation: forms and web pages by which a server gets input from the user (Elicitation, 2025-06-18 and later).

Never request secrets by a form: its content passes through the client, and perhaps through a language model.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from threading import Event, Lock
from typing import Any
from urllib.parse import urlsplit

from ..binding import Binding
from ..errors import DecodeError, RequestTimeout, ResponseError, UsageError
from ..logs import write_log
from .client_methods import ELICIT, PAGE_DONE
from .elicitation_outcomes import Accepted, Cancelled, Declined
from .error_codes import URL_ELICITATION_REQUIRED

_MAX_PAGES = 1000
"""Limit on the web pages of URL elicitations that a connection remembers; the oldest are forgotten."""


class URLElicitationRequired(ResponseError):
    """The user must visit the pages of ``elicitations`` before the request can be processed (2025-11-25).

    Handlers of servers raise it, and calls of clients raise it if the server returns such an error. The client can then
    pass the ids of these pages to ``wait_for_page``.
    """

    def __init__(
        self, elicitations: Sequence[Any], message: str = "This request needs the user to visit a page first."
    ) -> None:
        if not elicitations:
            text = "elicitations is empty; pass at least one ElicitRequestURLParams"
            raise UsageError(text)
        self.elicitations = list(elicitations)
        data = [
            {"mode": "url", "elicitationId": each.elicitation_id, "url": each.url, "message": each.message}
            for each in elicitations
        ]
        super().__init__(URL_ELICITATION_REQUIRED, message, {"elicitations": data})

    def __reduce__(self) -> tuple[Any, ...]:
        return URLElicitationRequired, (self.elicitations, self.message)


def typed_elicitation_error(session: Any, error: ResponseError) -> ResponseError:
    """Return the error as ``URLElicitationRequired`` if it is one in this revision; otherwise as it is."""
    types = session.binding.types
    data: Any = error.data
    listed: Any = data.get("elicitations") if data.__class__ is dict else None
    if error.code != URL_ELICITATION_REQUIRED or not session.binding.facts.page_errors:
        return error
    try:
        pages = [session.binding.codec.structure(each, types.ElicitRequestURLParams) for each in listed]
        typed = URLElicitationRequired(pages, error.message)
    except (TypeError, DecodeError, UsageError) as fault:
        write_log("warning", "an error requires visits of pages, but does not list them: %s", fault)
        return error
    for page in pages:
        pages_of(session).expect(page.elicitation_id)
    return typed


class VisitedPages:
    """Pages that a server has sent the user to, and events for their completion."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._done: OrderedDict[str, Event] = OrderedDict()

    def expect(self, elicitation_id: str | None) -> None:
        """Remember a page; do nothing if it is known already, or has no id."""
        if elicitation_id is None:
            return
        with self._lock:
            self._done.setdefault(elicitation_id, Event())
            while len(self._done) > _MAX_PAGES:
                self._done.popitem(last=False)

    def complete(self, elicitation_id: str) -> None:
        """Mark a page as completed; ignore an unknown one."""
        with self._lock:
            done = self._done.get(elicitation_id)
        if done is not None:
            done.set()

    def wait(self, elicitation_id: str, timeout: float | None) -> None:
        """Wait until a page is completed; raise UsageError for an unknown one, RequestTimeout after ``timeout`` seconds."""
        with self._lock:
            done = self._done.get(elicitation_id)
        if done is None:
            text = f"the server has not requested a page with the id {elicitation_id!r}"
            raise UsageError(text)
        if not done.wait(timeout):
            text = f"the server has not completed the page {elicitation_id!r} within {timeout:g} s"
            raise RequestTimeout(text)


def pages_of(session: Any) -> VisitedPages:
    """Return the pages of a connection."""
    pages: VisitedPages = session.feature_state.setdefault("pages", VisitedPages())
    return pages


def request_visit(
    context: Any, message: str, url: str, elicitation_id: str | None
) -> Accepted[str] | Declined | Cancelled:
    """Request a visit of a page; see ``Context.elicit_page``."""
    key = context.connection.session.binding.requests[ELICIT]
    types = context.connection.session.binding.types
    if elicitation_id is None:
        from secrets import token_urlsafe

        # Unpredictable: who knows the id can act as the user on the page.
        elicitation_id = token_urlsafe(24)
    params = types.ElicitRequestURLParams(message=message, url=url, elicitation_id=elicitation_id)
    answer = context.request(key, params)
    if answer.action == "accept":
        return Accepted(elicitation_id)
    return Declined() if answer.action == "decline" else Cancelled()


def notify_completed(context: Any, elicitation_id: str) -> None:
    """Notify the client that received the request, and no other, that a page is completed."""
    key = context.connection.session.binding.notifications[PAGE_DONE]
    context.notify(key, key.params(elicitation_id=elicitation_id))


# Checking requests and answers.

_THIS_MACHINE = frozenset({"localhost", "127.0.0.1", "::1"})


def mode_of(binding: Binding, params: Any) -> str:
    """Return ``form`` or ``url``; the default, also in revisions without modes, is ``form``."""
    return params.mode or "form" if "elicitation.url" in binding.capabilities["client"] else "form"


def page_of(binding: Binding, params: Any) -> str | None:
    """Return the id of the page in a request of mode ``url``; None in revisions that report no completion."""
    page: str | None = params.elicitation_id if PAGE_DONE in binding.notifications else None
    return page


def required_capabilities(binding: Binding, params: Any) -> Iterator[str]:
    """Yield the capability that a request requires of a client besides ``elicitation``, as a dotted path."""
    yield f"elicitation.{mode_of(binding, params)}"


def check_url(url: str) -> None:
    """Raise UsageError if a URL is not absolute (Elicitation: URL Mode Elicitation Requests).

    Log a warning for ``http:`` to another machine (Elicitation: Safe URL Handling).
    """
    try:
        parts = urlsplit(url)
    except ValueError as fault:
        text = f"{url!r} is not a URL: {fault}"
        raise UsageError(text) from None
    bare = not parts.netloc and (parts.scheme in ("http", "https") or not parts.path)
    if not parts.scheme or bare or any(char.isspace() for char in url):
        text = f"{url!r} is not an absolute URL; use https://host/path"
        raise UsageError(text)
    if parts.scheme == "http" and parts.hostname not in _THIS_MACHINE:
        write_log("warning", "the user is sent to %s without encryption; use https", parts.netloc)


def with_defaults(binding: Binding, params: Any, answer: Any) -> Any:
    """Return the answer with defaults for absent fields, in revisions where all kinds of fields have defaults."""
    if not isinstance(answer, binding.types.ElicitResult) or not _fills(binding):
        return answer
    if answer.action != "accept" or mode_of(binding, params) == "url":
        return answer
    fields = _fields(binding, params)
    content = {name: each["default"] for name, each in fields.items() if "default" in each}
    return answer.__replace__(content={**content, **(answer.content or {})}) if content else answer


def _fills(binding: Binding) -> bool:
    return binding.facts.form_defaults


def answer_mismatch(binding: Binding, params: Any, answer: Any, *, own: bool) -> str | None:
    """Return how an answer differs from the schema of its request; None if it matches.

    ``own`` is true on the side that made the request. Only there are patterns checked: a pattern of the other side could
    take forever.
    """
    if not isinstance(answer, binding.types.ElicitResult):
        return None
    if answer.action != "accept" or mode_of(binding, params) == "url":
        what = "the answer for a URL" if answer.action == "accept" else f"an answer with the action {answer.action!r}"
        # Content from the other side is ignored: "typically omitted" is not a requirement.
        return f"{what} must not have content" if answer.content is not None and not own else None
    from .forms import mismatch_of

    return mismatch_of(binding.codec.unstructure(params.requested_schema), answer.content or {}, patterns=own)


def _fields(binding: Binding, params: Any) -> Mapping[str, Any]:
    fields: Mapping[str, Any] = binding.codec.unstructure(params.requested_schema)["properties"]
    return fields
