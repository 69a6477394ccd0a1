"""Elicitation: a server asks the user, by a form or by a page to visit (Elicitation, 2025-06-18 and later).

Secrets are never asked for in a form: what is typed there passes through the client, and perhaps a language model.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from threading import Event, Lock
from typing import Any, Generic, TypeVar
from urllib.parse import urlsplit

from ..binding import Binding
from ..errors import DecodeError, RequestTimeout, ResponseError, UsageError
from ..logs import write_log
from .client_methods import ELICIT, PAGE_DONE
from .error_codes import URL_ELICITATION_REQUIRED

T = TypeVar("T")

_MOST = 1000
"""Pages of one connection that are remembered; of more than that, the oldest are forgotten."""


class Accepted(Generic[T]):
    """The user has agreed; ``value`` is what they have filled in, None where there was nothing to fill in."""

    __match_args__ = ("value",)
    __slots__ = ("value",)

    def __init__(self, value: T) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return other.__class__ is Accepted and bool(self.value == getattr(other, "value", None))

    __hash__ = None  # type: ignore[assignment]  # the value may be changed

    def __repr__(self) -> str:
        return f"Accepted({self.value!r})"


class Declined:
    """The user has said no."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "Declined()"


class Cancelled:
    """The user has made no choice: ask again later, or do without."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "Cancelled()"


class URLElicitationRequired(ResponseError):
    """A request cannot be done before the user has visited pages: ``elicitations`` says which (2025-11-25).

    A server's handler raises it; out of a client's call it comes typed. The pages are known to ``wait_for_page`` then.
    """

    def __init__(
        self, elicitations: Sequence[Any], message: str = "This request needs the user to visit a page first."
    ) -> None:
        if not elicitations:
            text = "there is no page to visit; give at least one ElicitRequestURLParams"
            raise UsageError(text)
        self.elicitations = list(elicitations)
        data = [
            {"mode": "url", "elicitationId": each.elicitation_id, "url": each.url, "message": each.message}
            for each in elicitations
        ]
        super().__init__(URL_ELICITATION_REQUIRED, message, {"elicitations": data})

    def __reduce__(self) -> tuple[Any, ...]:
        return URLElicitationRequired, (self.elicitations, self.message)


def required_by(session: Any, error: ResponseError) -> ResponseError:
    """The error as ``URLElicitationRequired``, if it is one in this revision; else as it is."""
    types = session.binding.types
    data: Any = error.data
    listed: Any = data.get("elicitations") if data.__class__ is dict else None
    if error.code != URL_ELICITATION_REQUIRED or not session.binding.facts.page_errors:
        return error
    try:
        pages = [session.binding.codec.structure(each, types.ElicitRequestURLParams) for each in listed]
        typed = URLElicitationRequired(pages, error.message)
    except (TypeError, DecodeError, UsageError) as fault:
        write_log("warning", "an error says that pages are to be visited, and not which: %s", fault)
        return error
    for page in pages:
        pages_of(session).expect(page.elicitation_id)
    return typed


class Pages:
    """The pages that one server has sent the user to: which are done with, and who waits for that."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._done: OrderedDict[str, Event] = OrderedDict()

    def expect(self, elicitation_id: str | None) -> None:
        """A page has been asked for; nothing where that is known, or where pages have no ids."""
        if elicitation_id is None:
            return
        with self._lock:
            self._done.setdefault(elicitation_id, Event())
            while len(self._done) > _MOST:
                self._done.popitem(last=False)

    def complete(self, elicitation_id: str) -> None:
        """The server says that a page is done with; one that is not known is passed over."""
        with self._lock:
            done = self._done.get(elicitation_id)
        if done is not None:
            done.set()

    def wait(self, elicitation_id: str, timeout: float | None) -> None:
        """Waits until a page is done with; raises UsageError for one that was never asked for, RequestTimeout."""
        with self._lock:
            done = self._done.get(elicitation_id)
        if done is None:
            text = f"the server has not asked for a page with the id {elicitation_id!r}"
            raise UsageError(text)
        if not done.wait(timeout):
            text = f"the server has not said within {timeout:g} s that {elicitation_id!r} is done with"
            raise RequestTimeout(text)


