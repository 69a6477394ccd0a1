"""What a server answers with, as lines, and as files."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest
from mcp_bindgen.calling.contents import Contents
from mcp_bindgen.errors import BindgenError

DATA = base64.b64encode(b"12345").decode()


def lines(*blocks: Any, structured: Any = None, plain: bool = False, folder: Path | None = None) -> list[str]:
    result = {"content": [*blocks]} | ({} if structured is None else {"structuredContent": structured})
    return list(Contents(folder, plain=plain).of_tool("tool", result))


def test_each_kind_of_block_has_its_line() -> None:
    assert lines(
        {"type": "text", "text": "hello\nyou\n"},
        {"type": "image", "data": DATA, "mimeType": "image/png"},
        {"type": "audio", "data": DATA, "mimeType": "audio/wav"},
        {"type": "resource", "resource": {"uri": "x:y", "text": "inside"}},
        {"type": "resource", "resource": {"uri": "x:y", "blob": DATA}},
        {"type": "resource_link", "uri": "x:y", "name": "why", "mimeType": "text/plain"},
        {"type": "image", "data": "!", "mimeType": "image/png"},
    ) == [
        "hello\nyou",
        "[image image/png, 5 bytes]",
        "[audio audio/wav, 5 bytes]",
        "inside",
        "[resource, 5 bytes]",
        "[resource x:y (why, text/plain)]",
        "[image with invalid base64: Only base64 data is allowed]",
    ]


def test_a_block_of_another_kind_is_shown_whole() -> None:
    assert lines({"type": "tool_use", "id": "1"}) == ['{\n  "type": "tool_use",\n  "id": "1"\n}']


def test_structured_content_is_shown_where_the_text_does_not_repeat_it() -> None:
    assert lines({"type": "text", "text": '{ "a":1 }'}, structured={"a": 1}) == ['{ "a":1 }']
    assert lines({"type": "text", "text": "one"}, structured={"a": 1}) == ["one", '{\n  "a": 1\n}']
    assert lines({"type": "text", "text": "one"}, structured={"result": "one"}) == ["one"]
    assert lines({"type": "text", "text": "3.0"}, structured={"result": 3.0}) == ["3.0"]
    assert lines({"type": "text", "text": "3.0"}, structured={"result": 4.0}) == ["3.0", '{\n  "result": 4.0\n}']
    assert lines(structured=[]) == ["[]"]
    assert lines(structured={"result": []}) == ['{\n  "result": []\n}']


def test_a_list_is_repeated_by_a_block_for_each_item() -> None:
    soup, number = {"type": "text", "text": "soup"}, {"type": "text", "text": "3"}
    assert lines(soup, number, structured={"result": ["soup", 3]}) == ["soup", "3"]
    assert lines(soup, number, structured=["soup", 3]) == ["soup", "3"]
    assert lines(soup, structured={"result": ["soup", 3]}) == ["soup", '{\n  "result": [\n    "soup",\n    3\n  ]\n}']
    assert lines({"type": "image", "data": DATA}, structured=[DATA])[1:] == [f'[\n  "{DATA}"\n]']


def test_on_a_terminal_text_is_only_text() -> None:
    assert lines({"type": "text", "text": "a\tb\x1b[31m\r\nc\n"}, plain=True) == ["a\tb\\u001b[31m", "c"]
    assert lines({"type": "text", "text": "a\x1b[31m"}) == ["a\x1b[31m"]


def test_bytes_are_saved_under_names_of_their_own(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    image = {"type": "image", "data": DATA, "mimeType": "image/png"}
    assert lines(image, image, folder=folder) == [
        f"[image image/png, 5 bytes: {folder / 'tool.png'}]",
        f"[image image/png, 5 bytes: {folder / 'tool-2.png'}]",
    ]
    assert (folder / "tool-2.png").read_bytes() == b"12345"


@pytest.mark.parametrize(
    ("uri", "mime", "name"),
    [
        ("file:///etc/../../passwd", None, "passwd"),
        ("x://y/..", None, "content"),
        ("x://y/.bashrc", None, "bashrc"),
        ("x://y/a.tar.gz", "application/x-unheard-of", "a.tar.gz"),
        ("x://y/pixel.PNG", "image/png; charset=x", "pixel.png"),
        ("x://y/a\\b c", "image/png", "a_b_c.png"),
        ("x://y/" + "n" * 300, "image/png", "n" * 80 + ".png"),
        ("x://y/", None, "resource"),
    ],
)
def test_no_name_leads_out_of_the_folder(tmp_path: Path, uri: str, mime: str | None, name: str) -> None:
    part = {"uri": uri, "blob": DATA} | ({} if mime is None else {"mimeType": mime})
    list(Contents(tmp_path, plain=False).of_resource({"contents": [part]}))
    assert [each.name for each in tmp_path.iterdir()] == [name]


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BindgenError, match="pass a writable folder to --save"):
        lines({"type": "image", "data": DATA}, folder=tmp_path / "file")


def test_several_contents_and_messages_say_whose_they_are() -> None:
    contents = Contents(None, plain=False)
    parts = [{"uri": "x:1", "text": "one"}, {"uri": "x:2", "text": "two"}]
    assert list(contents.of_resource({"contents": parts})) == ["x:1:", "one", "x:2:", "two"]
    message = {"role": "user", "content": {"type": "text", "text": "a\nb"}}
    assert list(contents.of_prompt("p", {"messages": [message]})) == ["user:", "  a", "  b"]
