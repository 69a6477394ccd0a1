"""Command ``python -m public_servers FOLDER`` in ``tests/``: compares releases, judges mutations, tries typed clients.

Servers are installed into the folder, and nothing of their schemas is kept elsewhere.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from diff.tools.mutation_operators import Mutation, mutations_of, report
from mcp_bindgen.emit.server_client_package import class_name_of

from public_servers.releases import SERVERS, PublicServer

_MAX_UNDECIDED = 0.05
"""Share of the changes between releases that may stay undecided."""


def main() -> int:
    """Install, compare and call the servers; return 1 if anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="folder to install into")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="this server (repeat for several)")
    options = parser.parse_args()
    folder: Path = options.folder.resolve()
    work = folder / "work"
    work.mkdir(parents=True, exist_ok=True)
    # Some servers write files where they are started.
    os.chdir(work)
    chosen = [each for each in SERVERS if not options.only or each.name in options.only]
    locks = {each.name: _snapshots(each, folder) for each in chosen}
    print("\nReleases")
    failures = _compare(locks)
    print("\nMutations of their tools")
    failures += report(_mutations(new for _, new in locks.values()))
    print("\nTyped clients")
    failures += sum(_try_client(each, locks[each.name][1], folder) for each in chosen)
    return 1 if failures else 0


def _command(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run ``mcp-codegen``; raise `CalledProcessError` if it cannot do its work."""
    command = [sys.executable, "-m", "mcp_bindgen.cli", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in {0, 1}:
        sys.stderr.write(done.stderr)
        done.check_returncode()
    return done


def _snapshots(server: PublicServer, folder: Path) -> tuple[Path, Path]:
    """Install both releases; return their locks."""
    old, new = (folder / f"{server.name.rpartition('/')[2]}-{release}.lock.json" for release in server.releases)
    for release, lock in zip(server.releases, (old, new), strict=True):
        if not lock.exists():
            done = _command("tools", "snapshot", "-o", str(lock), "--", *server.installed(release, folder))
            # Servers log to the same stream; without a line of theirs and of the command there is nothing to print.
            print(*done.stderr.splitlines()[-1:])
    return old, new


def _compare(locks: dict[str, tuple[Path, Path]]) -> int:
    """Print the changes of each server by verdict; return whether too many are undecided."""
    every: Counter[str] = Counter()
    for name, (old, new) in locks.items():
        document = json.loads(_command("tools", "diff", str(old), str(new), "--format", "json").stdout)
        counts = Counter(each["verdict"] for each in document["changes"] if each["area"] != "wording")
        every += counts
        print(f"{name}: {', '.join(f'{count} {verdict}' for verdict, count in sorted(counts.items())) or 'no changes'}")
    share = every["undecided"] / max(every.total(), 1)
    print(f"{every.total()} changes, undecided {share:.3f}")
    return share > _MAX_UNDECIDED


def _mutations(locks: Iterable[Path]) -> Iterator[Mutation]:
    for lock in locks:
        for tool in json.loads(lock.read_text(encoding="utf-8"))["tools"]:
            yield from mutations_of(tool)


def _try_client(server: PublicServer, lock: Path, folder: Path) -> bool:
    """Write the typed client of a server, check its types and call a tool; return whether anything is wrong."""
    package = server.name.rpartition("/")[2].replace("-", "_")
    clients = folder / "clients"
    _command("client", "--from", str(lock), "--out", str(clients / package), "--force")
    by_mypy = ["mypy", "--strict", str(clients / package)]
    by_pyright = ["pyright", "--pythonpath", sys.executable, "-p", str(_strict(clients, package))]
    for checker in (by_mypy, by_pyright):
        done = subprocess.run([sys.executable, "-m", *checker], capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"{server.name}: {checker[0]} finds errors\n{done.stdout}")
            return True
    sys.path.insert(0, str(clients))
    cls = getattr(import_module(package), class_name_of(package))
    with cls.stdio(server.installed(server.releases[1], folder)) as client:
        answer = str(_answer(client, server))
    print(f"{server.name}: mypy and pyright find nothing; {server.tool} answers {answer[:80]!r}")
    return server.answer not in answer


def _answer(client: Any, server: PublicServer) -> Any:
    """Return the result of the tool, or the error that it reports."""
    from mcp_bindings import ToolFailed

    try:
        return getattr(client, server.tool)(**server.arguments)
    except ToolFailed as failed:
        return failed


def _strict(clients: Path, package: str) -> Path:
    """Return the file of the options that pyright checks a package with."""
    file = clients / f"{package}.json"
    file.write_text(json.dumps({"include": [package], "typeCheckingMode": "strict"}), encoding="utf-8")
    return file


if __name__ == "__main__":
    sys.exit(main())
