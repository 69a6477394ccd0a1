"""Packages of clients for single servers: reading their lock files, writing and comparing them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp_bindgen.errors import BindgenError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_bindgen.emit.output_folder import Drift
    from mcp_bindgen.server_clients import GeneratedClient

_OWN_FOLDERS = frozenset({"tools", "bindings"})
"""Folders that a package may have."""
_NAMED = 3
"""Limit on the files that a message names."""


class ClientPackage(NamedTuple):
    """A package to generate."""

    file: Path
    """Lock file or result of ``tools/list``."""
    out: Path
    vendored: Sequence[str] = ()
    """Revisions whose bindings are copied into it."""
    split: bool = False
    """Whether it has a module for each tool."""


class PreparedClient(NamedTuple):
    """A package that is generated, and that its folder can accept."""

    generated: GeneratedClient
    target: Path
    """Folder above that of the package, to which the paths of the files are relative."""

    @property
    def folder(self) -> Path:
        """Folder of the package."""
        return self.target / self.generated.package


def read_offers_file(file: Path) -> Any:
    """Return the JSON of a lock file or of a result of ``tools/list``; raise ``BindgenError``."""
    from mcp_bindgen.syntax.jsonschema.json_text import read_json

    try:
        data = file.read_bytes()
    except OSError as problem:
        message = f"cannot read {str(file)!r}: {problem.strerror}"
        raise BindgenError(message) from problem
    return read_json(data, str(file))


def prepare_client(value: Any, source: str, package: ClientPackage, *, force: bool) -> PreparedClient:
    """Generate a package without writing it; raise ``BindgenError`` if its folder contains something else."""
    from mcp_bindgen.emit.output_folder import require_writable

    generated, target = _generated(value, source, package)
    prepared = PreparedClient(generated, target)
    _refuse_shared_folder(prepared.folder, generated)
    if not force:
        _refuse_other_files(prepared.folder)
    require_writable(generated.files, target, force=force)
    return prepared


def require_separate_folders(clients: Sequence[PreparedClient], others: Sequence[Path]) -> None:
    """Raise ``BindgenError`` if the folder of a client would contain that of another client, or one of ``others``.

    Writing the client would remove the other files as stale.
    """
    own = [_absolute(each.folder) for each in clients]
    outer = [_absolute(each) for each in others]
    for number, folder in enumerate(own):
        for inner in [*own[:number], *own[number + 1 :], *outer]:
            if inner.is_relative_to(folder):
                message = (
                    f"the client in {clients[number].folder} needs a folder of its own, but {inner} is an output folder, "
                    "too; change one `out` in pyproject.toml"
                )
                raise BindgenError(message)


def _absolute(path: Path) -> Path:
    return Path(os.path.normpath(path.absolute()))


def compare_client(package: ClientPackage) -> list[Drift]:
    """Return the differences between a package and its lock file, without connecting to the server."""
    from mcp_bindgen.emit.output_folder import check

    generated, target = _generated(read_offers_file(package.file), str(package.file), package)
    return check(generated.files, target)


def _generated(value: Any, source: str, package: ClientPackage) -> tuple[GeneratedClient, Path]:
    from mcp_bindgen.cli.target import target_of
    from mcp_bindgen.server_clients import generate_server_client

    out = target_of(Path(os.path.normpath(package.out)), "mcp-codegen client")
    if out.name in {"", ".."}:
        # The current folder or one above it: the package is that folder, and not one below it.
        out = Path(os.path.normpath(out.absolute()))
    generated = generate_server_client(value, source, out.name, vendored=package.vendored, has_functions=package.split)
    return generated, out.parent


def _refuse_other_files(folder: Path) -> None:
    """Raise ``BindgenError`` if the folder has files, and no package that was generated there before.

    The modules of the package would lie beside scripts, which then import its ``types`` for that of the standard library.
    """
    from mcp_bindgen.emit.output_folder import is_ours

    if not folder.is_dir() or is_ours(folder / "__init__.py"):
        return
    found = sorted(each.name for each in folder.iterdir() if not each.name.startswith((".", "__pycache__")))
    if found:
        named = ", ".join([*found[:_NAMED], *(["…"] if len(found) > _NAMED else [])])
        message = (
            f"{folder} has files that mcp-codegen did not generate ({named}); choose a new folder, or pass --force"
        )
        raise BindgenError(message)


def _refuse_shared_folder(folder: Path, generated: GeneratedClient) -> None:
    """Raise ``BindgenError`` if the folder contains other generated packages, which writing would remove as stale."""
    from mcp_bindgen.emit.header import HEADER

    for inner in sorted(folder.glob("*/*.py")):
        if inner.parent.name in _OWN_FOLDERS or f"{generated.package}/{inner.relative_to(folder)}" in generated.files:
            continue
        with inner.open("rb") as file:
            if file.read(len(HEADER)) == HEADER.encode():
                other = inner.parent.name
                message = f"{folder} contains another generated package, {other}; pass a folder of its own to --out"
                raise BindgenError(message)
