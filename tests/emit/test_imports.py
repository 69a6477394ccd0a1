"""The names that a piece of emitted code uses, from which its imports follow."""

from __future__ import annotations

import pytest
from mcp_bindgen.emit.imports import imports, names_in


@pytest.mark.parametrize("name", ["encode", "_encode", "X_KEYS", "名前_KEYS", "Größe"])
def test_names_of_every_script_are_found(name: str) -> None:
    code = [f"value = {name}(other.{name}2, 'text of {name}3', 4{name}4)"]
    assert names_in(code) == {"value", name, "other"}
    assert imports(names_in(code), (((".", (name, "unused")),),), "runtime") == (f"from . import {name}",)
