"""The revisions whose clients a server serves, and its twins for those other than its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from threading import Lock
from typing import Any

from ..binding import Binding
from ..errors import UsageError
from ..installed_revisions import bridged_revisions
from ..validation import require_list


class ServedRevisions:
    """The revisions of one server: ``wanted``, or all that are installed for None.

    Raise `UsageError` if a wanted one cannot be served.
    """

    def __init__(self, binding: Binding, wanted: Sequence[str] | None) -> None:
        self._binding = binding
        self._wanted = None if wanted is None else self._allowed(wanted)
        self._lock = Lock()
        self._twins: dict[str, Any] = {}
        """Revision to the server that serves its clients with the handlers of this one."""
        self.prepare: Callable[[Any], object] | None = None
        """Function that is called with each twin before the twin serves a client."""

    @property
    def revisions(self) -> tuple[str, ...]:
        """The revisions, newest first."""
        return bridged_revisions(self._binding.facts) if self._wanted is None else self._wanted

    @property
    def twins(self) -> list[Any]:
        """The twins that have been used."""
        with self._lock:
            return list(self._twins.values())

    def twin(self, server: Any, revision: str) -> Any:
        """Return the twin of a server for clients of a revision, which is made on first use."""
        with self._lock:
            twin = self._twins.get(revision)
        if twin is not None:
            return twin
        # By name, since the bridge builds on servers, and most programs do without it.
        make_twin: Callable[[Any, str], Any] = import_module("..bridge.server_twin", __package__).make_twin
        made = make_twin(server, revision)
        if self.prepare is not None:
            self.prepare(made)
        with self._lock:
            return self._twins.setdefault(revision, made)

    def _allowed(self, wanted: Sequence[str]) -> tuple[str, ...]:
        known, own = bridged_revisions(self._binding.facts), self._binding.revision
        require_list("revisions", wanted, own)
        for each in wanted:
            if each not in known:
                text = f"a server of {own} cannot serve {each!r}; use one of {', '.join(known)}"
                raise UsageError(text)
        if not wanted:
            text = f"`revisions` must name one revision at least, such as {own!r}"
            raise UsageError(text)
        return tuple(sorted(set(wanted), reverse=True))
