"""Our server, which requires access tokens, with the client of another project and a real authorization server."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.protected_sites import KINDS, protected_site, scoped_server

PROGRAMS = Path(__file__).parent / "programs"


@pytest.mark.parametrize("dpop", [None, "accepted"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("mode", "revision"), [("legacy", "2025-11-25"), ("auto", "2026-07-28")])
def test_the_official_python_sdk_logs_in_and_steps_up(
    run: Callable[..., Any], sdk_python: Path, kind: str, mode: str, revision: str, dpop: Any
) -> None:
    """It knows bearer tokens only, and finds their challenge beside one for bound tokens, too."""
    servers = scoped_server("2025-11-25"), scoped_server("2026-07-28")
    with protected_site(kind, *servers, dpop=dpop) as site:
        seen = run(sdk_python, PROGRAMS / "sdk_oauth_client.py", mode, site.url)
    assert seen["revision"] == revision
    assert seen["tools"] == ["read", "write"]
    assert seen["texts"] == ["read", "written"]
    before, asked = seen["asked"]
    assert before == ["files:read"]
    assert {"files:read", "files:write"} <= set(asked[-1].split())
