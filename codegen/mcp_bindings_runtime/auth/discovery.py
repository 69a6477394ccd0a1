"""Discovery: from the URL of an MCP server to its authorization server (RFC 9728, RFC 8414)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from ..errors import OAuthError
from .flow import Flow, FlowResponse, get_json, json_object, text_of, texts_of
from .rules import AuthorizationRules
from .urls import (
    authorization_server_urls,
    canonical_resource,
    covers,
    origin_url,
    protected_resource_urls,
    url_origin,
)

_DEFAULT_METHODS: Final = ("client_secret_basic",)
"""Client authentication at a server that does not name any (RFC 8414, section 2)."""


class ServerChoice(NamedTuple):
    """The choices of the user on the authorization server; by default the metadata decide."""

    issuer: str | None = None
    """The authorization server: one of several, or that of an MCP server without metadata."""
    resource: str | None = None
    """The identifier of the MCP server, whatever its metadata say."""
    without_resource_parameter: bool = False
    """Whether requests for tokens leave out ``resource``."""
    without_exact_issuer: bool = False
    """Whether issuers are the same that differ by a slash at the end."""

    def is_same_issuer(self, one: str | None, other: str) -> bool:
        """Return whether two issuers are the same: character by character (RFC 8414, section 3.3) by default."""
        return one == other or (self.without_exact_issuer and one is not None and one.rstrip("/") == other.rstrip("/"))


_BY_METADATA: Final = ServerChoice()


class ProtectedResource(NamedTuple):
    """The metadata of an MCP server (RFC 9728, section 2)."""

    resource: str
    authorization_servers: tuple[str, ...]
    scopes_supported: tuple[str, ...]


class AuthorizationServer(NamedTuple):
    """The metadata of an authorization server (RFC 8414, section 2)."""

    issuer: str
    token_endpoint: str | None
    authorization_endpoint: str | None = None
    registration_endpoint: str | None = None
    device_authorization_endpoint: str | None = None
    scopes_supported: tuple[str, ...] = ()
    auth_methods: tuple[str, ...] = _DEFAULT_METHODS
    """``token_endpoint_auth_methods_supported``."""
    challenge_methods: tuple[str, ...] | None = None
    """``code_challenge_methods_supported``; None if it is absent."""
    metadata_documents: bool = False
    """``client_id_metadata_document_supported``."""
    sends_issuer: bool = False
    """``authorization_response_iss_parameter_supported`` (RFC 9207)."""
    proof_algorithms: tuple[str, ...] | None = None
    """``dpop_signing_alg_values_supported`` (RFC 9449, section 5.1); None if it is absent."""


class Discovery(NamedTuple):
    """The result of discovery."""

    server_url: str
    """The canonical URL of the MCP server."""
    resource: str | None
    """The value of ``resource`` (RFC 8707); None if it is not sent."""
    scopes_supported: tuple[str, ...]
    """The scopes that the MCP server lists."""
    server: AuthorizationServer


def discover(
    server_url: str,
    rules: AuthorizationRules,
    *,
    metadata_url: str | None = None,
    choice: ServerChoice = _BY_METADATA,
) -> Flow[Discovery]:
    """Return the authorization server of the MCP server at a URL.

    ``metadata_url`` is ``resource_metadata`` of the challenge.
    """
    url = canonical_resource(server_url)
    named: str | None
    found = yield from _protected_resource(server_url, metadata_url, checked=choice.resource is None)
    if found is not None:
        server = yield from _authorization_server(_choose(found.authorization_servers, choice, server_url), choice)
        named, scopes = choice.resource or found.resource, found.scopes_supported
    else:
        named, scopes = choice.resource or (url if rules.resource_parameter else None), ()
        if choice.issuer is not None:
            server = yield from _authorization_server(choice.issuer, choice)
        elif rules.resource_metadata_required:
            text = f"{server_url} has no protected resource metadata (RFC 9728); name its authorization server as `issuer=`"
            raise OAuthError(text)
        else:
            server = yield from _server_at_origin(server_url, rules.version)
    return Discovery(url, None if choice.without_resource_parameter else named, scopes, server)


def _protected_resource(url: str, metadata_url: str | None, *, checked: bool) -> Flow[ProtectedResource | None]:
    """Return the metadata of a server; None if there is none in the well-known places."""
    if metadata_url is not None and url_origin(metadata_url) != url_origin(url):
        # It could name a host of the internal network.
        text = f"the challenge of {url} names metadata of another origin, {url_origin(metadata_url)}"
        raise OAuthError(text)
    places = protected_resource_urls(url) if metadata_url is None else [metadata_url]
    for place in places:
        response = yield get_json("protected resource metadata", place)
        if response.status == 200:
            return _parsed_resource(response, url, checked=checked)
        _stop_at_server_error(response, place)
    if metadata_url is not None:
        text = f"there is no protected resource metadata at {metadata_url}, which the challenge names"
        raise OAuthError(text)
    return None


def _parsed_resource(response: FlowResponse, url: str, *, checked: bool) -> ProtectedResource:
    members = json_object(response, "protected resource metadata")
    resource = text_of(members, "resource")
    servers = texts_of(members, "authorization_servers")
    if resource is None or not servers:
        text = "protected resource metadata must have `resource` and `authorization_servers`"
        raise OAuthError(text)
    if checked and not covers(resource, url):
        # Another server's tokens would be requested for this one (RFC 9728, section 3.3).
        text = f"the metadata of {url} are for another resource, {resource[:200]!r}; pass `resource=` if you trust it"
        raise OAuthError(text)
    return ProtectedResource(resource, servers, texts_of(members, "scopes_supported") or ())


def _choose(servers: Sequence[str], choice: ServerChoice, url: str) -> str:
    if choice.issuer is None:
        return servers[0]
    found = next((each for each in servers if choice.is_same_issuer(each, choice.issuer)), None)
    if found is not None:
        return found
    text = f"{url} does not use the authorization server {choice.issuer!r}, but {', '.join(servers)[:200]}"
    raise OAuthError(text)


def _authorization_server(issuer: str, choice: ServerChoice) -> Flow[AuthorizationServer]:
    members = yield from issuer_metadata(issuer)
    found = text_of(members, "issuer")
    if not choice.is_same_issuer(found, issuer):
        text = f"the metadata of the authorization server {issuer} must name it as issuer, got {str(found)[:200]!r}"
        if found is not None and found.rstrip("/") == issuer.rstrip("/"):
            text += "; pass `without_exact_issuer=True` if you know that they are the same"
        raise OAuthError(text)
    return _parsed_server(issuer, members)


def issuer_metadata(issuer: str) -> Flow[dict[str, Any]]:
    """Return the metadata of an authorization server (RFC 8414, section 3); the caller has to check ``issuer`` in it."""
    members = yield from _first_metadata(issuer, {})
    if members is None:
        text = f"the authorization server {issuer} has no metadata (RFC 8414)"
        raise OAuthError(text)
    return members


def _server_at_origin(url: str, version: str | None) -> Flow[AuthorizationServer]:
    """Return the authorization server that an MCP server is itself (2025-03-26, Server Metadata Discovery)."""
    origin = origin_url(url)
    headers = {} if version is None else {"MCP-Protocol-Version": version}
    members = yield from _first_metadata(origin, headers, openid=False)
    if members is not None:
        # The origin vouches for it, so its issuer may be another.
        return _parsed_server(text_of(members, "issuer") or origin, members)
    return AuthorizationServer(
        origin,
        f"{origin}/token",
        f"{origin}/authorize",
        f"{origin}/register",
        auth_methods=("none", "client_secret_post", "client_secret_basic"),
        # PKCE is required of such a server, which has no place to advertise it.
        challenge_methods=("S256",),
    )


def _first_metadata(issuer: str, headers: Mapping[str, str], *, openid: bool = True) -> Flow[dict[str, Any] | None]:
    places = authorization_server_urls(issuer)
    for place in places if openid else places[:1]:
        response = yield get_json("authorization server metadata", place, headers)
        if response.status == 200:
            return json_object(response, "authorization server metadata")
        _stop_at_server_error(response, place)
    return None


def _stop_at_server_error(response: FlowResponse, url: str) -> None:
    # A server that is down would be taken for one without metadata.
    if not 400 <= response.status < 500:
        text = f"{url} answered with HTTP status {response.status}"
        raise OAuthError(text)


def _parsed_server(issuer: str, members: Mapping[str, Any]) -> AuthorizationServer:
    return AuthorizationServer(
        issuer,
        text_of(members, "token_endpoint"),
        text_of(members, "authorization_endpoint"),
        text_of(members, "registration_endpoint"),
        text_of(members, "device_authorization_endpoint"),
        texts_of(members, "scopes_supported") or (),
        texts_of(members, "token_endpoint_auth_methods_supported") or _DEFAULT_METHODS,
        texts_of(members, "code_challenge_methods_supported"),
        members.get("client_id_metadata_document_supported") is True,
        members.get("authorization_response_iss_parameter_supported") is True,
        texts_of(members, "dpop_signing_alg_values_supported"),
    )
