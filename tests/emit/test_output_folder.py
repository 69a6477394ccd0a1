"""Files of a run go in all together or not at all, and never over somebody else's."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from mcp_bindgen.emit import transaction
from mcp_bindgen.emit.header import HEADER
from mcp_bindgen.emit.output_folder import Written, check, strange_modules, write
from mcp_bindgen.errors import BindgenError

OURS = f"{HEADER} 0.1.0 from the schema of x.\n"
FILES = {
    "__init__.py": f"{OURS}root\n",
    "py.typed": "",
    "runtime/errors.py": f"{OURS}errors\n",
    "v1/__init__.py": f"{OURS}init\n",
    "v1/inner/types.py": f"{OURS}types: é\n",
}


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def as_bytes(files: dict[str, str]) -> dict[str, bytes]:
    return {path: text.encode() for path, text in files.items()}


def test_writes_everything_into_a_folder_that_does_not_exist_yet(tmp_path: Path) -> None:
    target = tmp_path / "a" / "b"
    written = write(FILES, target)
    assert tree(tmp_path) == {f"a/b/{path}": data for path, data in as_bytes(FILES).items()}
    assert written == Written(created=tuple(sorted(FILES)))


def test_lets_everybody_read_what_it_writes_as_the_umask_says(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        write(FILES, tmp_path / "out")
    finally:
        os.umask(before)
    assert (tmp_path / "out/v1/__init__.py").stat().st_mode & 0o777 == 0o644


def test_a_second_run_touches_nothing(tmp_path: Path) -> None:
    write(FILES, tmp_path)
    for path in FILES:
        os.utime(tmp_path / path, (1, 1))
    written = write(FILES, tmp_path)
    assert written == Written(unchanged=tuple(sorted(FILES)))
    assert not written.touched
    assert {(tmp_path / path).stat().st_mtime for path in FILES} == {1}


def test_only_the_changed_file_gets_a_new_time_and_keeps_its_mode(tmp_path: Path) -> None:
    write(FILES, tmp_path)
    for path in FILES:
        os.utime(tmp_path / path, (1, 1))
    (tmp_path / "v1/__init__.py").chmod(0o600)
    written = write({**FILES, "v1/__init__.py": f"{OURS}new\n"}, tmp_path)
    assert written.changed == ("v1/__init__.py",)
    assert (tmp_path / "v1/__init__.py").read_text() == f"{OURS}new\n"
    assert (tmp_path / "v1/__init__.py").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "v1/inner/types.py").stat().st_mtime == 1


def test_line_ends_are_compared_and_written_as_they_are(tmp_path: Path) -> None:
    write(FILES, tmp_path)
    (tmp_path / "v1/__init__.py").write_bytes(FILES["v1/__init__.py"].replace("\n", "\r\n").encode())
    assert write(FILES, tmp_path).changed == ("v1/__init__.py",)
    assert b"\r" not in (tmp_path / "v1/__init__.py").read_bytes()


def test_our_files_that_are_no_longer_made_are_removed_with_their_empty_folders(tmp_path: Path) -> None:
    write({**FILES, "v1/old/gone.py": OURS}, tmp_path)
    written = write(FILES, tmp_path)
    assert written.removed == ("v1/old/gone.py",)
    assert not (tmp_path / "v1/old").exists()
    assert tree(tmp_path) == as_bytes(FILES)


def test_stale_files_are_looked_for_only_in_the_packages_of_the_run(tmp_path: Path) -> None:
    write({**FILES, "v2/__init__.py": OURS, "old.py": OURS}, tmp_path)
    written = write(FILES, tmp_path)
    assert written.removed == ()
    assert (tmp_path / "v2/__init__.py").exists()
    assert (tmp_path / "old.py").exists()


@pytest.mark.parametrize("name", ["notes.md", "mine.py", "__pycache__/types.cpython-311.pyc", "__pycache__/ours.py"])
def test_files_of_others_in_a_package_stay(tmp_path: Path, name: str) -> None:
    write(FILES, tmp_path)
    place = tmp_path / "v1" / name
    place.parent.mkdir(exist_ok=True)
    place.write_text(OURS if name.startswith("__pycache__/ours") else "mine\n")
    assert not write(FILES, tmp_path).touched
    assert check(FILES, tmp_path) == []
    assert place.exists()


def test_a_file_without_our_header_is_not_overwritten_and_nothing_else_is_written(tmp_path: Path) -> None:
    (tmp_path / "v1/inner").mkdir(parents=True)
    (tmp_path / "v1/inner/types.py").write_text("mine\n")
    (tmp_path / "v1/__init__.py").write_text("")
    before = tree(tmp_path)
    with pytest.raises(BindgenError) as caught:
        write(FILES, tmp_path)
    assert str(tmp_path / "v1/inner/types.py") in str(caught.value)
    assert str(tmp_path / "v1/__init__.py") in str(caught.value)
    assert "--force" in str(caught.value)
    assert tree(tmp_path) == before


def test_force_overwrites_it_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "v1").mkdir()
    (tmp_path / "v1/__init__.py").write_text("mine\n")
    written = write(FILES, tmp_path, force=True)
    assert written.overwritten == ("v1/__init__.py",)
    assert written.changed == ("v1/__init__.py",)
    assert tree(tmp_path) == as_bytes(FILES)


def test_a_root_module_of_somebody_else_is_an_error_that_names_a_folder_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "__init__.py").write_text('"""The application."""\n')
    with pytest.raises(BindgenError) as caught:
        write(FILES, tmp_path)
    assert f"    {tmp_path / '__init__.py'}\n" in str(caught.value)
    assert str(caught.value).endswith(f"use a folder of its own, such as --out {tmp_path / '_mcp'}")
    assert tree(tmp_path) == {"__init__.py": b'"""The application."""\n'}
    assert [drift.path for drift in check(FILES, tmp_path) if drift.state == "changed"] == ["__init__.py"]
    assert write(FILES, tmp_path, force=True).overwritten == ("__init__.py",)
    assert tree(tmp_path) == as_bytes(FILES)


@pytest.mark.parametrize("force", [False, True])
def test_a_marker_of_somebody_else_is_left_alone(tmp_path: Path, force: bool) -> None:
    (tmp_path / "py.typed").write_text("partial\n")
    assert "py.typed" in write(FILES, tmp_path, force=force).unchanged
    assert (tmp_path / "py.typed").read_text() == "partial\n"
    assert check(FILES, tmp_path) == []


@pytest.mark.parametrize("force", [False, True])
def test_the_package_of_another_label_is_not_replaced(tmp_path: Path, force: bool) -> None:
    write(FILES, tmp_path)
    before = tree(tmp_path)
    other = {path: text.replace("schema of x", "schema of y") for path, text in FILES.items()}
    with pytest.raises(BindgenError) as caught:
        write(other, tmp_path, force=force)
    assert str(caught.value) == (
        f"{tmp_path / 'v1'} is the package of 'x', and 'y' has the same package name; choose another label, or delete that "
        "folder"
    )
    with pytest.raises(BindgenError, match="is the package of 'x'"):
        check(other, tmp_path)
    assert tree(tmp_path) == before


def test_the_package_of_a_label_is_replaced_by_another_version_of_the_generator(tmp_path: Path) -> None:
    write({path: text.replace("0.1.0", "0.0.9") for path, text in FILES.items()}, tmp_path)
    write(FILES, tmp_path)
    assert tree(tmp_path) == as_bytes(FILES)


def test_python_files_of_somebody_else_among_the_generated_ones_are_listed(tmp_path: Path) -> None:
    write(FILES, tmp_path)
    for name in ("v1/mine.py", "v1/notes.md", "runtime/inner/more.pyi", "beside/mine.py", "v1/__pycache__/mine.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("mine\n")
    assert strange_modules(FILES, tmp_path) == ["runtime/inner/more.pyi", "v1/mine.py"]


def test_a_root_file_of_ours_is_kept_up_to_date(tmp_path: Path) -> None:
    (tmp_path / "__init__.py").write_text(f"{OURS}old\n")
    assert write(FILES, tmp_path).changed == ("__init__.py",)


@pytest.mark.parametrize("failing", [0, 1, 2, 3])
def test_when_a_package_cannot_be_put_in_place_everything_is_as_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    write({**FILES, "v1/stale.py": OURS}, tmp_path / "out")
    before = tree(tmp_path)
    changed = {**{path: f"{text}changed\n" for path, text in FILES.items()}, "py.typed": "", "v1/new/file.py": OURS}
    changed["v2/__init__.py"] = OURS
    really = transaction._replace
    calls = 0

    def replace(unit: Any, target: Path, stage: Path) -> None:
        nonlocal calls
        calls += 1
        if calls == failing + 1:
            raise OSError(28, "No space left on device", str(stage / unit.name))
        really(unit, target, stage)

    monkeypatch.setattr(transaction, "_replace", replace)
    with pytest.raises(BindgenError, match="No space left on device; nothing was changed"):
        write(changed, tmp_path / "out")
    assert tree(tmp_path) == before
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["__init__.py", "py.typed", "runtime", "v1"]
    assert not (tmp_path / "out/v1/new").exists()
    assert calls == failing + 1


def test_when_the_second_file_cannot_be_written_no_folder_remains(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really = Path.write_bytes
    calls = 0

    def write_bytes(self: Path, data: bytes) -> int:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise OSError(28, "No space left on device", str(self))
        return really(self, data)

    monkeypatch.setattr(Path, "write_bytes", write_bytes)
    with pytest.raises(BindgenError) as caught:
        write(FILES, tmp_path / "a/b")
    # The name of a temporary file would tell nobody anything.
    assert str(caught.value) == f"cannot write {tmp_path / 'a/b'}: No space left on device; nothing was changed"
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_in_the_middle_undoes_what_was_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(FILES, tmp_path)
    before = tree(tmp_path)
    really = transaction._replace

    def interrupted(unit: Any, target: Path, stage: Path) -> None:
        really(unit, target, stage)
        if unit.name == "runtime":
            raise KeyboardInterrupt

    monkeypatch.setattr(transaction, "_replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write({path: f"{OURS}other\n" for path in FILES if path != "py.typed"}, tmp_path)
    assert tree(tmp_path) == before


def test_a_file_in_the_way_of_the_target_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BindgenError, match=r"file is not a folder"):
        write(FILES, tmp_path / "file")
    with pytest.raises(BindgenError, match=r"the output folder .*deeper cannot be used: .*file is not a folder"):
        write(FILES, tmp_path / "file" / "deeper")
    with pytest.raises(BindgenError, match=r"is not a folder"):
        check(FILES, tmp_path / "file")


def test_a_folder_where_a_file_belongs_is_said(tmp_path: Path) -> None:
    (tmp_path / "v1/__init__.py").mkdir(parents=True)
    with pytest.raises(BindgenError, match=r"cannot read .*v1/__init__.py: Is a directory"):
        write(FILES, tmp_path)


def test_a_file_where_a_package_belongs_is_said(tmp_path: Path) -> None:
    (tmp_path / "v1").write_text("")
    with pytest.raises(BindgenError, match=r"v1.*: Not a directory"):
        write(FILES, tmp_path)


def test_a_link_in_the_way_is_refused_as_what_it_points_to_is_elsewhere(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    target = tmp_path / "out"
    target.mkdir()
    (target / "v1").symlink_to(outside)
    with pytest.raises(BindgenError, match=r"v1 is a symbolic link; remove it"):
        write(FILES, target)
    assert list(outside.iterdir()) == []
    (target / "v1").unlink()
    (target / "v1").mkdir()
    (target / "v1/__init__.py").symlink_to(tmp_path / "nowhere")
    with pytest.raises(BindgenError, match=r"__init__.py is a symbolic link"):
        write(FILES, target, force=True)


def test_a_target_that_is_a_link_to_a_folder_is_that_folder(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    write(FILES, tmp_path / "link")
    assert tree(tmp_path / "real") == as_bytes(FILES)
    (tmp_path / "broken").symlink_to("gone")
    with pytest.raises(BindgenError, match="a broken link"):
        write(FILES, tmp_path / "broken")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_to_is_said(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir(mode=0o500)
    with pytest.raises(BindgenError, match="Permission denied; nothing was changed"):
        write(FILES, tmp_path / "out")


def test_check_finds_nothing_after_writing(tmp_path: Path) -> None:
    write(FILES, tmp_path)
    assert check(FILES, tmp_path) == []


def test_check_shows_missing_changed_and_stale_files_and_writes_nothing(tmp_path: Path) -> None:
    write({**FILES, "v1/stale.py": OURS}, tmp_path)
    (tmp_path / "runtime/errors.py").unlink()
    (tmp_path / "v1/__init__.py").write_text(f"{OURS}init \n")
    before = tree(tmp_path)
    drifts = check(FILES, tmp_path)
    assert [(drift.path, drift.state) for drift in drifts] == [
        ("runtime/errors.py", "missing"),
        ("v1/__init__.py", "changed"),
        ("v1/stale.py", "stale"),
    ]
    assert "-init \n+init\n" in drifts[1].diff
    assert tree(tmp_path) == before


def test_check_of_a_folder_that_does_not_exist_finds_every_file_missing(tmp_path: Path) -> None:
    drifts = check(FILES, tmp_path / "nowhere")
    assert {drift.path for drift in drifts} == set(FILES)
    assert {drift.state for drift in drifts} == {"missing"}
    assert all(drift.diff.startswith("--- /dev/null") for drift in drifts)


def test_check_notices_one_byte_and_a_missing_last_newline(tmp_path: Path) -> None:
    write(FILES, tmp_path)
    place = tmp_path / "v1/__init__.py"
    place.write_bytes(place.read_bytes().rstrip(b"\n"))
    (drift,) = check(FILES, tmp_path)
    assert "\\ No newline at end of file" in drift.diff


def test_check_shows_bytes_that_are_no_text(tmp_path: Path) -> None:
    write(FILES, tmp_path)
    (tmp_path / "v1/__init__.py").write_bytes(OURS.encode() + b"\xff\n")
    (drift,) = check(FILES, tmp_path)
    assert "-\\xff\n" in drift.diff


@pytest.mark.skipif(shutil.which("patch") is None, reason="there is no patch program")
def test_the_diffs_are_what_patch_needs_to_repair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write({**FILES, "v1/stale.py": OURS}, Path("out"))
    Path("out/v1/__init__.py").write_text(f"{OURS}a\nb\n")
    Path("out/runtime/errors.py").unlink()
    text = "".join(drift.diff for drift in check(FILES, Path("out")))
    subprocess.run(["patch", "-p0", "-E"], input=text.encode(), check=True, stdout=subprocess.DEVNULL)
    assert tree(Path("out")) == as_bytes(FILES)


def test_the_result_can_be_taken_apart_by_package() -> None:
    written = Written(("__init__.py", "v1/a.py"), ("v2/a.py",), (), ("v1/old/b.py",))
    assert written.below("v1") == Written(("v1/a.py",), (), (), ("v1/old/b.py",))
    assert written.below("") == Written(("__init__.py",))
    assert written.below("v2").touched
    assert not written.below("v3").touched
