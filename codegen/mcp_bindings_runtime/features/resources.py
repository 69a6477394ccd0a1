"""Resources and resource templates of a server (Resources)."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..auth.scopes import NO_SCOPES
from ..connection.handler_results import WrongResult
from ..errors import ResponseError, UsageError
from ..logs import write_log
from ..validation import require_instance
from .error_codes import error_for
from .lists import announced, answer_list, check_completions, listed
from .registry import Registry
from .resource_contents import ResourceContents
from .text_arguments import TextArgumentError, TextFunction
from .uri_matching import Matcher, Values
from .uri_templates import UriTemplate

if TYPE_CHECKING:
    from ..connection.context import Context
    from .feature_server import FeatureServer

MAX_SUBSCRIPTIONS = 1000
"""Limit on the resources that one connection may be subscribed to."""
MAX_SUBSCRIPTIONS_SIZE = 256 * 1024
"""Limit on the characters of the URIs of all subscriptions of one connection."""

_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*")


class Resource(NamedTuple):
    """A registered resource."""

    listed: Any
    read: Callable[[Any], Any]
    """Function of a context that returns what the resource contains."""
    scopes: frozenset[str]
    """Scopes that reading it and subscribing to it need over HTTP."""
    source: str
    """Its name, with the file and line of its function if it has one, for the log."""


class Template(NamedTuple):
    """A registered resource template."""

    listed: Any
    matcher: Matcher
    function: TextFunction
    scopes: frozenset[str]
    """Scopes that reading its resources and subscribing to them need over HTTP."""


class Resources:
    """The resources of a server, by URI, and its templates, which are tried in the order in which they were added.

    Thread-safe; may be changed while clients are connected. A function that reads a resource returns a ``str``,
    ``bytes``, a ``pathlib.Path`` whose file is read, contents objects of the revision, a list of these, or a result. If
    it raises ``FileNotFoundError``, ``NotADirectoryError`` or ``IsADirectoryError``, the resource does not exist. An empty
    list means the same, unless the media type is that of JSON.
    """

    def __init__(self, server: FeatureServer) -> None:
        self._server = server
        self._types = server.binding.types
        self._contents = ResourceContents(server.binding)
        changes = announced(server, "notifications/resources/list_changed")
        self._resources: Registry[Resource] = Registry("resource", changes)
        self.templates: Registry[Template] = Registry("resource template", changes)
        """The templates by their text."""
        answer_list(server, "resources/list", "resources", self._resources)
        answer_list(server, "resources/templates/list", "resource_templates", self.templates)
        server.add_default_handler("resources/read", self._read, self._source_of)
        if "resources/subscribe" in server.binding.requests:
            server.add_default_handler("resources/subscribe", self._subscribe)
            server.add_default_handler("resources/unsubscribe", self._unsubscribe)

    # Registration.

    def add(
        self,
        function: Callable[..., Any],
        uri: str,
        members: Mapping[str, Any] | None = None,
        *,
        scopes: Iterable[str] = (),
        replace: bool = False,
    ) -> None:
        """Register a function that reads the resource at a URI; ``members`` are attributes of the revision's ``Resource``.

        The function has no parameters, or one for the context. Name and description are those of the function by default.
        ``scopes`` are those that reading it and subscribing to it need over HTTP. Raise `UsageError` for an invalid URI,
        for a URI that is in use unless ``replace`` is True, for a function with other parameters, and for members that the
        revision does not have.
        """
        reader = TextFunction(function, f"resource {uri}", self._server.context)
        if reader.arguments:
            names = ", ".join(reader.arguments)
            text = f"resource {uri}: a URI has no values for the parameters {names}; use @server.resource_template"
            raise UsageError(text)
        name = reader.name or _last_segment(uri)
        read: Callable[[Any], Any] = lambda context: reader.call({}, context)  # noqa: E731
        self._put(uri, name, reader.description, members, read, scopes=scopes, replace=replace, source=reader.source)

    def add_text(
        self, uri: str, text: str, *, scopes: Iterable[str] = (), replace: bool = False, **members: Any
    ) -> None:
        """Register a text with its size, by default as ``text/plain``. Raise what ``add`` raises."""
        more = {"mime_type": "text/plain", "size": len(text.encode()), **members}
        self._put(uri, _last_segment(uri), None, more, lambda _: text, scopes=scopes, replace=replace)

    def add_bytes(
        self, uri: str, data: bytes, *, scopes: Iterable[str] = (), replace: bool = False, **members: Any
    ) -> None:
        """Register bytes with their size. Raise what ``add`` raises."""
        more = {"size": len(data), **members}
        self._put(uri, _last_segment(uri), None, more, lambda _: data, scopes=scopes, replace=replace)

    def add_file(
        self,
        uri: str,
        path: str | os.PathLike[str],
        *,
        scopes: Iterable[str] = (),
        replace: bool = False,
        **members: Any,
    ) -> None:
        """Register a file, which is read each time; its media type follows from its name. Raise what ``add`` raises."""
        file = Path(path)
        kind = self._contents.media_type_of(file)
        more = members if kind is None else {"mime_type": kind, **members}
        self._put(uri, file.name, None, more, lambda _: file, scopes=scopes, replace=replace)

    def add_template(
        self,
        function: Callable[..., Any],
        uri_template: str,
        members: Mapping[str, Any] | None = None,
        *,
        scopes: Iterable[str] = (),
        replace: bool = False,
    ) -> None:
        """Register a function that reads the resources of a URI template (RFC 6570).

        The variables of the template are the function's parameters, converted by their annotations: if a value does not
        fit, the resource does not exist. Variables that a URI may omit need a default. Raise what ``add`` raises, and
        `UsageError` for a template that can match a URI in several ways (see ``uri_matching``), and if there is a completion
        for another variable.
        """
        template = UriTemplate(uri_template)
        matcher = Matcher(template)
        reader = TextFunction(function, f"resource template {uri_template}", self._server.context)
        _check_parameters(template, matcher, reader)
        name, place = reader.name or uri_template, {"uri_template": uri_template}
        listed = self._listed(self._types.ResourceTemplate, place, name, reader.description, members)
        scopes_needed = self._server.checked_scopes(f"resource template {uri_template}", scopes)
        if not replace:
            check_completions(self._server, "resource template", uri_template, reader.arguments)
        self.templates.put(uri_template, Template(listed, matcher, reader, scopes_needed), replace=replace)

    def remove(self, uri: str) -> None:
        """Remove a resource by its URI or a template by its text. Raise `UsageError` if there is none."""
        if uri in self.templates:
            self.templates.remove(uri)
        else:
            self._resources.remove(uri)

    def changing(self) -> AbstractContextManager[None]:
        """Return a context manager: clients are notified once, at its end, of all changes made in it."""
        return self._resources.changing()

    def updated(self, uri: str, *, about: str | None = None) -> None:
        """Notify the clients that have subscribed to a resource that it has changed.

        ``about`` is the URI of a resource of which this one is a part, as a file is of its folder: clients that have
        subscribed to that one are notified too, once, with ``uri`` (Schema: ResourceUpdatedNotification).
        """
        subscribed = (uri,) if about is None else (uri, about)
        for each in subscribed:
            require_instance("the URI of an updated resource", each, str, "a str")
        method = "notifications/resources/updated"
        params = self._server.binding.notifications[method].params(uri=uri)
        self._server.announce(method, params, about=subscribed)

    def __iter__(self) -> Iterator[Any]:
        return (each.listed for each in self._resources)

    def __len__(self) -> int:
        return len(self._resources)

    def __contains__(self, uri: object) -> bool:
        return uri in self._resources

    def finds(self, uri: str) -> bool:
        """Return whether there is a resource at a URI or a template that matches it."""
        return uri in self._resources or any(each.matcher.match(uri) is not None for each in self.templates)

    def scopes_of(self, uri: str) -> frozenset[str]:
        """Return the scopes that reading a URI needs; ``uri`` may be the text of a template, too.

        A URI that matches several templates needs the scopes of all, because a function may leave it to the next one.
        """
        resource = self._resources.get(uri) or self.templates.get(uri)
        if resource is not None:
            return resource.scopes
        matching = (each.scopes for each in self.templates if each.scopes and each.matcher.match(uri) is not None)
        return NO_SCOPES.union(*matching)

    def _put(
        self,
        uri: str,
        name: str,
        about: str | None,
        members: Mapping[str, Any] | None,
        read: Callable[[Any], Any],
        *,
        scopes: Iterable[str],
        replace: bool,
        source: str | None = None,
    ) -> None:
        if not _URI.fullmatch(uri):
            text = f"{uri!r} is not a URI: it must begin with a scheme such as 'file:' and contain only what RFC 3986 allows"
            raise UsageError(text)
        listed = self._listed(self._types.Resource, {"uri": uri}, name, about, members)
        needed = self._server.checked_scopes(f"resource {uri}", scopes)
        self._resources.put(uri, Resource(listed, read, needed, source or f"resource {uri}"), replace=replace)

    def _listed(
        self, cls: Any, place: Mapping[str, str], name: str, about: str | None, members: Mapping[str, Any] | None
    ) -> Any:
        more = {"name": name, "description": about, **(members or {})}
        return listed(self._server, cls, place, more, f"resource {' '.join(place.values())}")

    # Requests.

    def _read(self, params: Any, context: Context) -> Any:
        uri: str = params.uri
        try:
            resource = self._resources.get(uri)
            if resource is not None:
                return self._result(uri, resource.listed, uri, resource.read(context), params)
            for template in self.templates:
                values = template.matcher.match(uri)
                if values is None:
                    continue
                result = self._from(template, values, context)
                if result is not _MISSING:
                    return self._result(uri, template.listed, template.listed.uri_template, result, params)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError) as fault:
            write_log("debug", "%s: %s", uri, fault)
        raise self._unknown(uri)

    @staticmethod
    def _from(template: Template, values: Values, context: Context) -> Any:
        try:
            return template.function.call(values, context)
        except TextArgumentError as fault:
            write_log("debug", "%s: %s", template.listed.uri_template, fault)
            return _MISSING

    def _result(self, uri: str, listed: Any, name: str, value: Any, params: Any) -> Any:
        result = self._server.binding.types.ReadResourceResult
        if isinstance(value, self._server.binding.requests["resources/read"].result):
            return value
        try:
            contents = self._contents.of(value, uri, listed.mime_type)
        except UsageError as fault:
            text = f"{self._source_of(params)} {fault}"
            raise WrongResult(text) from fault
        if not contents:
            raise self._unknown(uri)
        return result(contents=contents, **self._server.cache_hints("resources/read", name, params))

    def _source_of(self, params: Any) -> str | None:
        """Return the name of the function that reads a URI, with its file and line; None if there is none."""
        resource = self._resources.get(params.uri)
        if resource is not None:
            return resource.source
        return next((each.function.source for each in self.templates if each.matcher.match(params.uri)), None)

    def _unknown(self, uri: str) -> ResponseError:
        code = self._server.binding.facts.unknown_resource_code
        return ResponseError(code, "Resource not found", {"uri": uri})

    def _subscribe(self, params: Any, context: Context) -> None:
        session: Any = context.connection.session
        if not self.finds(params.uri):
            raise self._unknown(params.uri)
        subscribed: set[str] = session.subscribed
        if params.uri not in subscribed:
            check_room(subscribed, params.uri)
            subscribed.add(params.uri)

    @staticmethod
    def _unsubscribe(params: Any, context: Context) -> None:
        session: Any = context.connection.session
        session.subscribed.discard(params.uri)


_MISSING = object()
"""The template matches the URI, but a value does not fit its parameter."""


def _check_parameters(template: UriTemplate, matcher: Matcher, reader: TextFunction) -> None:
    what = f"resource template {template.text}"
    missing = [name for name in template.names if name not in reader.arguments]
    if missing:
        text = f"{what}: the function has no parameter for the variable {missing[0]}"
        raise UsageError(text)
    for name, argument in reader.arguments.items():
        if argument.required and name not in template.names:
            text = f"{what}: the parameter {name} is not a variable of the template and has no default"
            raise UsageError(text)
        if argument.required and name in matcher.optional:
            text = f"{what}: a URI may omit {name}, so the parameter needs a default"
            raise UsageError(text)


def _last_segment(uri: str) -> str:
    """Return the last segment of a URI: the name of a resource without a function."""
    from urllib.parse import unquote

    return unquote(re.split(r"[/:]", uri.rstrip("/"))[-1]) or uri


def check_room(subscribed: set[str], uri: str) -> None:
    """Raise ``ResponseError`` if there is no room for a further subscription."""
    if len(subscribed) >= MAX_SUBSCRIPTIONS:
        limit = f"{MAX_SUBSCRIPTIONS} subscriptions"
    elif sum(map(len, subscribed)) + len(uri) > MAX_SUBSCRIPTIONS_SIZE:
        limit = f"{MAX_SUBSCRIPTIONS_SIZE} characters in the URIs of all subscriptions"
    else:
        return
    data = {"reason": f"the limit is {limit}; unsubscribe from other resources first"}
    refusal = error_for("too many subscriptions", "Too many subscriptions", data)
    raise refusal
