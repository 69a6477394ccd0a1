"""Login of a user who has no browser on this machine: the user enters a code on another device (RFC 8628)."""

from __future__ import annotations

import sys
from time import monotonic
from typing import TYPE_CHECKING

from ..errors import OAuthError
from ..validation import require_callable
from .client_identity import ClientIdentity
from .device_authorization import DEVICE_CODE, DeviceCode, poll_once, request_device_code
from .login_authenticator import LoginAuthenticator, LoginOptions
from .token_request import Grant, TokenTarget
from .urls import is_loopback

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Unpack

    from .authorization_context import AuthorizationContext
    from .flow import Flow


def print_code(code: DeviceCode) -> None:
    """Print the code, and the page to enter it, to standard error."""
    if sys.stderr is None:
        return
    sys.stderr.write(f"Open {code.verification_uri} on any device, and enter the code {code.user_code}\n")
    if code.complete_uri is not None:
        sys.stderr.write(f"or open {code.complete_uri}\n")
    sys.stderr.flush()


class DeviceLogin(LoginAuthenticator):
    """Logs a user in on another device, for ``Client.http(url, auth=DeviceLogin())``: the device grant.

    When the server refuses a request with 401, ``show_code`` shows the user a code and the address of a page, by
    default on standard error. The client then waits until the user has entered the code on the page. The client
    identifies itself to the authorization server in the same way as a client with ``OAuth``. ``options`` are those of
    ``LoginOptions``. Raises ``UsageError`` for an invalid argument.
    """

    grant_type = DEVICE_CODE

    def __init__(
        self, *, show_code: Callable[[DeviceCode], object] = print_code, **options: Unpack[LoginOptions]
    ) -> None:
        require_callable("show_code", show_code, ("code",))
        super().__init__(**options)
        self._show_code = show_code

    def obtain(self, context: AuthorizationContext) -> Grant:
        """See ``TokenSource.obtain``. The time that the user needs does not count against the deadline."""
        with context.exchange.pause(self._login_timeout):
            code, target, scope = self._begin(context)
            self._show_code(code)
            ends_at = monotonic() + self._login_timeout
            while True:
                if monotonic() + code.interval > ends_at:
                    text = f"the user has not entered the code within {self._login_timeout:g} s"
                    raise OAuthError(text)
                if context.exchange.sleep(code.interval):
                    raise context.exchange.closed()
                found = context.run(poll_once(code, target, scope))
                if isinstance(found, Grant):
                    return found
                code = found

    def _begin(self, context: AuthorizationContext) -> tuple[DeviceCode, TokenTarget, str | None]:
        """Return the user's code, the recipient of token requests, and the requested scopes."""
        registered: list[ClientIdentity] = []
        try:
            return context.run(self._begin_flow(context, registered))
        except OAuthError as fault:
            if not registered or not self.forget_client(registered[0], fault):
                raise
        return context.run(self._begin_flow(context, registered))

    def _begin_flow(
        self, context: AuthorizationContext, registered: list[ClientIdentity]
    ) -> Flow[tuple[DeviceCode, TokenTarget, str | None]]:
        discovery, scope = yield from self._discover(context)
        server = discovery.server
        endpoint = server.device_authorization_endpoint
        if endpoint is None or server.token_endpoint is None:
            text = f"{server.issuer} does not support the device grant; use `OAuth`, which needs a browser"
            raise OAuthError(text)
        client = yield from self._identity(context, server, None, scope)
        registered[:] = [client]
        target = TokenTarget(server.issuer, server.token_endpoint, client, discovery.resource, context.proof_key)
        loopback = is_loopback(context.server_url)
        code = yield from request_device_code(endpoint, target, scope, loopback=loopback)
        return code, target, scope
