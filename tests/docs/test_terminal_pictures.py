"""The pictures of commands in the documentation show what the commands print."""

from __future__ import annotations

import runpy
import xml.etree.ElementTree as ET

import pytest
from checkout import ROOT

WRITER = runpy.run_path(str(ROOT / "docs" / "terminal_pictures.py"))
SVG = "{http://www.w3.org/2000/svg}"
REPAIR = "run: nox -s options"


def shown(picture: str) -> list[str]:
    """Return the lines of text in a picture."""
    return ["".join(text.itertext()) for text in ET.fromstring(picture).iter(f"{SVG}text")]


def test_the_pictures_are_what_would_be_written_now():
    committed = {path: path.read_text(encoding="utf-8") for path in WRITER["FOLDER"].glob("*.svg")}
    assert committed == WRITER["pictures"](), REPAIR


@pytest.mark.parametrize("name", WRITER["COMMANDS"])
def test_a_picture_has_the_text_that_the_commands_print(name, tmp_path):
    WRITER["write_server"](name, str(tmp_path))
    printed = WRITER["session"](WRITER["COMMANDS"][name], str(tmp_path), coloured=False)
    assert "\x1b" not in printed
    assert shown((WRITER["FOLDER"] / f"{name}.svg").read_text(encoding="utf-8")) == printed.splitlines(), REPAIR


def test_colours_become_classes_and_markup_stays_text():
    picture = WRITER["svg"]("$ show\na \x1b[31m\x1b[1m<b>\x1b[0m c\n")
    spans = [(span.get("class"), span.text) for span in ET.fromstring(picture).iter(f"{SVG}tspan")]
    assert spans == [("bold", "$ show"), (None, "a "), ("red bold", "<b>"), (None, " c")]


def test_a_colour_that_the_style_lacks_is_an_error():
    with pytest.raises(KeyError):
        WRITER["svg"]("\x1b[35mpurple\x1b[0m")


def test_a_line_is_not_wider_than_the_picture():
    for path in WRITER["FOLDER"].glob("*.svg"):
        wide = [line for line in shown(path.read_text(encoding="utf-8")) if len(line) > WRITER["COLUMNS"]]
        assert wide == [], path.name


@pytest.mark.parametrize("name", WRITER["COMMANDS"])
def test_the_page_of_a_picture_shows_it(name):
    assert f"](pictures/{name}.svg)" in (ROOT / "docs" / WRITER["PAGES"][name]).read_text(encoding="utf-8")
