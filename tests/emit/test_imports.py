"""The names that a piece of emitted code uses, from which its imports follow."""

from __future__ import annotations

import pytest
from mcp_bindgen.emit.imports import imports, names_in


@pytest.mark.parametrize("name", ["encode", "_encode", "X_KEYS", "名前_KEYS", "Größe"])
def test_names_of_every_script_are_found(name: str) -> None:
    code = [f"value = {name}(other.{name}2, 'text of {name}3', 4{name}4)"]
    offered = ["value", name, f"{name}2", f"{name}3", f"4{name}4", "other", "unused"]
    used = names_in(code, offered)
    assert used == {"value", name, "other"}
    assert imports(used, (((".", (name, "unused")),),), "runtime") == (f"from . import {name}",)
