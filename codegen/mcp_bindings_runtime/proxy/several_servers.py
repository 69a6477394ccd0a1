"""Several servers behind a proxy that look like one.

Tools and prompts get the name of their server as a prefix. A resource keeps its URI: it belongs to the server that lists it,
else to the first with a template for it, else to the first that can read it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, Final, cast

from ..errors import ResponseError, UsageError
from ..features.uri_matching import Matcher
from ..features.uri_templates import UriTemplate
from ..installed_revisions import facts_of, installed_revisions
from ..jsonrpc import INVALID_PARAMS, METHOD_NOT_FOUND
from ..logs import write_log

if TYPE_CHECKING:
    from ..binding import Binding
    from ..methods import NotificationMethod, RequestMethod
    from ..server.subscription_opening import Listener
    from ..task_interfaces import Support
    from .backend_server import BackendServer

SEPARATOR: Final = "__"
"""Text between the name of a server and that of its tool or prompt."""
LIST_SECONDS: Final = 30.0
"""Seconds to wait for a page of a list; the list does without a server that takes longer."""
_NO_NAME = re.compile(r"[^A-Za-z0-9_-]+")
"""Characters that names of tools should not contain."""
_LISTS: Final = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resource_templates",
}
"""Requests for lists to the attribute of the result with the items."""
_PREFIXED: Final = frozenset({"tools/list", "prompts/list"})
_NAMED: Final = frozenset({"tools/call", "prompts/get"})
_OF_RESOURCES: Final = frozenset({"resources/read", "resources/subscribe", "resources/unsubscribe"})
_COMPLETE = "completion/complete"
_SET_LEVEL = "logging/setLevel"
_RESOURCES = "resources/list"
_TEMPLATES = "resources/templates/list"

Forward = Callable[["BackendServer"], Any]


class SeveralServers:
    """Passes each request on to the server that it is for, and merges lists.

    A server that cannot be used has no items in the lists, and requests for it fail; the others are not affected. Raise
    ``UsageError`` for names of servers, or URIs of resources, that clash.
    """

    def __init__(self, backends: Sequence[BackendServer], version: str) -> None:
        self._version = version
        self._prefixes = _prefixes([each.name for each in backends])
        self._backends = {self._prefixes[each.name]: each for each in backends}
        revision = _common_revision([each.revision for each in backends])
        with ThreadPoolExecutor(len(backends)) as pool:
            for started in [pool.submit(each.use_revision, revision) for each in backends]:
                started.result()
        self.binding: Binding = backends[0].binding
        _refuse_shared_resources(backends)
        merged: dict[str, Any] = {}
        for each in backends:
            merged = _union(merged, self.binding.codec.unstructure(each.capabilities))
        self.capabilities = self.binding.codec.structure(merged, self.binding.types.ServerCapabilities)

    @property
    def has_tasks(self) -> bool:
        """Whether a server runs calls of tools as tasks."""
        return any(each.has_tasks for each in self._backends.values())

    def task_support_of(self, tool: str) -> Support:
        """Return whether a tool may or must be called as a task."""
        try:
            backend, name = self._named(tool)
        except ResponseError:
            return "forbidden"
        return backend.task_support_of(name)

    @property
    def info(self) -> Any:
        """The name and version of the proxy: each server behind has its own."""
        return self.binding.types.Implementation(name="mcp-bridge", version=self._version)

    @property
    def instructions(self) -> str:
        """The instructions of all servers, each below the prefix of its tools and prompts."""
        parts: list[str] = []
        for prefix, backend in self._backends.items():
            text = f"# {backend.name}\n\nThe names of its tools and prompts begin with {prefix}"
            parts.append(f"{text}\n\n{backend.instructions}" if backend.instructions else text)
        return "\n\n".join(parts)

    def forward(self, key: RequestMethod[Any, Any], params: Any, context: Any) -> Any:
        """Return the answer to a request of a client; raise ``ResponseError``."""
        if key.name in _LISTS:
            return self._list(key, key.params() if params is None else params, context)
        if key.name in _NAMED:
            backend, name = self._named(params.name)
            return backend.forward(key, params.__replace__(name=name), context)
        if key.name in _OF_RESOURCES:
            return self._about_resource(key, params, params.uri, context)
        if key.name == _COMPLETE:
            return self._complete(key, params, context)
        if key.name == _SET_LEVEL:
            return self._everywhere(key, params, context)
        reason = f"{key.name} is for one server, and several are behind this one"
        raise ResponseError(METHOD_NOT_FOUND, "Method not found", {"reason": reason})

    def notify(self, key: NotificationMethod[Any], params: Any, context: Any) -> None:
        """Pass a notification of a client on to all servers."""
        for each in self._backends.values():
            each.notify(key, params, context)

    def watch(self, uris: frozenset[str], context: Any) -> None:
        """Pass updates of these resources on to a client with a session; raise ``ResponseError``.

        The servers have no sessions.
        """
        watched = self._by_owner(uris, context)
        unknown = uris.difference(*watched.values())
        if unknown:
            reason = f"no server behind lists {min(unknown)}, or has a template for it"
            raise _invalid(reason)
        for backend, own in watched.items():
            if own or backend.session(context).watches:
                backend.watch(frozenset(own), context)

    def listen(self, listener: Listener, context: Any) -> frozenset[str]:
        """Send changes of all servers to a subscription. Return the URIs whose updates it gets.

        A server that cannot be used is left out; raise its ``ResponseError`` if there is no other.
        """
        watched = self._by_owner(listener.uris, context) if listener.uris else {}
        followed: set[str] = set()
        errors: list[ResponseError] = []
        for backend in self._backends.values():
            try:
                followed |= backend.session(context).listen(listener, frozenset(watched.get(backend, ())), context)
            except ResponseError as error:
                errors.append(error)
                write_log("warning", "%s is left out of a subscription: %s %s", backend.title, error, error.data)
        if len(errors) == len(self._backends):
            raise errors[0]
        return frozenset(followed)

    def _by_owner(self, uris: frozenset[str], context: Any) -> dict[BackendServer, set[str]]:
        """Return those of some URIs that belong to each server with resources; the others have no owner."""
        types: Any = self.binding.types
        meta = None
        if self.binding.era == "stateless":
            meta = types.RequestMetaObject(
                protocol_version=self.binding.revision,
                client_capabilities=context.peer_capabilities or types.ClientCapabilities(),
                client_info=context.peer_info,
            )
        backends = self._declaring(self.binding.requests[_RESOURCES])
        found: dict[BackendServer, set[str]] = {each: set() for each in backends}
        for uri in uris:
            owner = self._owner(backends, meta, uri, context)
            if owner is not None:
                found[owner].add(uri)
        return found

    # Lists.

    def _list(self, key: RequestMethod[Any, Any], params: Any, context: Any) -> Any:
        """Return a list of all servers on one page."""
        member = _LISTS[key.name]
        if params.cursor is not None:
            reason = "this list has one page, so there are no cursors"
            raise _invalid(reason)
        results = self._of_each(
            key, context, lambda each: self._listed(each, key, params, context), self._declaring(key)
        )
        items: list[Any] = []
        for backend, result in results:
            found = getattr(result, member)
            if key.name in _PREFIXED:
                prefix = self._prefixes[backend.name]
                found = [each.__replace__(name=prefix + each.name) for each in found]
            items += found
        merged: Any = results[0][1].__replace__(**{member: items, "meta": None})
        if self.binding.era == "stateless":
            shared = all(result.cache_scope == "public" for _, result in results)
            ttl = min(result.ttl_ms for _, result in results)
            merged = merged.__replace__(ttl_ms=ttl, cache_scope="public" if shared else "private")
        return merged

    def _listed(self, backend: BackendServer, key: RequestMethod[Any, Any], params: Any, context: Any) -> Any:
        """Return the whole list of one server; remember the URIs of its resources."""
        member = _LISTS[key.name]
        result = backend.list_all(key, params, member, context, min(backend.timeout, LIST_SECONDS))
        session = backend.session(context)
        if key.name == _RESOURCES:
            session.uris = frozenset(each.uri for each in result.resources)
        elif key.name == _TEMPLATES:
            session.templates = tuple(each.uri_template for each in result.resource_templates)
        return result

    def _declaring(self, key: RequestMethod[Any, Any]) -> list[BackendServer]:
        """Return the servers that have declared what a request needs. Raise ``ResponseError`` if none has."""
        found = [each for each in self._backends.values() if each.declares(key)]
        if not found:
            reason = f"no server behind has declared {key.capability!r}"
            raise ResponseError(METHOD_NOT_FOUND, "Method not found", {"reason": reason})
        return found

    def _of_each(
        self, key: RequestMethod[Any, Any], context: Any, send: Forward, backends: Sequence[BackendServer]
    ) -> list[tuple[BackendServer, Any]]:
        """Call a function with each server at the same time; return the results of those that have one.

        Raise the error of the first if there is none.
        """
        # Here, since the threads would compete for it.
        with context.cancellable(), ThreadPoolExecutor(len(backends), "mcp-list") as pool:
            answers = [(each, pool.submit(send, each)) for each in backends]
        found: list[tuple[BackendServer, Any]] = []
        errors: list[BaseException] = []
        for backend, answer in answers:
            error = answer.exception()
            if error is None:
                found.append((backend, answer.result()))
                continue
            errors.append(error)
            if not isinstance(error, ResponseError):
                raise error
            write_log("warning", "%s is left out of %s: %s %s", backend.title, key.name, error, error.data)
        if not found:
            raise errors[0]
        return found

    def _everywhere(self, key: RequestMethod[Any, Any], params: Any, context: Any) -> Any:
        results = self._of_each(key, context, lambda each: each.forward(key, params, context), self._declaring(key))
        return results[0][1]

    # Names and URIs.

    def _named(self, name: str) -> tuple[BackendServer, str]:
        """Return the server of a tool or prompt, and its name there. Raise ``ResponseError`` for an unknown one."""
        for prefix, backend in self._backends.items():
            if name.startswith(prefix):
                return backend, name.removeprefix(prefix)
        reason = f"{name!r} has none of the prefixes {', '.join(self._backends)}"
        raise _invalid(reason)

    def _complete(self, key: RequestMethod[Any, Any], params: Any, context: Any) -> Any:
        ref: Any = params.ref
        if ref.type == "ref/prompt":
            backend, name = self._named(ref.name)
            return backend.forward(key, params.__replace__(ref=ref.__replace__(name=name)), context)
        return self._about_resource(key, params, ref.uri, context)

    def _about_resource(self, key: RequestMethod[Any, Any], params: Any, uri: str, context: Any) -> Any:
        """Return the answer of the server to which a resource or template belongs, else of the first that has one."""
        backends = self._declaring(self.binding.requests[_RESOURCES])
        owner = self._owner(backends, getattr(params, "meta", None), uri, context)
        if owner is not None:
            return owner.forward(key, params, context)
        first: ResponseError | None = None
        for each in backends:
            try:
                return each.forward(key, params, context)
            except ResponseError as error:
                first = first or error
        raise cast("ResponseError", first)

    def _owner(self, backends: Sequence[BackendServer], meta: Any, uri: str, context: Any) -> BackendServer | None:
        """Return the server that lists a URI, else the first with a template for it; None if there is none."""
        known = next((each for each in backends if uri in (each.session(context).uris or ())), None)
        if known is not None:
            return known
        self._learn(backends, meta, context)
        for each in backends:
            if uri in (each.session(context).uris or ()):
                return each
        for each in backends:
            if _matches(each.session(context).templates or (), uri):
                return each
        return None

    def _learn(self, backends: Sequence[BackendServer], meta: Any, context: Any) -> None:
        """List the resources and templates of the servers whose are not known."""

        def listed(key: Any, wanted: Any, backend: BackendServer) -> Any:
            return self._listed(backend, key, wanted, context)

        for method, attribute in ((_RESOURCES, "uris"), (_TEMPLATES, "templates")):
            key = self.binding.requests[method]
            missing = [each for each in backends if getattr(each.session(context), attribute) is None]
            if missing:
                wanted = key.params(meta=meta) if self.binding.era == "stateless" else key.params()
                try:
                    self._of_each(key, context, partial(listed, key, wanted), missing)
                except ResponseError as error:
                    write_log("info", "%s of the servers behind failed: %s", method, error)


def _prefixes(names: Sequence[str]) -> dict[str, str]:
    """Return the prefix of each name. Raise ``UsageError`` if one is the beginning of another."""
    found = {name: _NO_NAME.sub("_", name) + SEPARATOR for name in names}
    for name, prefix in found.items():
        for other, longer in found.items():
            if name != other and longer.startswith(prefix):
                text = (
                    f"the names {name!r} and {other!r} of servers clash: tools of both could begin with {longer!r}; rename "
                    "one of them"
                )
                raise UsageError(text)
    return found


def _common_revision(revisions: Sequence[str]) -> str:
    """Return the revision in which the proxy sends requests to servers of several.

    Questions of servers with sessions need one, and later revisions of that era have all that earlier ones have.
    """
    if len(set(revisions)) == 1:
        return revisions[0]
    with_sessions = [each for each in installed_revisions() if (facts := facts_of(each)) is None or facts.handshake]
    # Questions of servers without sessions are results, which such a revision passes on as they are.
    return max(revisions if set(revisions).isdisjoint(with_sessions) else with_sessions)


def _refuse_shared_resources(backends: Iterable[BackendServer]) -> None:
    """Raise ``UsageError`` if two servers list one URI."""
    owners: dict[str, BackendServer] = {}
    for backend in backends:
        for uri in backend.uris:
            other = owners.setdefault(uri, backend)
            if other is not backend:
                text = f"the servers {other.name!r} and {backend.name!r} both list the resource {uri}; use one of them"
                raise UsageError(text)


def _union(left: Any, right: Any) -> Any:
    """Return what two JSON objects declare together."""
    if left.__class__ is not dict or right.__class__ is not dict:
        return left or right
    both = {name: _union(left[name], right[name]) for name in left.keys() & right.keys()}
    return {**left, **right, **both}


def _matches(templates: Iterable[str], uri: str) -> bool:
    """Return whether a URI is one of some templates, or fits one of them."""
    for text in templates:
        if text == uri:
            return True
        try:
            if Matcher(UriTemplate(text)).match(uri) is not None:
                return True
        except UsageError:
            # It is ambiguous, or no template at all.
            continue
    return False


def _invalid(reason: str) -> ResponseError:
    return ResponseError(INVALID_PARAMS, "Invalid params", {"reason": reason})
