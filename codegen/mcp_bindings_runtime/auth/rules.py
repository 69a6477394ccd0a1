"""The differences between revisions in authorization, as data. See Authorization of each revision."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ..facts import Facts


class AuthorizationRules(NamedTuple):
    """The rules of one revision for clients."""

    resource_metadata_required: bool
    """Whether every protected server has protected resource metadata; otherwise its origin may authorize, too."""
    resource_parameter: bool
    """Whether requests carry ``resource`` (RFC 8707) even if there is no protected resource metadata."""
    pkce_advertised: bool
    """Whether an authorization server that does not advertise S256 is refused."""
    application_type: bool
    """Whether dynamic registration carries ``application_type``."""
    version: str | None = None
    """The value of ``MCP-Protocol-Version`` in requests for metadata (2025-03-26); None for none."""


_2025_03 = AuthorizationRules(
    resource_metadata_required=False,
    resource_parameter=False,
    pkce_advertised=False,
    application_type=False,
)
_2025_06 = _2025_03._replace(resource_metadata_required=True, resource_parameter=True)
_2025_11 = _2025_06._replace(pkce_advertised=True)
_2026_07 = _2025_11._replace(application_type=True)

NEGOTIATED = _2026_07._replace(resource_metadata_required=False, resource_parameter=False)
"""The rules while the revision is not known: those of the newest, and the fallback of the oldest."""


def rules_of(facts: Facts | None) -> AuthorizationRules:
    """Return the rules of a revision; None stands for one that is negotiated."""
    if facts is None:
        return NEGOTIATED
    if not facts.handshake:
        return _2026_07
    if not facts.version_header:
        return _2025_03._replace(version=facts.version)
    return _2025_11 if facts.polling else _2025_06
