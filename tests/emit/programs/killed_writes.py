"""Writes packages in children that are killed, each before another operation on files, and checks what is left.

``killed_writes.py FOLDER exchange|rename``: whether the system exchanges two paths, or renames them one after the other.
Prints how many children there were.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from mcp_bindgen.emit import transaction
from mcp_bindgen.emit.header import HEADER
from mcp_bindgen.emit.output_folder import write

FILE_OPERATIONS = {
    "open",
    "os.chmod",
    "os.link",
    "os.mkdir",
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.symlink",
    "shutil.copyfile",
    "shutil.rmtree",
}


def generation(name: str) -> dict[str, str]:
    text = f"{HEADER} {name}\n"
    files = dict.fromkeys(["__init__.py", "a/__init__.py", "a/inner/x.py", "a/y.py", "b/__init__.py"], text)
    return {**files, f"a/only_{name}.py": text, f"{name}/__init__.py": text, "py.typed": ""}


OLD, NEW = generation("old"), generation("new")
MINE = {"a/mine.txt": "mine", "a/notes/deep.txt": "deep"}


def packages(target: Path) -> dict[str, set[str]]:
    """Which generations the files of each package are of."""
    found: dict[str, set[str]] = {}
    for path in target.rglob("*.py"):
        top = path.relative_to(target).parts[0]
        if not top.startswith(transaction.STAGE):
            found.setdefault(top, set()).add(path.read_text().split()[-1])
    return found


def users_files(target: Path) -> dict[str, str]:
    return {name: (target / name).read_text() for name in MINE if (target / name).exists()}


def prepare(target: Path) -> None:
    write(OLD, target)
    for name, text in MINE.items():
        (target / name).parent.mkdir(exist_ok=True)
        (target / name).write_text(text)


def killed_before(operation: int, target: Path) -> bool:
    """Write the new generation in a child that is killed before an operation; False if it has fewer operations."""
    child = os.fork()
    if child == 0:
        done = 0

        def hook(event: str, arguments: object) -> None:
            nonlocal done
            if event in FILE_OPERATIONS:
                done += 1
                if done == operation:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(hook)
        write(NEW, target)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def check(target: Path, *, exchanges: bool) -> None:
    found = packages(target)
    assert all(len(generations) == 1 for generations in found.values()), f"mixed: {found}"
    if exchanges:
        assert {"__init__.py", "a", "b"} <= found.keys(), f"missing: {found}"
        assert users_files(target) == MINE
    # A run about something else restores what the killed one has begun.
    write({"other/__init__.py": f"{HEADER} other\n"}, target)
    found = packages(target)
    assert found.pop("other") == {"other"}
    assert found in (
        {"__init__.py": {"old"}, "a": {"old"}, "b": {"old"}, "old": {"old"}},
        {"__init__.py": {"new"}, "a": {"new"}, "b": {"new"}, "old": {"old"}, "new": {"new"}},
    ), f"packages of two generations: {found}"
    assert users_files(target) == MINE
    assert not list(target.glob(f"{transaction.STAGE}*")), "a stage is left"
    write(NEW, target)
    assert {"__init__.py": {"new"}, "a": {"new"}, "b": {"new"}, "new": {"new"}}.items() <= packages(target).items()


def main(folder: Path, how: str) -> None:
    exchanges = how == "exchange"
    if not exchanges:
        transaction.exchange_paths = lambda one, other: False
    operation, killed = 0, True
    while killed:
        operation += 1
        target = folder / str(operation)
        prepare(target)
        killed = killed_before(operation, target)
        try:
            check(target, exchanges=exchanges)
        except BaseException as problem:
            problem.add_note(f"killed before operation {operation}")
            raise
    print(operation - 1)


main(Path(sys.argv[1]), sys.argv[2])