def pages_of(session: Any) -> Pages:
    """The pages of one connection."""
    pages: Pages = session.feature_state.setdefault("pages", Pages())
    return pages


def visit(context: Any, message: str, url: str, elicitation_id: str | None) -> Accepted[str] | Declined | Cancelled:
    """Asks the user to visit a page; see ``Context.elicit_page``."""
    key = context.connection.session.binding.requests[ELICIT]
    types = context.connection.session.binding.types
    if elicitation_id is None:
        from secrets import token_urlsafe

        # Not to be guessed: whoever knows it may take the place of the user on the page.
        elicitation_id = token_urlsafe(24)
    params = types.ElicitRequestURLParams(message=message, url=url, elicitation_id=elicitation_id)
    answer = context.request(key, params)
    if answer.action == "accept":
        return Accepted(elicitation_id)
    return Declined() if answer.action == "decline" else Cancelled()


def tell_done(context: Any, elicitation_id: str) -> None:
    """Tells the client that was asked, and no other, that a page is done with."""
    key = context.connection.session.binding.notifications[PAGE_DONE]
    context.notify(key, key.params(elicitation_id=elicitation_id))


# Whether questions and answers fit.

_THIS_MACHINE = frozenset({"localhost", "127.0.0.1", "::1"})


def mode_of(params: Any) -> str:
    """``form`` or ``url``; who says nothing means a form."""
    return getattr(params, "mode", None) or "form"


def takes(params: Any) -> Iterator[str]:
    """The capability of a client that a request takes besides ``elicitation``, as a dotted path."""
    yield f"elicitation.{mode_of(params)}"


def check_url(url: str) -> None:
    """Raises UsageError for what is no absolute URL (Elicitation: URL Mode Elicitation Requests).

    One of ``http:`` to another machine is noted as a warning (Elicitation: Safe URL Handling).
    """
    try:
        parts = urlsplit(url)
    except ValueError as fault:
        text = f"{url!r} is no URL: {fault}"
        raise UsageError(text) from None
    bare = not parts.netloc and (parts.scheme in ("http", "https") or not parts.path)
    if not parts.scheme or bare or any(char.isspace() for char in url):
        text = f"{url!r} is no absolute URL; write https://host/path"
        raise UsageError(text)
    if parts.scheme == "http" and parts.hostname not in _THIS_MACHINE:
        write_log(
            "warning", "the user is sent to %s, which others can read and change on its way; use https", parts.netloc
        )


def filled(binding: Binding, params: Any, answer: Any) -> Any:
    """An accepted form with the defaults of the fields that it leaves out, in revisions where all fields have them."""
    if not isinstance(answer, binding.types.ElicitResult) or not _fills(binding):
        return answer
    if answer.action != "accept" or mode_of(params) == "url":
        return answer
    fields = _fields(binding, params)
    content = {name: each["default"] for name, each in fields.items() if "default" in each}
    return answer.__replace__(content={**content, **(answer.content or {})}) if content else answer


def _fills(binding: Binding) -> bool:
    return binding.facts.form_defaults


def misfit(binding: Binding, params: Any, answer: Any, *, own: bool) -> str | None:
    """Why an answer does not fit its question; None where it does.

    ``own`` says that the question is one's own. Only then is text held against its ``pattern``: those of others can be
    made to take for ever.
    """
    if not isinstance(answer, binding.types.ElicitResult):
        return None
    if answer.action != "accept" or mode_of(params) == "url":
        what = "the answer to a URL" if answer.action == "accept" else f"an answer to {answer.action}"
        # What others send is passed over: "typically omitted" is no rule.
        return f"{what} has no content" if answer.content is not None and not own else None
    from .forms import mismatch_of

    return mismatch_of(binding.codec.unstructure(params.requested_schema), answer.content or {}, patterns=own)


def _fields(binding: Binding, params: Any) -> Mapping[str, Any]:
    fields: Mapping[str, Any] = binding.codec.unstructure(params.requested_schema)["properties"]
    return fields
