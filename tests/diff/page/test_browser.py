"""The page in a browser, used as a reader would."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from attrs import evolve
from diff.page.cases import HOSTILE, bundled, loaded, many
from diff.page.chromium import Browser, found
from mcp_bindgen.diff import page
from mcp_bindgen.diff.changes import Witness

PROGRAM = found()
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no Chromium is installed")

OLD, NEW = "2025-11-25", "2026-07-28"
SHOWN = "[...document.querySelectorAll('.change')].filter((card) => card.checkVisibility()).map((card) => card.id)"
FOCUSED = "document.activeElement.closest('.change')?.id"
STATED = "decodeURIComponent(location.hash)"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    assert PROGRAM is not None
    started = Browser(PROGRAM, tmp_path_factory.mktemp("profile"))
    yield started
    started.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    difference, text = bundled(OLD, NEW)
    (folder / "real.html").write_text(text, encoding="utf-8")
    before, after = loaded(OLD), loaded(NEW)
    (folder / "many.html").write_text(page.render(many(2_000), before, after), encoding="utf-8")
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "echo"}}
    witness = Witness("old_client_new_server", "client", message, "refused", place=("params", "name"))
    told = evolve(
        difference,
        changes=tuple(
            evolve(each, witness=witness if each.level == "breaking" else None) for each in difference.changes
        ),
    )
    (folder / "told.html").write_text(page.render(told, before, after), encoding="utf-8")
    for number, text in enumerate(HOSTILE):
        (folder / f"hostile{number}.html").write_text(page.render(many(8, text), before, after), encoding="utf-8")
    return folder


@pytest.fixture
def opened(browser: Browser, pages: Path) -> Browser:
    browser.size(1280, 900)
    browser.media()
    browser.open((pages / "real.html").as_uri())
    browser.ask("localStorage.clear()")
    return browser


def changes() -> tuple:
    return bundled(OLD, NEW)[0].changes


def choose(browser: Browser, name: str, value: str) -> None:
    browser.ask(
        f"(() => {{ const each = document.querySelector('[name={name}]'); each.value = {json.dumps(value)};"
        "each.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )


def test_all_is_shown_and_nothing_goes_wrong(opened: Browser, pages: Path) -> None:
    assert len(opened.ask(SHOWN)) == len(changes())
    assert opened.troubles() == []
    assert opened.requests() == [(pages / "real.html").as_uri()]


def test_levels(opened: Browser) -> None:
    opened.ask("document.querySelector('[name=level][value=breaking]').click()")
    assert set(opened.ask(SHOWN)) == {change.id for change in changes() if change.level == "breaking"}
    opened.ask("document.querySelector('[name=level][value=risky]').click()")
    assert set(opened.ask(SHOWN)) == {change.id for change in changes() if change.level != "compatible"}
    assert opened.ask(STATED) == "#?level=breaking,risky"


@pytest.mark.parametrize("pairing", ["old_client_new_server", "new_client_old_server", "api"])
def test_a_level_is_that_of_the_pairing(opened: Browser, pairing: str) -> None:
    choose(opened, "pairing", pairing)
    assert len(opened.ask(SHOWN)) == len(changes())
    opened.ask("document.querySelector('[name=level][value=risky]').click()")
    assert set(opened.ask(SHOWN)) == {each.id for each in changes() if getattr(each.verdicts, pairing) == "risky"}


def test_kinds_and_methods(opened: Browser) -> None:
    choose(opened, "kind", "field_added")
    choose(opened, "method", "tools/list")
    wanted = {each.id for each in changes() if each.kind == "field_added" and "tools/list" in each.methods}
    assert wanted
    assert set(opened.ask(SHOWN)) == wanted
    assert opened.ask("document.querySelector('output').value") == f"{len(wanted)} of {len(changes())} changes"
    choose(opened, "kind", "")
    choose(opened, "method", "-")
    assert set(opened.ask(SHOWN)) == {each.id for each in changes() if not each.methods}
    opened.ask("document.querySelector('[type=reset]').click()")
    opened.settle(f"{SHOWN}.length === {len(changes())}")
    assert opened.ask(STATED) == ""


def test_the_search_looks_for_all_words(opened: Browser) -> None:
    opened.press("/")
    assert opened.ask("document.activeElement.name") == "q"
    opened.type("TOOL outputschema")
    opened.settle("location.hash === '#?q=TOOL%20outputschema'")
    found = opened.ask(SHOWN)
    assert found
    assert len(found) < len(changes())
    assert "field_type_changed:Tool.outputSchema" in found or any("Tool.outputSchema" in each for each in found)
    opened.press("Escape")
    assert len(opened.ask(SHOWN)) == len(changes())
    opened.press("/")
    opened.type("no such words at all")
    opened.settle("!document.getElementById('none').hidden")
    assert opened.ask(SHOWN) == []


def test_a_cell_of_the_matrix_shows_its_changes(opened: Browser) -> None:
    opened.ask("document.querySelector('tr[data-method=\"tools/list\"] td a.breaking').click()")
    wanted = {
        each.id
        for each in changes()
        if "tools/list" in each.methods and each.verdicts.old_client_new_server == "breaking"
    }
    opened.settle("location.hash.startsWith('#?')")
    opened.settle(f"{SHOWN}.length === {len(wanted)}")
    assert set(opened.ask(SHOWN)) == wanted
    assert opened.ask("document.querySelector('tr.chosen').dataset.method") == "tools/list"


def test_the_number_in_a_cell_is_the_number_of_its_changes(opened: Browser) -> None:
    wrong = opened.ask(
        "[...document.querySelectorAll('.matrix td a, .bars a')].filter((link) => {"
        "const want = new URLSearchParams(link.hash.slice(2));"
        "const { methods, changes } = JSON.parse(document.getElementById('index').textContent);"
        "const fit = changes.filter((each) => each[want.get('pairing')] === want.get('level') && (!want.get('method') ||"
        "(want.get('method') === '-' ? !each.methods.length"
        ": each.methods.some((method) => methods[method] === want.get('method')))));"
        "return fit.length !== parseInt(link.textContent); }).length"
    )
    assert wrong == 0


def test_every_link_opens_its_change(opened: Browser) -> None:
    for change in changes()[::9]:
        opened.ask(f"location.hash = {json.dumps('#' + quote(change.id, safe=''))}")
        opened.settle(f"{FOCUSED} === {json.dumps(change.id)}")
        place = f"document.getElementById({json.dumps(change.id)})"
        assert opened.ask(f"{place}.open")
        assert opened.ask(f"{place}.getBoundingClientRect().top") < 900


def test_a_link_in_the_address_shows_a_change_that_filters_had_hidden(opened: Browser, pages: Path) -> None:
    change = next(each for each in changes() if each.level == "compatible")
    opened.open(f"{(pages / 'real.html').as_uri()}#{quote(change.id)}")
    opened.settle(f"{FOCUSED} === {json.dumps(change.id)}")
    opened.ask("document.querySelector('[name=level][value=breaking]').click()")
    assert change.id not in opened.ask(SHOWN)
    opened.ask(f"location.hash = {json.dumps('#' + change.id)}")
    opened.settle(f"{FOCUSED} === {json.dumps(change.id)}")
    assert change.id in opened.ask(SHOWN)


def test_filters_in_the_address_hold_from_the_start(opened: Browser, pages: Path) -> None:
    opened.open(f"{(pages / 'real.html').as_uri()}#?level=breaking&kind=field_added&method=nonsense&pairing=%E0%A4")
    wanted = {each.id for each in changes() if each.level == "breaking" and each.kind == "field_added"}
    assert set(opened.ask(SHOWN)) == wanted
    assert opened.troubles() == []


def test_the_keyboard_goes_through_the_changes_that_are_shown(opened: Browser, pages: Path) -> None:
    opened.open(f"{(pages / 'real.html').as_uri()}#?level=risky")
    order = opened.ask(SHOWN)
    for key, place in (("j", 0), ("j", 1), ("j", 2), ("k", 1), ("ArrowDown", 2), ("ArrowUp", 1)):
        opened.press(key)
        assert opened.ask(FOCUSED) == order[place], key
    state = f"document.getElementById({json.dumps(order[1])}).open"
    assert not opened.ask(state)
    opened.press("Enter")
    opened.settle(state)
    opened.press("Enter")
    opened.settle(f"!{state}")


def test_all_can_be_unfolded_and_folded(opened: Browser) -> None:
    opened.ask("document.getElementById('unfold').click()")
    assert opened.ask("document.querySelectorAll('.change:not([open])').length") == 0
    opened.ask("document.getElementById('unfold').click()")
    assert opened.ask("document.querySelectorAll('.change[open]').length") == 0


def test_a_witness_unfolds(opened: Browser, pages: Path) -> None:
    opened.open((pages / "told.html").as_uri())
    assert opened.ask("document.querySelectorAll('.witness').length") == bundled(OLD, NEW)[0].summary.breaking
    assert not opened.ask("document.querySelector('.witness pre').checkVisibility()")
    opened.ask("document.querySelector('.witness summary').click()")
    assert opened.ask("document.querySelector('.witness pre').checkVisibility()")
    assert json.loads(opened.ask("document.querySelector('.witness pre').textContent"))["params"] == {"name": "echo"}


def test_two_thousand_changes_without_delay(opened: Browser, pages: Path) -> None:
    opened.open((pages / "many.html").as_uri())
    assert len(opened.ask(SHOWN)) == 2_000
    took = opened.ask(
        "(() => { const form = document.getElementById('filters'), box = form.querySelector('[value=breaking]');"
        "const times = []; for (let turn = 0; turn < 4; turn++) { const start = performance.now();"
        "box.click(); document.body.offsetHeight; times.push(performance.now() - start); } return times; })()"
    )
    # Some 10 ms; the machine may be busy.
    assert sorted(took)[1] < 300
    opened.ask("document.querySelector('[name=q]').focus()")
    opened.type("place 1234.")
    opened.settle(f"{SHOWN}.length === 1")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_themes_and_the_button_between_them(opened: Browser, scheme: str) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    opened.media(scheme=scheme)
    assert (opened.ask(ground) == "rgb(250, 249, 246)") == (scheme == "light")
    opened.ask("document.getElementById('theme').click()")
    assert (opened.ask(ground) == "rgb(250, 249, 246)") == (scheme == "dark")
    opened.ask("document.getElementById('theme').click()")
    assert (opened.ask(ground) == "rgb(250, 249, 246)") == (scheme == "light")
    opened.ask("localStorage.clear()")


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
def test_no_width_needs_scrolling_sideways(opened: Browser, width: int) -> None:
    opened.size(width, 800)
    opened.ask("document.getElementById('unfold').click()")
    assert opened.ask("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0


def test_without_a_script_all_is_there(opened: Browser, pages: Path) -> None:
    opened.scripts(on=False)
    try:
        opened.open((pages / "real.html").as_uri())
    finally:
        opened.scripts(on=True)
    assert len(opened.ask(SHOWN)) == len(changes())
    assert not opened.ask("document.getElementById('filters').checkVisibility()")


def test_on_paper_all_is_unfolded(opened: Browser) -> None:
    opened.media(kind="print")
    try:
        assert not opened.ask("document.getElementById('filters').checkVisibility()")
        hidden = (
            "[...document.querySelectorAll('.change .facts')].filter((each) => !each.getClientRects().length).length"
        )
        assert opened.ask(hidden) == 0
    finally:
        opened.media()
    assert opened.pdf().startswith(b"%PDF")


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_hostile_texts_do_nothing(opened: Browser, pages: Path, number: int) -> None:
    opened.open((pages / f"hostile{number}.html").as_uri())
    assert len(opened.ask(SHOWN)) == 8
    assert opened.troubles() == []
    assert opened.requests() == [(pages / f"hostile{number}.html").as_uri()]
    link = "document.querySelector('.change .link')"
    opened.ask(f"{link}.click()")
    opened.settle(f"{FOCUSED} === {link}.closest('.change').id")
    opened.ask("document.querySelector('tr[data-method] td a').click()")
    opened.settle("document.querySelector('tr.chosen') !== null")
