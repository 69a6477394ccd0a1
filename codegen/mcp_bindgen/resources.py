"""Locations of the generator's data: in the wheel, or in the checkout of an editable install."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def templates() -> Path:
    """Return the folder of the Jinja templates."""
    return _data("_templates", "templates")


def schemas() -> Path:
    """Return the folder with a folder for each bundled revision, and ``official.toml``."""
    return _data("_schema", "schema")


def checkout() -> Path | None:
    """Return the root of the checkout that this package runs from; None for an installed wheel."""
    root = _PACKAGE.parent.parent
    # Not recognized by generated/, which may have been deleted to be generated again.
    sources = (root / "schema" / "official.toml").is_file() and (root / "templates").is_dir()
    return root if _PACKAGE.parent.name == "codegen" and sources else None


def default_target() -> Path | None:
    """Return the default output folder: the generated package of the checkout; None for an installed wheel."""
    root = checkout()
    return None if root is None else root / "generated" / "mcp_bindings"


def has_installed_runtime(target: Path) -> bool:
    """Return whether packages in ``target`` import the installed runtime: only the bundled ones of the checkout do."""
    bundled = default_target()
    return bundled is not None and target.resolve() == bundled.resolve()


def installation_around(target: Path) -> Path | None:
    """Return the installed package of this distribution that contains ``target``; None if ``target`` may be written to."""
    for folder in (target, *target.parents):
        ours = folder.name in {"mcp_bindings", "mcp_bindings_runtime", "mcp_bindgen"}
        if ours and any(folder.parent.glob("mcp_bindings-*.dist-info")):
            return folder
    return None


def _data(packaged: str, in_checkout: str) -> Path:
    inside = _PACKAGE / packaged
    if inside.is_dir():
        return inside
    # An editable install has no packaged data: hatchling's force-include acts on wheels only.
    root = checkout()
    if root is not None and (root / in_checkout).is_dir():
        return root / in_checkout
    from mcp_bindgen.errors import BindgenError

    message = f"the data folder {inside} is missing from this installation; reinstall mcp-bindings"
    raise BindgenError(message)
