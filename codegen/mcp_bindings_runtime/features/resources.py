"""Resources and resource templates of a server (Resources)."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import ResponseError, UsageError
from ..logs import write_log
from ..validation import require_instance
from .error_codes import error_for
from .lists import announced, answer_list, listed
from .registry import Registry
from .resource_contents import Contents
from .text_arguments import TextFunction, WrongArgument
from .uri_matching import Matcher, Values
from .uri_templates import UriTemplate

if TYPE_CHECKING:
    from ..connection.context import Context
    from .feature_server import FeatureServer

MOST_SUBSCRIPTIONS = 1000
"""Resources that one connection may be subscribed to."""

_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*")


class Resource(NamedTuple):
    """A resource that is offered."""

    listed: Any
    give: Callable[[Any], Any]
    """What it holds, given a context."""


class Template(NamedTuple):
    """A resource template that is offered."""

    listed: Any
    matcher: Matcher
    function: TextFunction


class Resources:
    """What a server offers to read: resources by URI, and templates, which are asked in the order they were added.

    Thread-safe; may be changed while clients are connected. A function that serves a resource returns a ``str``,
    ``bytes``, a ``pathlib.Path`` whose file is read, contents objects of the revision, a list of such, or a ready-made
    result. Where it raises FileNotFoundError or NotADirectoryError, and where it returns an empty list, there is no such
    resource.
    """

    def __init__(self, server: FeatureServer) -> None:
        self._server = server
        self._types = server.binding.types
        self._contents = Contents(server.binding)
        changes = announced(server, "notifications/resources/list_changed")
        self._resources: Registry[Resource] = Registry("resource", changes)
        self.templates: Registry[Template] = Registry("resource template", changes)
        """The templates, by their text."""
        answer_list(server, "resources/list", "resources", self._resources)
        answer_list(server, "resources/templates/list", "resource_templates", self.templates)
        server.provide("resources/read", self._read)
        if "resources/subscribe" in server.binding.requests:
            server.provide("resources/subscribe", self._subscribe)
            server.provide("resources/unsubscribe", self._unsubscribe)

    # What is offered.

    def add(
        self,
        function: Callable[..., Any],
        uri: str,
        members: Mapping[str, Any] | None = None,
        *,
        replace: bool = False,
    ) -> None:
        """Offers what a function returns as the resource at a URI; ``members`` are attributes of the revision's Resource.

        The function has no parameters, or one for the context. Name and description are the function's, unless given.
        Raises UsageError for a URI that is none or, without ``replace``, is taken; for a function with other parameters;
        for members that the revision does not have.
        """
        reader = TextFunction(function, f"resource {uri}", self._server.context)
        if reader.arguments:
            names = ", ".join(reader.arguments)
            text = f"resource {uri}: there are no values for {names}; @server.resource_template has some"
            raise UsageError(text)
        name = reader.name or _last_segment(uri)
        self._put(uri, name, reader.about, members, lambda context: reader.call({}, context), replace=replace)

    def add_text(self, uri: str, text: str, *, replace: bool = False, **members: Any) -> None:
        """Offers a text; raises as ``add`` does. Its size is listed, and it is ``text/plain`` unless said otherwise."""
        more = {"mime_type": "text/plain", "size": len(text.encode()), **members}
        self._put(uri, _last_segment(uri), None, more, lambda _: text, replace=replace)

    def add_bytes(self, uri: str, data: bytes, *, replace: bool = False, **members: Any) -> None:
        """Offers bytes; raises as ``add`` does. Their size is listed."""
        self._put(uri, _last_segment(uri), None, {"size": len(data), **members}, lambda _: data, replace=replace)

    def add_file(self, uri: str, path: str | os.PathLike[str], *, replace: bool = False, **members: Any) -> None:
        """Offers a file, which is read each time; its type follows from its name. Raises as ``add`` does."""
        file = Path(path)
        kind = self._contents.kind_of(file)
        more = members if kind is None else {"mime_type": kind, **members}
        self._put(uri, file.name, None, more, lambda _: file, replace=replace)

    def add_template(
        self,
        function: Callable[..., Any],
        uri_template: str,
        members: Mapping[str, Any] | None = None,
        *,
        replace: bool = False,
    ) -> None:
        """Offers what a function returns as the resources of a URI template (RFC 6570).

        The variables of the template are the function's parameters, read by their annotations: where one cannot be, there
        is no such resource. Those that a URI may lack need a default. Raises UsageError as ``add`` does, and for a
        template that leaves a choice of values (see ``uri_matching``).
        """
        template = UriTemplate(uri_template)
        matcher = Matcher(template)
        reader = TextFunction(function, f"resource template {uri_template}", self._server.context)
        _refuse_differences(template, matcher, reader)
        name, place = reader.name or uri_template, {"uri_template": uri_template}
        listed = self._listed(self._types.ResourceTemplate, place, name, reader.about, members)
        self.templates.put(uri_template, Template(listed, matcher, reader), replace=replace)

    def remove(self, uri: str) -> None:
        """Takes back a resource or, by its text, a template. Raises UsageError where there is none."""
        if uri in self.templates:
            self.templates.remove(uri)
        else:
            self._resources.remove(uri)

    def changing(self) -> AbstractContextManager[None]:
        """A ``with`` block: what is added and removed in it is told of once, at its end."""
        return self._resources.changing()

    def updated(self, uri: str, *, about: str | None = None) -> None:
        """Notify the clients that have subscribed to a resource that it has changed.

        ``about`` is the URI of a resource of which this one is a part, as a file is of its folder: clients that have
        subscribed to that one are notified too, once, with ``uri`` (Schema: ResourceUpdatedNotification).
        """
        subscribed = (uri,) if about is None else (uri, about)
        for each in subscribed:
            require_instance("the URI of an updated resource", each, str, "texts")
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
        """Whether there is a resource at a URI, or a template that has it."""
        return uri in self._resources or any(each.matcher.match(uri) is not None for each in self.templates)

    def _put(
        self,
        uri: str,
        name: str,
        about: str | None,
        members: Mapping[str, Any] | None,
        give: Callable[[Any], Any],
        *,
        replace: bool,
    ) -> None:
        if not _URI.fullmatch(uri):
            text = f"{uri!r} is no URI: it has to begin with a scheme such as 'file:', and hold what RFC 3986 allows"
            raise UsageError(text)
        listed = self._listed(self._types.Resource, {"uri": uri}, name, about, members)
        self._resources.put(uri, Resource(listed, give), replace=replace)

    def _listed(
        self, cls: Any, place: Mapping[str, str], name: str, about: str | None, members: Mapping[str, Any] | None
    ) -> Any:
        more = {"name": name, "description": about, **(members or {}), **place}
        return listed(self._server, cls, more, f"resource {' '.join(place.values())}")

    # What is answered.

    def _read(self, params: Any, context: Context) -> Any:
        uri: str = params.uri
        try:
            offer = self._resources.get(uri)
            if offer is not None:
                return self._result(uri, offer.listed, uri, offer.give(context), params)
            for template in self.templates:
                values = template.matcher.match(uri)
                if values is None:
                    continue
                result = self._from(template, values, context)
                if result is not _ELSEWHERE:
                    return self._result(uri, template.listed, template.listed.uri_template, result, params)
        except (FileNotFoundError, NotADirectoryError) as fault:
            write_log("debug", "%s: %s", uri, fault)
        raise self._unknown(uri)

    @staticmethod
    def _from(template: Template, values: Values, context: Context) -> Any:
        try:
            return template.function.call(values, context)
        except WrongArgument as fault:
            write_log("debug", "%s: %s", template.listed.uri_template, fault)
            return _ELSEWHERE

    def _result(self, uri: str, listed: Any, name: str, given: Any, params: Any) -> Any:
        result = self._server.binding.types.ReadResourceResult
        if isinstance(given, self._server.binding.requests["resources/read"].result):
            return given
        contents = self._contents.of(given, uri, listed.mime_type)
        if not contents:
            raise self._unknown(uri)
        return result(contents=contents, **self._server.freshness("resources/read", name, params))

    def _unknown(self, uri: str) -> ResponseError:
        code = self._server.binding.facts.unknown_resource_code
        return ResponseError(code, "Resource not found", {"uri": uri})

    def _full(self) -> ResponseError:
        reason = f"a client may subscribe to {MOST_SUBSCRIPTIONS} resources; unsubscribe from others first"
        return error_for("too many subscriptions", "Too many subscriptions", {"reason": reason})

    def _subscribe(self, params: Any, context: Context) -> None:
        session: Any = context.connection.session
        if not self.finds(params.uri):
            raise self._unknown(params.uri)
        if len(session.subscribed) >= MOST_SUBSCRIPTIONS and params.uri not in session.subscribed:
            raise self._full()
        session.subscribed.add(params.uri)

    @staticmethod
    def _unsubscribe(params: Any, context: Context) -> None:
        session: Any = context.connection.session
        session.subscribed.discard(params.uri)


_ELSEWHERE = object()
"""The template has the URI, and yet no resource there."""


def _refuse_differences(template: UriTemplate, matcher: Matcher, reader: TextFunction) -> None:
    what = f"resource template {template.text}"
    missing = [name for name in template.names if name not in reader.arguments]
    if missing:
        text = f"{what}: the function has no parameter for the variable {missing[0]}"
        raise UsageError(text)
    for name, argument in reader.arguments.items():
        if argument.required and name not in template.names:
            text = f"{what}: parameter {name} is no variable of it, and has no default"
            raise UsageError(text)
        if argument.required and name in matcher.optional:
            text = f"{what}: {name} may be left out of a URI, so the parameter needs a default"
            raise UsageError(text)


def _last_segment(uri: str) -> str:
    """What a resource is called that has no function: the end of its URI."""
    from urllib.parse import unquote

    return unquote(re.split(r"[/:]", uri.rstrip("/"))[-1]) or uri
