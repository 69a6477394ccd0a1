"""What is bundled, and what the packages made of it are called."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from mcp_bindgen import catalog, resources
from mcp_bindgen.errors import BindgenError


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("2025-03-26", "v2025_03_26"),
        ("draft", "draft"),
        ("acme-2", "acme_2"),
        ("v1.2", "v1_2"),
        ("9lives", "v9lives"),
        ("class", "class_"),
        ("été", "été"),
    ],
)
def test_a_label_becomes_a_package_name(label: str, name: str) -> None:
    assert catalog.package_name(label) == name
    assert name.isidentifier()


@pytest.mark.parametrize(
    "label",
    [
        "",
        "-",
        "...",
        "Acme Corp.",
        "_x_",
        "../../etc",
        "runtime",
        "bridge",
        "connect",
        "serve",
        "testing",
        "a\nb",
        "a\0",
        "x" * 65,
        "\u202ename",
    ],
)
def test_a_label_without_a_usable_name_is_refused(label: str) -> None:
    with pytest.raises(BindgenError):
        catalog.package_name(label)


@pytest.mark.parametrize(
    ("path", "label"),
    [
        ("acme.ts", "acme"),
        ("types/acme.d.ts", "acme"),
        ("spec/2025-03-26/schema.ts", "2025-03-26"),
        ("spec/draft/schema.ts", "draft"),
        ("spec/2025/schema.ts", "schema"),
        ("acme", "acme"),
    ],
)
def test_a_schema_file_is_labelled_by_its_folder_if_that_is_a_revision(path: str, label: str) -> None:
    assert catalog.label_of(Path(path)) == label


def test_every_bundled_schema_has_an_official_file() -> None:
    files = catalog.official_files()
    assert tuple(files) == (*catalog.revisions(), *catalog.extensions())
    for label, official in files.items():
        own = "modelcontextprotocol/" + (label if label in catalog.extensions() else "modelcontextprotocol")
        assert official.repository == own
        assert re.fullmatch("[0-9a-f]{40}", official.commit)
        assert re.fullmatch("[0-9a-f]{64}", official.sha256)
    assert len({official.sha256 for official in files.values()}) == len(files)


def test_a_protocol_has_the_revision_asked_for_not_the_one_its_constant_says() -> None:
    assert catalog.load("2025-06-18").revision == "2025-06-18"
    assert catalog.load("2025-06-18").source == "schema/2025-06-18/schema.ts"


def test_an_extension_takes_the_types_of_the_revision_that_it_extends() -> None:
    tasks, core = catalog.load("ext-tasks"), catalog.load("2026-07-28")
    assert tasks.source == "schema/extensions/ext-tasks/schema.ts"
    names = [field.name for field in tasks.objects["GetTaskRequestParams"].fields]
    assert names == ["_meta", "taskId"]
    ours, theirs = tasks.objects["ElicitResult"].fields, core.objects["ElicitResult"].fields
    assert [field.name for field in ours] == [field.name for field in theirs]


def test_an_unknown_revision_has_no_file() -> None:
    with pytest.raises(BindgenError, match=r"did you mean 2025-06-18"):
        catalog.schema_file("2025-06-17")
    with pytest.raises(BindgenError, match="not a bundled revision"):
        catalog.schema_file("../2025-06-18")


def test_in_a_checkout_data_comes_from_the_checkout() -> None:
    root = resources.checkout()
    assert root is not None
    assert resources.schemas() == root / "schema"
    assert resources.templates() == root / "templates"


def test_in_a_wheel_data_comes_from_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "site-packages/mcp_bindgen"
    (package / "_schema").mkdir(parents=True)
    (package / "_templates").mkdir()
    monkeypatch.setattr(resources, "_PACKAGE", package)
    assert resources.schemas() == package / "_schema"
    assert resources.templates() == package / "_templates"
    assert resources.checkout() is None
    assert resources.default_target() is None


def test_an_installation_without_its_data_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "_PACKAGE", tmp_path)
    with pytest.raises(BindgenError, match="reinstall mcp-bindings"):
        resources.schemas()
