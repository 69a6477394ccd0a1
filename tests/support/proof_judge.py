"""A judge of DPoP proofs (RFC 9449, section 4.3), in front of an authorization server and of an MCP server."""

from __future__ import annotations

import base64
import hashlib
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from socketserver import ThreadingMixIn
from threading import Thread
from typing import Any
from urllib.parse import parse_qs
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from joserfc import jwk, jwt
from support.ports import port_for_a_server


class RefusedProofError(Exception):
    """The reason for which a proof is refused."""


def require(fulfilled: object, reason: str) -> None:
    if not fulfilled:
        raise RefusedProofError(reason)


class ProofJudge:
    """Checks proofs, and binds tokens to their keys. Tests read what it has seen."""

    def __init__(self) -> None:
        self.nonces: dict[str, str] = {}
        """The nonce that each of the servers ``token`` and ``resource`` demands."""
        self.seen: set[str] = set()
        self.proofs: list[dict[str, Any]] = []
        self.refusals: list[str] = []
        self.keys: dict[str, str] = {}
        """The thumbprint of the key to which a token, or a refresh token, is bound."""
        self.authorization_queries: list[dict[str, list[str]]] = []

    def check(self, environ: Any, origin: str, server: str, token: str | None) -> str:
        """Return the thumbprint of the key of a request's proof. Raise ``RefusedProofError``."""
        text = environ.get("HTTP_DPOP")
        require(text and "," not in text, "one proof is needed")
        header = json.loads(base64.urlsafe_b64decode(text.split(".")[0] + "=="))
        require((header["typ"], header["alg"], "d" in header["jwk"]) == ("dpop+jwt", "ES256", False), "header")
        key = jwk.import_key(header["jwk"])
        claims: dict[str, Any] = jwt.decode(text, key, algorithms=["ES256"]).claims
        self.proofs.append(claims)
        url = f"{origin}{environ['PATH_INFO']}"
        require((claims["htm"], claims["htu"]) == (environ["REQUEST_METHOD"], url), "another request")
        require(abs(claims["iat"] - time.time()) < 60 and claims["jti"] not in self.seen, "used, or old")
        self.seen.add(claims["jti"])
        nonce = self.nonces.get(server)
        require(nonce is None or claims.get("nonce") == nonce, "use_dpop_nonce")
        thumbprint: str = key.thumbprint()
        if token is None:
            return thumbprint
        digest = base64.urlsafe_b64encode(hashlib.sha256(token.encode()).digest()).rstrip(b"=").decode()
        require(claims.get("ath") == digest and self.keys.get(token) == thumbprint, "another token or key")
        return thumbprint

    def before_tokens(self, app: Any, origin: str) -> Any:
        """Return an authorization server that issues bound tokens."""

        def gate(environ: Any, start_response: Any) -> Any:
            if environ["PATH_INFO"] == "/authorize":
                self.authorization_queries.append(parse_qs(environ["QUERY_STRING"]))
            if environ["PATH_INFO"] != "/token":
                return app(environ, start_response)
            body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
            environ["wsgi.input"] = BytesIO(body)
            try:
                thumbprint = self.check(environ, origin, "token", None)
                used = parse_qs(body.decode()).get("refresh_token", [""])[0]
                require(not used or self.keys.get(used) == thumbprint, "another key")
            except RefusedProofError as fault:
                self.refusals.append(f"token: {fault}")
                error = str(fault) if str(fault) == "use_dpop_nonce" else "invalid_dpop_proof"
                headers = [("Content-Type", "application/json"), ("DPoP-Nonce", self.nonces.get("token", ""))]
                start_response("400 Bad Request", headers)
                return [json.dumps({"error": error}).encode()]
            return self._bind(app, environ, start_response, thumbprint)

        return gate

    def _bind(self, app: Any, environ: Any, start_response: Any, thumbprint: str) -> list[bytes]:
        begun: list[Any] = []

        def begin(status: str, headers: Any, *_: Any) -> Callable[[bytes], object]:
            begun.extend([status, headers])
            return lambda _data: None

        answer = b"".join(app(environ, begin))
        members = json.loads(answer)
        if "access_token" in members:
            members["token_type"] = "DPoP"
            self.keys.update(
                {members[each]: thumbprint for each in ("access_token", "refresh_token") if each in members}
            )
            answer = json.dumps(members).encode()
        headers = [(name, value) for name, value in begun[1] if name.lower() != "content-length"]
        start_response(begun[0], [*headers, ("Content-Length", str(len(answer)))])
        return [answer]

    def before_resource(self, app: Any, origin: str) -> Any:
        """Return an MCP server that accepts bound tokens only; ``app`` accepts bearer tokens."""

        def gate(environ: Any, start_response: Any) -> Any:
            if environ["PATH_INFO"] != "/mcp" or "HTTP_AUTHORIZATION" not in environ:
                return app(environ, lambda status, headers, *rest: start_response(status, _renamed(headers), *rest))
            scheme, _, token = environ["HTTP_AUTHORIZATION"].partition(" ")
            try:
                require(scheme == "DPoP", "not bound")
                self.check(environ, origin, "resource", token)
            except RefusedProofError as fault:
                self.refusals.append(f"resource: {fault}")
                error = str(fault) if str(fault) == "use_dpop_nonce" else "invalid_dpop_proof"
                headers = [("WWW-Authenticate", f'DPoP error="{error}"'), ("Content-Length", "0")]
                start_response("401 Unauthorized", [*headers, ("DPoP-Nonce", self.nonces.get("resource", ""))])
                return []
            environ["HTTP_AUTHORIZATION"] = f"Bearer {token}"
            return app(environ, lambda status, headers, *rest: start_response(status, _renamed(headers), *rest))

        return gate


def _renamed(headers: Any) -> list[tuple[str, str]]:
    return [(name, value.replace("Bearer", "DPoP") if name == "WWW-Authenticate" else value) for name, value in headers]


class _Threaded(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Quiet(WSGIRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Write nothing."""


@contextmanager
def guarded_resource(server: Any, guard_of: Callable[[str], Any], judge: ProofJudge) -> Iterator[str]:
    """Serve an MCP server that accepts bound tokens only; yield its URL. ``guard_of`` returns its ``Authorization``."""
    port = port_for_a_server()
    url = f"http://127.0.0.1:{port}/mcp"
    app = judge.before_resource(server.wsgi_app(path="/mcp", authorization=guard_of(url)), url.removesuffix("/mcp"))
    with make_server("127.0.0.1", port, app, _Threaded, _Quiet) as served:
        thread = Thread(target=served.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield url
        finally:
            served.shutdown()
            thread.join()
