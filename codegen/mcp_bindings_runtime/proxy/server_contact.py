"""The contact with a server behind a proxy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from ..client.negotiation import Negotiation
from ..installed_revisions import package_of
from ..tasks.extension_binding import declares_tasks

if TYPE_CHECKING:
    from ..binding import Binding
    from ..methods import RequestMethod
    from ..task_interfaces import Support
    from ..transports import Transport

CONTACT_SECONDS: Final = 60.0
"""Seconds to wait for the answer to the first request."""
MAX_PAGES: Final = 1000
"""Limit on the pages of a list that are read from each of several servers; further pages are left out."""
_TASK_CALLS: Final = "tasks.requests.tools.call"
_CORE_TASKS: Final[Mapping[str, Any]] = {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}


class ServerContact:
    """The way to a server behind a proxy, ``open_transport``, and what the server declares.

    ``name`` is empty for the only server of a proxy. ``timeout`` is the number of seconds for an answer or its progress.
    After ``attempts`` failed starts in a row (None: never) the server is given up: ``on_abandoned`` is called with the
    reason. The constructor contacts the server once to learn its revision, one of ``revisions`` (None: any installed one),
    and what it declares; it raises as ``Client.connect``.
    """

    def __init__(
        self,
        open_transport: Callable[[], Transport],
        *,
        name: str = "",
        revisions: Sequence[str] | None = None,
        timeout: float = 600.0,
        attempts: int | None = None,
        on_abandoned: Callable[[str], object] | None = None,
    ) -> None:
        self.name = name
        self.title = f"the server {name!r}" if name else "the server behind"
        self.open_transport = open_transport
        self.timeout = timeout
        self.limit = max(timeout, 86_400.0)
        """Seconds to wait for an answer, however it progresses."""
        self.attempts = attempts
        self.abandoned = False
        self._on_abandoned = on_abandoned
        self._last_contact = monotonic()
        client = Negotiation(
            open_transport, revisions=revisions, timeout=min(timeout, CONTACT_SECONDS), name="mcp-proxy"
        ).connect()
        try:
            self.revision: str = client.binding.revision
            """The revision of the messages on the wire."""
            self.binding: Binding = client.binding
            """That of the revision in which the proxy sends requests; they are converted if it is another one."""
            self._describe(client)
        finally:
            client.close()

    def use_revision(self, revision: str) -> None:
        """Send requests in another revision. Contact the server to learn what it declares in that; raise as ``connect``."""
        if revision == self.binding.revision:
            return
        client: Any = package_of(revision).Client(
            self.open_transport,
            name="mcp-proxy",
            timeout=min(self.timeout, CONTACT_SECONDS),
            revisions=[revision, self.revision],
        )
        try:
            client.connect()
            self.binding = client.binding
            self._describe(client)
        finally:
            client.close()

    def _describe(self, client: Any) -> None:
        """Store what the server declares, and the resources that it lists."""
        self.info = client.server_info
        self.has_tasks = runs_tasks(self.binding, client.server_capabilities)
        """Whether the server runs calls of tools as tasks."""
        self.instructions: str | None = client.instructions
        self.capabilities = _deliverable(self.binding, client.server_capabilities)
        """The ``ServerCapabilities`` that a proxy can provide."""
        self.uris = frozenset(each.uri for each in self._listed(client, "resources")) if self.name else frozenset[str]()
        """URIs of the resources that one of several servers lists."""
        self.task_support: dict[str, Support] = {}
        """Whether each tool may or must be called as a task, as a server with sessions has listed it last."""
        if self.has_tasks and self.binding.era == "handshake":
            self.learn_task_support(self._listed(client, "tools"))

    def learn_task_support(self, tools: Iterable[Any]) -> None:
        """Remember which tools may or must be called as tasks, if the server with sessions runs such tasks."""
        if self.has_tasks and self.binding.era == "handshake":
            for tool in tools:
                self.task_support[tool.name] = (tool.execution and tool.execution.task_support) or "forbidden"

    def task_support_of(self, tool: str) -> Support:
        """Return whether a tool may or must be called as a task. Without sessions the server decides that per call."""
        if self.has_tasks and self.binding.era == "stateless":
            return "optional"
        return self.task_support.get(tool, "forbidden")

    def _listed(self, client: Any, kind: str) -> Iterator[Any]:
        """Yield the items of a list, ``tools`` or ``resources``."""
        key: Any = self.binding.requests[f"{kind}/list"]
        if not self.declares(key):
            return
        meta = {"meta": client.meta()} if self.binding.era == "stateless" else {}
        cursors: set[str | None] = set()
        cursor: str | None = None
        while cursor not in cursors and len(cursors) < MAX_PAGES:
            cursors.add(cursor)
            page = client.request(key, key.params(cursor=cursor, **meta))
            yield from getattr(page, kind)
            cursor = page.next_cursor

    def declares(self, key: RequestMethod[Any, Any]) -> bool:
        """Return whether the server has declared what a request needs."""
        return key.capability is None or self.binding.declares(self.capabilities, key.capability)

    def note_contact(self) -> None:
        """Note that the server was reached."""
        self._last_contact = monotonic()

    def abandon(self, since: float, reason: str) -> bool:
        """Give the server up, unless it was reached since a time by ``time.monotonic``; return whether it is given up."""
        if self._last_contact < since and not self.abandoned:
            self.abandoned = True
            if self._on_abandoned is not None:
                self._on_abandoned(reason)
        return self.abandoned


def runs_tasks(binding: Binding, declared: Any) -> bool:
    """Return whether a server with these capabilities runs calls of tools as tasks."""
    if binding.era == "stateless":
        return declares_tasks(declared)
    return _TASK_CALLS in binding.capabilities["server"] and binding.declares(declared, _TASK_CALLS)


def _deliverable(binding: Binding, declared: Any) -> Any:
    """Return the capabilities of a server behind that a proxy can provide."""
    found: dict[str, Any] = {} if declared is None else binding.codec.unstructure(declared)
    if found.pop("tasks", None) is not None and runs_tasks(binding, declared):
        found["tasks"] = _CORE_TASKS
    return binding.codec.structure(found, binding.types.ServerCapabilities)
