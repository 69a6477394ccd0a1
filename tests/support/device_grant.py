"""The device grant (RFC 8628) of the authorization server for tests, by Authlib."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

from authlib.oauth2.rfc8628 import DeviceAuthorizationEndpoint, DeviceCodeGrant


def register_device_grant(server: Any, judge: Any, issuer: str, methods: list[str]) -> None:
    """Add the endpoint and the grant; ``judge.entered`` says what the user has done with each code."""

    class Endpoint(DeviceAuthorizationEndpoint):
        CLIENT_AUTH_METHODS = methods
        INTERVAL = 1

        def get_verification_uri(self):
            return f"{issuer}/device"

        def save_device_credential(self, client_id, scope, data):
            expires_at = time.time() + judge.device_lifetime
            judge.device_codes[data["device_code"]] = SimpleNamespace(
                get_client_id=lambda: client_id,
                get_scope=lambda: scope or "",
                get_user_code=lambda: data["user_code"],
                is_expired=lambda: time.time() > expires_at,
            )
            data["expires_in"] = judge.device_lifetime

    class Grant(DeviceCodeGrant):
        TOKEN_ENDPOINT_AUTH_METHODS = methods

        def query_device_credential(self, device_code):
            return judge.device_codes.get(device_code)

        def query_user_grant(self, user_code):
            approved = judge.entered.get(user_code)
            return None if approved is None else ("ada", approved)

        def should_slow_down(self, credential):
            return bool(judge.slow_downs) and judge.slow_downs.pop()

    server.register_grant(Grant)
    server.register_endpoint(Endpoint)
