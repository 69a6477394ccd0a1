"""Schema files of a user's own: what they import is found, and what is wrong with them is said where it is."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from checkout import REVISIONS

CORE = "export interface Base { id: string }\nexport type Name = string;\n"
EXTENSION = 'import type { Base } from "SPECIFIER";\nexport interface Thing extends Base { size: number }\n'


def write(files: dict[str, str]) -> None:
    for path, text in files.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text)


def properties(cli, *arguments: str, name: str = "Thing") -> list[str]:
    status, out, err = cli("model", *arguments)
    assert (status, err) == (0, "")
    return list(json.loads(out)["types"][name]["properties"])


@pytest.mark.parametrize(
    ("specifier", "place"),
    [
        ("./core", "core.ts"),
        ("./core", "core.d.ts"),
        ("./core", "core/index.ts"),
        ("./core.js", "core.ts"),
        ("./core.js", "core.d.ts"),
        ("./core.ts", "core.ts"),
        ("./core.d.ts", "core.d.ts"),
        ("../core", "../core.ts"),
        ("./deep/core", "deep/core.ts"),
    ],
)
def test_an_import_is_found_beside_the_file(cli, specifier: str, place: str) -> None:
    write({"ext.ts": EXTENSION.replace("SPECIFIER", specifier), place: CORE})
    assert properties(cli, "--schema", "ext.ts") == ["id", "size"]


def test_the_nearest_spelling_wins(cli) -> None:
    other = CORE.replace("id", "other")
    write(
        {
            "ext.ts": EXTENSION.replace("SPECIFIER", "./core"),
            "core.ts": CORE,
            "core.d.ts": other,
            "core/index.ts": other,
        }
    )
    assert properties(cli, "--schema", "ext.ts") == ["id", "size"]


def test_imports_are_followed_through_files_that_mean_different_things_by_the_same_words(cli) -> None:
    write(
        {
            "ext.ts": 'import { A } from "./a/part";\nimport { B } from "./b/part";\nexport interface Thing extends A, B {}\n',
            "a/part.ts": 'import { C } from "./common";\nexport interface A extends C { a: string }\n',
            "b/part.ts": 'import { D } from "./common";\nexport interface B extends D { b: string }\n',
            "a/common.ts": "export interface C { c: string }\n",
            "b/common.ts": "export interface D { d: string }\n",
        }
    )
    assert sorted(properties(cli, "--schema", "ext.ts")) == ["a", "b", "c", "d"]


def test_files_may_import_each_other(cli) -> None:
    write(
        {
            "ext.ts": 'import { Base } from "./core";\nexport interface Thing extends Base { size: number }\n',
            "core.ts": 'import { Thing } from "./ext.js";\nexport interface Base { inner?: Thing }\n',
        }
    )
    assert properties(cli, "--schema", "ext.ts") == ["inner", "size"]


def test_map_leads_an_import_to_a_file(cli) -> None:
    write({"ext.ts": EXTENSION.replace("SPECIFIER", "@acme/core"), "vendored/core.ts": CORE})
    assert properties(cli, "--schema", "ext.ts", "--map", "@acme/core=vendored/core.ts") == ["id", "size"]


def test_map_leads_an_import_to_a_bundled_revision(cli) -> None:
    text = EXTENSION.replace("SPECIFIER", "@mcp/types.js").replace("Base", "Tool")
    write({"ext.ts": text})
    found = properties(cli, "--schema", "ext.ts", "--map", "@mcp/types.js=2025-06-18")
    assert {"name", "inputSchema", "size"} <= set(found)


def test_map_goes_before_what_lies_beside_the_file(cli) -> None:
    write({"ext.ts": EXTENSION.replace("SPECIFIER", "./core"), "core.ts": CORE.replace("id", "no"), "other.ts": CORE})
    assert properties(cli, "--schema", "ext.ts", "--map", "./core=other.ts") == ["id", "size"]


def test_a_generated_extension_has_the_core_types_it_needs(cli, elsewhere: Path) -> None:
    write({"ext.ts": EXTENSION.replace("SPECIFIER", "./core"), "core.ts": CORE})
    assert cli("--schema", "ext.ts", "--out", "out").status == 0
    text = (elsewhere / "out/ext/types.py").read_text()
    assert "class Base(" in text
    assert "class Thing(" in text


def test_a_missing_module_is_reported_at_its_import_with_all_that_was_tried(cli) -> None:
    write({"ext.ts": "\n" + EXTENSION.replace("SPECIFIER", "./core.js")})
    status, out, err = cli("model", "--schema", "ext.ts")
    assert (status, out) == (2, "")
    assert err.startswith("ext.ts:2:")
    assert "cannot find the module './core.js'; looked for ./core.ts, ./core.d.ts, ./core/index.ts in ." in err
    assert '    import type { Base } from "./core.js";\n' in err
    assert err.splitlines()[2].strip() == "^"
    assert err.endswith("error: 1 fault in the schema\n")


@pytest.mark.parametrize("specifier", ["@acme/core", "/etc/hosts", "fs", "..", ""])
def test_a_module_that_is_nowhere_asks_for_map(cli, specifier: str) -> None:
    write({"ext.ts": EXTENSION.replace("SPECIFIER", specifier)})
    status, _, err = cli("model", "--schema", "ext.ts")
    assert status == 2
    assert err.startswith("ext.ts:1:")


def test_a_map_for_another_module_is_named_beside_the_one_that_is_missing(cli) -> None:
    write({"ext.ts": EXTENSION.replace("SPECIFIER", "@acme/core"), "core.ts": CORE})
    err = cli("model", "--schema", "ext.ts", "--map", "core=core.ts").err
    assert "pass --map @acme/core=FILE or --map @acme/core=REVISION, not core\n" in err


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("NotificationParams", f"; {', '.join(REVISIONS[REVISIONS.index('2025-11-25') :])} export it"),
        ("Task", "; 2025-11-25 exports it"),
        ("Tol", "; did you mean Tool?"),
        ("Zzzzzzz", ""),
    ],
)
def test_a_name_that_a_bundled_revision_lacks_says_which_has_it(cli, name: str, hint: str) -> None:
    write({"ext.ts": f'import type {{ {name} }} from "core";\nexport interface Thing {{ it: {name} }}\n'})
    err = cli("model", "--schema", "ext.ts", "--map", "core=2025-06-18").err
    assert err.startswith(f"ext.ts:1:15: 'schema/2025-06-18/schema.ts' does not export {name}{hint}\n")
    assert err.endswith("error: 1 fault in the schema\n")


def test_a_url_of_a_schema_has_to_be_downloaded(cli) -> None:
    status, _, err = cli("model", "--schema", "https://example.com/acme.ts")
    assert (status, err.endswith("; download it first, and pass the file\n")) == (2, True)


def test_a_label_that_is_a_revision_needs_the_schema_of_that_revision(cli) -> None:
    write({"ext.ts": CORE})
    status, _, err = cli("model", "--schema", "ext.ts", "--version", "2025-06-18")
    assert status == 2
    assert (
        err
        == "error: ext.ts is not a schema of the revision 2025-06-18; pass another label to --version, such as ext\n"
    )


def test_a_type_of_the_protocol_that_is_not_imported_shows_how_to_import_it(cli) -> None:
    write({"ext.ts": "export interface Thing { tool: Tool }\n"})
    err = cli("model", "--schema", "ext.ts").err
    hint = 'import it, as in: import type { Tool } from "@modelcontextprotocol/core"'
    assert err.startswith(f"ext.ts:1:32: Tool is neither declared nor imported; {hint}\n")


@pytest.mark.parametrize("value", ['"acme"', "5", '"acme/"', '"/prices"', '"com acme/prices"', '""'])
def test_an_identifier_of_an_extension_that_peers_would_refuse_is_an_error(cli, value: str) -> None:
    write({"ext.ts": f"export const EXTENSION_ID = {value};\nexport interface Thing {{ size: number }}\n"})
    status, _, err = cli("--schema", "ext.ts", "--out", "out")
    assert status == 2
    message = 'EXTENSION_ID must be a string of the form prefix/name, such as "com.example/prices", got'
    assert err.startswith(f"ext.ts:1:14: {message} {value}\n")


def test_all_missing_modules_are_reported_in_one_run(cli) -> None:
    write(
        {"ext.ts": 'import { A } from "./a";\nimport { B, C } from "./b";\nexport interface X extends A, B { c: C }\n'}
    )
    err = cli("model", "--schema", "ext.ts").err
    assert "ext.ts:1:" in err
    assert "ext.ts:2:" in err
    assert err.endswith("error: 2 faults in the schema\n")


def test_a_fault_in_an_imported_file_is_reported_there(cli) -> None:
    write(
        {
            "ext.ts": EXTENSION.replace("SPECIFIER", "./deep/core"),
            "deep/core.ts": "export interface Base { id: Nothing }\n",
        }
    )
    status, _, err = cli("model", "--schema", "ext.ts")
    assert status == 2
    assert err.startswith("deep/core.ts:1:")
    assert "    export interface Base { id: Nothing }\n" in err


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("core.ts", "--map must have the form NAME=FILE or NAME=REVISION, got"),
        ("=core.ts", "must have the form NAME=FILE or NAME=REVISION, got"),
        ("./core=", "must have the form NAME=FILE or NAME=REVISION, got"),
        ("./core=nowhere.ts", "cannot read nowhere.ts: No such file or directory"),
        ("./core=2025-03-27", "'2025-03-27' is not a bundled revision; did you mean 2025-03-26"),
        ("./other=core.ts", "--map ./other=… is not used: ext.ts does not import './other'"),
    ],
)
def test_a_map_that_means_nothing_is_an_error(cli, option: str, message: str) -> None:
    write({"ext.ts": EXTENSION.replace("SPECIFIER", "./core"), "core.ts": CORE})
    status, _, err = cli("model", "--schema", "ext.ts", "--map", option)
    assert status == 2
    assert message in err


def test_contradicting_maps_are_an_error(cli) -> None:
    write({"ext.ts": EXTENSION.replace("SPECIFIER", "./core"), "core.ts": CORE})
    err = cli("model", "--schema", "ext.ts", "--map", "./core=a.ts", "--map", "./core=b.ts").err
    assert "--map maps './core' to both a.ts and b.ts" in err


def test_map_without_a_schema_is_an_error(cli) -> None:
    assert "--map requires --schema FILE" in cli("model", "--map", "a=b").err


@pytest.mark.parametrize(
    ("prepare", "message"),
    [
        (lambda _: None, "cannot read it.ts: No such file or directory"),
        (lambda place: place.mkdir(), "cannot read it.ts: it is a folder"),
        (lambda place: place.symlink_to(place), "cannot read it.ts: "),
        (os.mkfifo, "cannot read it.ts: it is not a regular file"),
        (lambda place: place.write_bytes(b""), "it.ts"),
        (lambda place: place.write_bytes(b"export type A = \xff;"), "it.ts"),
        (lambda place: place.write_bytes("export type A = string;".encode("utf-16")), "it.ts"),
        (lambda place: place.write_text("export type A = ;"), "it.ts:1:"),
        (lambda place: place.write_text("\0"), "it.ts"),
    ],
    ids=["missing", "folder", "loop", "pipe", "empty", "not UTF-8", "UTF-16", "syntax", "NUL"],
)
def test_a_file_that_is_no_schema_is_said_to_be_none(cli, elsewhere: Path, prepare, message: str) -> None:
    prepare(elsewhere / "it.ts")
    status, out, err = cli("--schema", "it.ts", "--out", "out")
    assert (status, out) == (2, "")
    assert message in err
    assert "internal error" not in err
    assert not (elsewhere / "out").exists()


def test_a_folder_with_a_schema_in_it_gets_the_path_that_was_meant(cli, elsewhere: Path) -> None:
    write({"2027-01-01/schema.ts": CORE})
    assert "did you mean 2027-01-01/schema.ts?" in cli("--schema", "2027-01-01", "--out", "out").err
    assert cli("--schema", "2027-01-01/schema.ts", "--out", "out").out.startswith("2027-01-01: ")


def test_standard_input_is_refused_with_the_reason(cli) -> None:
    status, _, err = cli("model", "--schema", "-")
    assert status == 2
    assert "a schema cannot be read from standard input, because its imports are looked up beside it" in err


@pytest.mark.parametrize(
    "arguments",
    [
        ("generate", "--version", "acme", "--schema", "acme.ts", "--out", "out"),
        ("check", "--version", "acme", "--schema", "acme.ts", "--out", "out"),
        ("model", "--version", "acme", "--schema", "acme.ts"),
        ("diff", "acme.ts", "acme.ts"),
        ("history", "PriceRequest", "--schema", "acme.ts"),
        ("matrix", "--schema", "acme.ts"),
    ],
    ids=lambda words: words[0],
)
def test_a_warning_names_the_schema_and_the_line(cli, arguments: tuple[str, ...]) -> None:
    write(
        {"acme.ts": "export interface PriceRequest { id: string; method: 'price' }\nexport interface EmptyResult {}\n"}
    )
    lines = cli(*arguments).err.splitlines()
    warnings = [line for line in lines if line.startswith("warning: ")]
    assert warnings
    assert {line.partition(" is not a member")[0] for line in warnings} == {"warning: acme: acme.ts:1: PriceRequest"}


def test_many_imports_come_to_an_end(cli) -> None:
    for number in range(250):
        Path(f"m{number}.ts").write_text(
            f'import {{ T{number + 1} }} from "./m{number + 1}";\nexport interface T{number} {{ next: T{number + 1} }}\n'
        )
    Path("m250.ts").write_text("export interface T250 { x: string }\n")
    status, _, err = cli("model", "--schema", "m0.ts")
    assert status == 2
    assert "more than 200 files are imported, which is the limit" in err


def test_an_imported_type_says_which_file_its_line_is_in(cli) -> None:
    write({"ext.ts": EXTENSION.replace("SPECIFIER", "./core"), "core.ts": "\n" + CORE})
    types = json.loads(cli("model", "--schema", "ext.ts").out)["types"]
    assert (types["Thing"]["line"], types["Thing"].get("file")) == (2, None)
    assert (types["Base"]["line"], types["Base"]["file"]) == (2, "core.ts")
