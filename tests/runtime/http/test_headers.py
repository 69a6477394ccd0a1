"""Headers that repeat the body (2026-07-28, Streamable HTTP: Request Metadata)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_bindings_runtime.errors import UsageError
from mcp_bindings_runtime.http.headers import (
    MAX_INTEGER,
    InvalidParamHeader,
    ParamHeader,
    argument_headers,
    decode_value,
    encode_value,
    find_mismatch,
    param_headers_of,
    request_headers,
)


def tool(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def call(**arguments: Any) -> dict[str, Any]:
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    params = {"name": "t", "arguments": arguments, "_meta": meta}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def lowered(headers: dict[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


@pytest.mark.parametrize(
    ("value", "header"),
    [
        ("us-west1", "us-west1"),
        ("us west 1", "us west 1"),
        ("", ""),
        ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
        (" padded ", "=?base64?IHBhZGRlZCA=?="),
        ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
        ("\tindented", "=?base64?CWluZGVudGVk?="),
        ("a\tb", "=?base64?YQli?="),
        ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
    ],
)
def test_values_are_plain_where_a_header_carries_them(value: str, header: str) -> None:
    assert encode_value(value) == header
    assert decode_value(header) == value


@pytest.mark.parametrize("value", ["=?BASE64?dA==?=", "=?Base64?dA==?=", "=?base64?dA==", "base64?dA==?="])
def test_markers_in_capitals_mark_nothing(value: str) -> None:
    assert encode_value(value) == value
    assert decode_value(value) == value


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_every_text_comes_back_and_could_be_sent(value: str) -> None:
    header = encode_value(value)
    assert decode_value(header) == value
    assert decode_value(f" \t{header}  ") == value
    assert header.isascii()
    assert header.isprintable()
    assert header == header.strip()


@pytest.mark.parametrize(
    "header", ["=?base64?SGVsbG8?=", "=?base64?SGV%bG8=?=", "=?base64?/w==?=", "caf\xe9", "a\0b", "=?base64?a b=?="]
)
def test_values_that_cannot_be_read_are_refused(header: str) -> None:
    with pytest.raises(ValueError, match=r"it has characters|not Base64 of UTF-8"):
        decode_value(header)


def test_annotations_are_found_along_properties() -> None:
    schema = tool(
        a={"type": "string", "x-mcp-header": "A"},
        b={"type": "object", "properties": {"c": {"type": ["integer", "null"], "x-mcp-header": "C"}}},
        d={"type": "boolean"},
        # A property of that name, and a value with such a member, annotate nothing.
        **{"x-mcp-header": {"type": "string", "default": {"x-mcp-header": "X"}}},
    )
    assert set(param_headers_of(schema)) == {
        ParamHeader("Mcp-Param-A", ("a",)),
        ParamHeader("Mcp-Param-C", ("b", "c")),
    }


STRING = {"type": "string", "x-mcp-header": "A"}


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        *((tool(a={"type": "string", "x-mcp-header": name}), "part of the name of a header") for name in
          ("", " ", "My Region", "a:b", "Région", "Region\t1", "a\r\nb", "a\n", 5, None)),
        *((tool(a={"type": kind, "x-mcp-header": "A"}), "must be string, integer or boolean") for kind in
          ("number", "object", "array", "null", None, {}, ["string", "integer"], ["null"])),
        (tool(a={"x-mcp-header": "A"}), "must be string"),
        (tool(a=STRING, b=STRING), "is repeated"),
        (tool(a=STRING, b={"type": "string", "x-mcp-header": "a"}), "is repeated"),
        ({**tool(), "x-mcp-header": "A"}, "root"),
        (tool(a={"type": "array", "items": STRING}), "items"),
        (tool(a={"anyOf": [STRING]}), "anyOf"),
        ({**tool(), "$defs": {"a": STRING}}, "defs"),
        ({**tool(), "if": tool(a=STRING)}, "if"),
        ({**tool(), "additionalProperties": STRING}, "additionalProperties"),
        ({**tool(), "patternProperties": {"x-mcp-header": STRING}}, "patternProperties"),
        (tool(a={"type": "integer", "minimum": 2**60, "x-mcp-header": "A"}), "beyond"),
    ],
    ids=str,
)  # fmt: skip
def test_annotations_that_break_the_rules_are_refused(schema: Any, why: str) -> None:
    with pytest.raises(InvalidParamHeader, match=why):
        param_headers_of(schema)


def test_a_schema_that_is_none_has_no_annotations() -> None:
    assert param_headers_of(True) == param_headers_of(None) == param_headers_of({"properties": [1]}) == ()


def test_a_schema_of_many_levels_is_no_trouble() -> None:
    schema: dict[str, Any] = STRING
    for _ in range(3000):
        schema = tool(a=schema)
    assert len(param_headers_of(schema)[0].path) == 3000


def test_arguments_are_repeated_as_text() -> None:
    schema = tool(
        s={"type": "string", "x-mcp-header": "S"},
        i={"type": "integer", "x-mcp-header": "I"},
        b={"type": "boolean", "x-mcp-header": "B"},
        n={"type": "string", "x-mcp-header": "N"},
        absent={"type": "string", "x-mcp-header": "Absent"},
        other={"type": "string"},
        o={"type": "object", "properties": {"s": {"type": "string", "x-mcp-header": "Inner"}}},
    )
    arguments = {"s": "", "i": -7, "b": False, "n": None, "other": "x", "o": {"s": "deep"}}
    assert argument_headers(param_headers_of(schema), arguments) == {
        "Mcp-Param-S": "", "Mcp-Param-I": "-7", "Mcp-Param-B": "false", "Mcp-Param-Inner": "deep",
    }  # fmt: skip
    for nothing in ({}, {"o": {}}, {"o": {"s": None}}, {"o": None}, {"o": 5}):
        assert argument_headers(param_headers_of(schema), nothing) == {}
    assert argument_headers(param_headers_of(schema), None) == {}


@pytest.mark.parametrize("value", [MAX_INTEGER + 1, -MAX_INTEGER - 1])
def test_an_integer_that_others_read_otherwise_is_not_sent(value: int) -> None:
    with pytest.raises(UsageError, match="Mcp-Param-A"):
        argument_headers([ParamHeader("Mcp-Param-A", ("a",))], {"a": value})


def test_requests_say_what_they_are() -> None:
    assert request_headers(call()) == {
        "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "t",
    }  # fmt: skip
    read = {"method": "resources/read", "params": {"uri": "file:///ä"}}
    assert request_headers(read) == {"Mcp-Method": "resources/read", "Mcp-Name": "=?base64?ZmlsZTovLy/DpA==?="}
    assert request_headers({"method": "x"}) == {"Mcp-Method": "x"}


@given(
    st.dictionaries(st.sampled_from("abcd"), st.none() | st.text(st.characters(exclude_categories=["Cs"])) | st.booleans()
                    | st.integers(-MAX_INTEGER, MAX_INTEGER))
)  # fmt: skip
def test_what_a_client_writes_a_server_takes(arguments: dict[str, Any]) -> None:
    annotated = [ParamHeader(f"Mcp-Param-{name}", (name,)) for name in "abcd"]
    message = call(**arguments)
    headers = lowered({**request_headers(message), **argument_headers(annotated, arguments)})
    assert find_mismatch(headers, message, annotated) is None
    for name in headers:
        assert find_mismatch({key: value for key, value in headers.items() if key != name}, message, annotated)
        assert find_mismatch({**headers, name: headers[name] + "x"}, message, annotated)


ANNOTATED = [ParamHeader("Mcp-Param-A", ("a",))]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"mcp-method": "Tools/Call"}, "Mcp-Method"),
        ({"mcp-name": "T"}, "Mcp-Name"),
        ({"mcp-name": "=?base64?dA==?="}, None),
        ({"mcp-method": "=?base64?dG9vbHMvY2FsbA==?="}, "Mcp-Method"),
        ({"mcp-param-a": " 42.0 "}, None),
        ({"mcp-param-a": "42.5"}, "Mcp-Param-A"),
        ({"mcp-param-a": "=?base64?NDI?="}, "is malformed"),
        ({"mcp-param-a": "=?base64?NDI=?="}, None),
        ({"mcp-protocol-version": "2025-11-25"}, "MCP-Protocol-Version"),
        ({"mcp-param-other": "x"}, None),
    ],
    ids=str,
)
def test_headers_that_say_something_else_are_refused(given: dict[str, str], why: str | None) -> None:
    message = call(a=42)
    right = lowered({**request_headers(message), "Mcp-Param-A": "42"})
    found = find_mismatch({**right, **given}, message, ANNOTATED)
    assert (found is None) if why is None else (why in str(found))


@pytest.mark.parametrize("method", ["tasks/get", "tasks/update", "tasks/cancel"])
def test_requests_about_tasks_name_the_task(method: str) -> None:
    message = {"method": method, "params": {"taskId": "abc"}}
    assert request_headers(message) == {"Mcp-Method": method, "Mcp-Name": "abc"}
    assert find_mismatch({"mcp-method": method, "mcp-name": "abc"}, message) is None
    assert find_mismatch({"mcp-method": method, "mcp-name": "other"}, message) is not None


def test_a_header_for_an_argument_that_is_not_there_is_refused() -> None:
    message = call()
    assert "Mcp-Param-A" in str(
        find_mismatch({**lowered(request_headers(message)), "mcp-param-a": "1"}, message, ANNOTATED)
    )
