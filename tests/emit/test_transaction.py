"""A run that is killed leaves each package old or new, and the next run restores the rest."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from mcp_bindgen.emit import transaction
from mcp_bindgen.emit.header import HEADER
from mcp_bindgen.emit.output_folder import write
from mcp_bindgen.emit.transaction import JOURNAL, STAGE, exchange_paths, exclusive
from mcp_bindgen.errors import BindgenError

PROGRAM = Path(__file__).parent / "programs" / "killed_writes.py"
FILES = {"__init__.py": HEADER, "v1/__init__.py": HEADER}
PATIENCE = 20.0


@pytest.fixture
def can_exchange(tmp_path: Path) -> bool:
    (tmp_path / "one").touch()
    (tmp_path / "other").touch()
    found = exchange_paths(tmp_path / "one", tmp_path / "other")
    (tmp_path / "one").unlink()
    (tmp_path / "other").unlink()
    return found


@pytest.mark.parametrize("how", ["exchange", "rename"])
def test_wherever_a_run_is_killed_no_package_is_mixed_and_the_next_run_completes(
    tmp_path: Path, how: str, can_exchange: bool
) -> None:
    if how == "exchange" and not can_exchange:
        pytest.skip("this system cannot exchange two paths in one step")
    done = subprocess.run(
        [sys.executable, str(PROGRAM), str(tmp_path), how], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 40


def test_an_exchange_is_one_of_two_paths_that_are_there(tmp_path: Path, can_exchange: bool) -> None:
    if not can_exchange:
        pytest.skip("this system cannot exchange two paths in one step")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    (tmp_path / "empty").mkdir()
    assert exchange_paths(tmp_path / "full", tmp_path / "empty")
    assert [path.name for path in (tmp_path / "empty").iterdir()] == ["file"]
    assert not exchange_paths(tmp_path / "full", tmp_path / "nowhere")
    assert (tmp_path / "full").is_dir()


def test_a_run_waits_for_another_and_leaves_its_stage_alone(tmp_path: Path) -> None:
    """What lies there while another run holds the lock is no leftover."""
    stage = tmp_path / f"{STAGE}live"
    done = threading.Event()

    def second() -> None:
        write(FILES, tmp_path)
        done.set()

    with exclusive(tmp_path):
        stage.mkdir()
        thread = threading.Thread(target=second)
        thread.start()
        assert not done.wait(0.2)
        assert stage.is_dir()
        stage.rmdir()
    thread.join(PATIENCE)
    assert done.is_set()
    assert (tmp_path / "v1/__init__.py").is_file()


def test_a_run_that_does_not_end_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transaction, "LOCK_TIMEOUT", 0.1)
    before = list(tmp_path.iterdir())
    with exclusive(tmp_path), pytest.raises(BindgenError, match="another run of mcp-codegen is writing to"):
        write(FILES, tmp_path)
    assert list(tmp_path.iterdir()) == before


def test_what_dead_runs_left_is_removed_even_where_nothing_changes(tmp_path: Path) -> None:
    write(FILES, tmp_path)
    for name in ("one", "two"):
        (tmp_path / f"{STAGE}{name}" / "new").mkdir(parents=True)
    assert not write(FILES, tmp_path).touched
    assert sorted(path.name for path in tmp_path.iterdir()) == ["__init__.py", "v1"]


@pytest.mark.parametrize("text", ["", "[{}]", '{"name": 1}', '[{"name": "../x", "before": 1, "after": 2}]'])
def test_a_journal_of_somebody_else_is_named_and_nothing_moves(tmp_path: Path, text: str) -> None:
    stage = tmp_path / f"{STAGE}odd"
    stage.mkdir()
    (stage / JOURNAL).write_text(text)
    with pytest.raises(BindgenError, match=r"its journal\.json was not written by mcp-codegen; remove that folder"):
        write(FILES, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [stage.name]


def test_a_package_that_was_changed_since_the_kill_is_left_as_it_is(tmp_path: Path) -> None:
    stage = tmp_path / f"{STAGE}dead"
    (stage / "old" / "v1").mkdir(parents=True)
    (tmp_path / "v1").mkdir()
    (tmp_path / "v1" / "mine.py").write_text("mine\n")
    before = (stage / "old" / "v1").stat().st_ino
    (stage / JOURNAL).write_text(json.dumps([{"name": "v1", "before": before, "after": 1}]))
    write({"v2/__init__.py": HEADER}, tmp_path)
    assert (tmp_path / "v1" / "mine.py").read_text() == "mine\n"


def test_links_folders_modes_and_times_of_the_users_files_survive(tmp_path: Path) -> None:
    write(FILES, tmp_path)
    package = tmp_path / "v1"
    (package / "data").mkdir(mode=0o750)
    (package / "empty").mkdir()
    (package / "data" / "run.sh").write_text("#!/bin/sh\n")
    (package / "data" / "run.sh").chmod(0o755)
    os.utime(package / "data" / "run.sh", (1, 1))
    (package / "link").symlink_to("data/run.sh")
    (package / "broken").symlink_to("nowhere")
    package.chmod(0o700)
    inode = (package / "data" / "run.sh").stat().st_ino
    write({**FILES, "v1/__init__.py": f"{HEADER} more\n"}, tmp_path)
    assert (package / "__init__.py").read_text() == f"{HEADER} more\n"
    kept = (package / "data" / "run.sh").stat()
    assert (kept.st_ino, kept.st_mtime, kept.st_mode & 0o777) == (inode, 1, 0o755)
    assert (package / "link").readlink() == Path("data/run.sh")
    assert (package / "broken").readlink() == Path("nowhere")
    assert [(package / name).stat().st_mode & 0o777 for name in (".", "data")] == [0o700, 0o750]
    assert (package / "empty").is_dir()
