"""The emitted functions of the bundled revisions and the walks that explain their refusals say the same."""

from __future__ import annotations

import importlib
import json
from random import Random

import pytest
from checkout import REVISIONS
from mcp_bindgen import catalog
from strategies.codec_agreement import Subject, check_reading_all, check_writing_all


@pytest.fixture(scope="module", params=REVISIONS)
def subject(request: pytest.FixtureRequest) -> Subject:
    package = importlib.import_module(f"mcp_bindings.{catalog.package_name(request.param)}")
    return Subject(package, catalog.load(request.param))


def test_every_type_is_read_by_both_or_refused_by_both(subject: Subject) -> None:
    assert check_reading_all(subject, Random(1), 6) > 6 * 80


def test_every_object_is_written_or_refused_with_its_place(subject: Subject) -> None:
    written, refused = check_writing_all(subject, Random(1), 8)
    assert written > 50
    assert refused > 50


@pytest.mark.parametrize("depth", [50, 10_000])
def test_what_is_nested_is_taken_or_refused_but_never_a_crash(subject: Subject, depth: int) -> None:
    deep: object = "end"
    for _ in range(depth):
        deep = {"a": deep}
    shallow = depth < 100
    made = subject.types.TextContent(text="x", extra={"deep": deep})
    if shallow:
        assert json.loads(json.dumps(subject.converter.unstructure(made)))["deep"] == deep
        return
    with pytest.raises(subject.encode_error, match="nested"):
        subject.converter.unstructure(made)
