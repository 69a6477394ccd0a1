"""An issuer of JWTs over HTTP on 127.0.0.1: its metadata and its keys, which tests rotate and break."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from time import time
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

from joserfc import jwt
from joserfc.jwk import ECKey


class ServedIssuer:
    """The state of the issuer."""

    def __init__(self) -> None:
        self.url = ""
        self.named: str | None = None
        """The issuer that the metadata name instead."""
        self.answer: tuple[int, bytes] | None = None
        """The answer to requests for keys, instead of the keys."""
        self.requests: Counter[str] = Counter()
        self.rotate()

    def rotate(self) -> None:
        """Replace the key."""
        self._kid = f"key-{time()}"
        self._key = ECKey.generate_key("P-256")

    def token(self, subject: str, resource: str, kid: str | None = None, **claims: Any) -> str:
        head = {"alg": "ES256", "typ": "at+jwt", "kid": kid or self._kid}
        usual = {"iss": self.url, "sub": subject, "aud": resource, "exp": int(time()) + 600}
        return jwt.encode(head, {**usual, **claims}, self._key)

    def __call__(self, environ: Any, start_response: Any) -> list[bytes]:
        path = environ["PATH_INFO"]
        self.requests[path] += 1
        status = 200
        if path == "/jwks":
            key = {**self._key.as_dict(private=False), "kid": self._kid}
            status, body = self.answer or (200, json.dumps({"keys": [key]}).encode())
        elif path.startswith("/.well-known/oauth-authorization-server"):
            body = json.dumps({"issuer": self.named or self.url, "jwks_uri": f"{self.url}/jwks"}).encode()
        else:
            status, body = 404, b""
        start_response(f"{status} X", [("Content-Type", "application/json"), ("Content-Length", str(len(body)))])
        return [body]


class _Quiet(WSGIRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Write nothing."""


@contextmanager
def serving_issuer() -> Iterator[ServedIssuer]:
    """Serve an issuer during the block."""
    issuer = ServedIssuer()
    served = make_server("127.0.0.1", 0, issuer, handler_class=_Quiet)
    issuer.url = f"http://127.0.0.1:{served.server_port}"
    thread = Thread(target=served.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield issuer
    finally:
        served.shutdown()
        served.server_close()
        thread.join()
