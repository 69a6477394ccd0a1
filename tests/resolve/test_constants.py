"""Constants that say ``NAME: TYPE["key"]``: the value is the literal that the property has."""

from __future__ import annotations

import pytest
from resolve.resolving import faults, field, resolve

TYPES = """
export interface A { method: "a/b"; other: string; both: "x" | "y"; one: One; named: typeof M }
export type One = 1
"""


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('declare const M: A["method"]', "a/b"),
        ('const M: A["method"] = "a/b"', "a/b"),
        ('declare const M: A["one"]', 1),
        ('const M: A["both"] = "y"', "y"),
        ('const M: A["other"] = "anything"', "anything"),
    ],
)
def test_a_constant_has_the_literal_of_the_property(text: str, value: object) -> None:
    protocol = resolve(f"{TYPES}export {text}")
    assert protocol.constants["M"].value == value


def test_typeof_such_a_constant_is_its_literal() -> None:
    protocol = resolve(f'{TYPES}export declare const M: A["method"]')
    assert field(protocol, "A.named").type == field(protocol, "A.method").type


def test_the_type_may_be_imported_under_another_name() -> None:
    text = 'import type { A as Other } from "./core";\nexport declare const M: Other["m"]'
    protocol = resolve(text, imported={"./core": "export interface A { m: 'x' }"})
    assert protocol.constants["M"].value == "x"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('declare const M: A["other"]', '4:25: A["other"] is not a single literal, so the value of M is unknown'),
        ('declare const M: A["both"]', '4:25: A["both"] is not a single literal, so the value of M is unknown'),
        ('declare const M: A["named"]', '4:25: A["named"] is not a single literal, so the value of M is unknown'),
        ('declare const M: A["none"]', "4:25: A has no property 'none'"),
        ('const M: A["method"] = "c"', "4:14: the value of M differs from the literal in its type"),
        ('const M: A["one"] = true', "4:14: the value of M differs from the literal in its type"),
    ],
)
def test_a_constant_without_one_literal_is_a_located_fault(text: str, fault: str) -> None:
    assert faults(f"{TYPES}export {text}") == [f"acme.ts:{fault}"]
