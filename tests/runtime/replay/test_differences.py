"""The differences of two JSON values: exactly what leads from one to the other."""

from __future__ import annotations

import copy
from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st
from mcp_bindings_runtime.codec.json_pointers import ValueDifference, canonical, differences

leaves = st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from([0.0, 1.0, "", "a", "b" * 100])
values: st.SearchStrategy[Any] = st.recursive(
    leaves,
    lambda parts: st.lists(parts, max_size=3)
    | st.dictionaries(st.sampled_from(["a", "b/", "~", ""]), parts, max_size=3),
    max_leaves=8,
)


def patched(value: Any, changes: list[dict[str, Any]]) -> Any:
    """Return the value after the changes; elements are removed from the end."""
    whole = {"": copy.deepcopy(value)}
    removals = [each for each in changes if "found" not in each]
    for change in [*(each for each in changes if "found" in each), *reversed(removals)]:
        tokens = [token.replace("~1", "/").replace("~0", "~") for token in change["pointer"].split("/")]
        place: Any = whole
        for token in tokens[:-1]:
            place = place[int(token) if isinstance(place, list) else token]
        key: Any = int(tokens[-1]) if isinstance(place, list) else tokens[-1]
        if "found" not in change:
            assert canonical(place.pop(key)) == canonical(change["recorded"])
        elif "recorded" not in change and isinstance(place, list):
            elements = cast("list[Any]", place)
            assert key == len(elements)
            elements.append(change["found"])
        else:
            assert "recorded" not in change or canonical(place[key]) == canonical(change["recorded"])
            place[key] = change["found"]
    return whole[""]


@given(values, values)
def test_the_differences_lead_from_one_value_to_the_other(recorded: Any, found: Any) -> None:
    changes = [each.document() for each in differences(recorded, found)]
    assert canonical(patched(recorded, changes)) == canonical(found)


@given(values)
def test_equal_values_do_not_differ(value: Any) -> None:
    assert list(differences(value, copy.deepcopy(value))) == []


def test_a_difference_as_text_is_shortened_and_as_a_document_whole() -> None:
    long = "x" * 200
    (changed,) = differences({"a": long}, {"a": 1})
    assert str(changed) == f'/a: recorded "{"x" * 78}…, found 1'
    assert changed.document() == {"pointer": "/a", "recorded": long, "found": 1}
    (removed,) = differences([None], [])
    assert isinstance(removed, ValueDifference)
    assert (str(removed), removed.document()) == (
        "/0: recorded null, found (nothing)",
        {"pointer": "/0", "recorded": None},
    )
