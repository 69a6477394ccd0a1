"""What tests of the bindings share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.json_backends import NAMES, backend, using


@pytest.fixture(params=NAMES)
def both_backends(request: pytest.FixtureRequest) -> Iterator[None]:
    """Run the test with the standard library's JSON, and again with orjson."""
    with using(backend(request.param)):
        yield
