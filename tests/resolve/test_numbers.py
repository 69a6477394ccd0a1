"""Numbers without a tag: integers in bundled schemas and in types that these declare, floats in types of one's own."""

from __future__ import annotations

from pathlib import Path

import pytest
from checkout import REVISIONS
from hypothesis import given
from hypothesis import strategies as st
from mcp_bindgen import catalog
from mcp_bindgen.generate import Bundled, SchemaFile, understood
from mcp_bindgen.ir.protocol import Protocol, Scalar
from mcp_bindgen.ir.types import Numbers
from mcp_bindgen.sources import understand
from resolve.resolving import field, resolve

OWN = """
import type { ProgressNotificationParams } from "core";
export interface Box {
  weight: number;
  /** @TJS-type integer */ count: number;
  /** @TJS-type number */ price: number;
  size: { width: number; sides: number[] };
  by_name: { [key: string]: number };
  progress: ProgressNotificationParams;
}
export type Rate = number;
/** @TJS-type integer */ export type Cents = number;
export interface Annotations { priority: number; extent: number }
"""


def understood_own(folder: Path, text: str = OWN, numbers: Numbers | None = None) -> Protocol:
    file = folder / "own.ts"
    file.write_text(text, encoding="utf-8")
    mapped = {"core": REVISIONS[-1]} if '"core"' in text else {}
    return understood(SchemaFile(file, "own", mapped, numbers=numbers))


def kinds(protocol: Protocol) -> dict[str, str]:
    """Return the kinds of the numbers of the schema above."""
    paths = ("Box.weight", "Box.count", "Box.price", "Box.size.width", "Annotations.extent")
    found = {path: field(protocol, path).type for path in paths}
    found |= {name: protocol.aliases[name].type for name in ("Rate", "Cents")}
    return {name: kind.kind for name, kind in found.items() if isinstance(kind, Scalar)}


def test_they_are_floats_in_types_of_ones_own(tmp_path: Path) -> None:
    assert kinds(understood_own(tmp_path)) == {
        "Box.weight": "float",
        "Box.count": "integer",
        "Box.price": "float",
        "Box.size.width": "float",
        "Rate": "float",
        "Cents": "integer",
        # Bundled revisions declare a type of this name.
        "Annotations.extent": "integer",
    }


@pytest.mark.parametrize("numbers", ["integer", "float"])
def test_the_option_decides_for_all_without_a_tag(tmp_path: Path, numbers: Numbers) -> None:
    found = kinds(understood_own(tmp_path, numbers=numbers))
    assert found == dict.fromkeys(found, numbers) | {
        "Box.count": "integer",
        "Cents": "integer",
        "Box.price": "float",
    }


def test_elements_and_values_of_maps_are_read_like_their_property(tmp_path: Path) -> None:
    protocol = understood_own(tmp_path)
    assert str(field(protocol, "Box.size.sides").type).count("float") == 1
    assert "float" in str(protocol.objects["Box.by_name"])


def test_imported_types_of_a_revision_are_read_as_in_that_revision(tmp_path: Path) -> None:
    own, core = understood_own(tmp_path), catalog.load(REVISIONS[-1])
    for name in ("progress", "total"):
        path = f"ProgressNotificationParams.{name}"
        assert field(own, path).type == field(core, path).type


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_copy_of_a_revision_is_read_like_the_revision(tmp_path: Path, revision: str) -> None:
    text = catalog.schema_file(revision).read_text(encoding="utf-8")
    draft, whole = understood_own(tmp_path, text), understood(Bundled(revision))
    assert draft.objects.keys() == whole.objects.keys()
    for path, declared in whole.objects.items():
        assert [each.type for each in draft.objects[path].fields] == [each.type for each in declared.fields], path


@given(st.sampled_from(["integer", "float"]), st.booleans())
def test_a_tag_wins_over_every_rule(tag: str, array: bool) -> None:
    tagged = f"/** @TJS-type {'number' if tag == 'float' else 'integer'} */ it: number{'[]' if array else ''}"
    text = f"export interface Box {{ {tagged} }}"
    assert tag in str(field(resolve(text), "Box.it").type)


def test_bundled_schemas_keep_their_own_rule() -> None:
    from mcp_bindgen.sources import read_bundled

    read = understand(read_bundled(REVISIONS[-1]), REVISIONS[-1], numbers="integer")
    assert read.objects == catalog.load(REVISIONS[-1]).objects
