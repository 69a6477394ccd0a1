"""Where the generator's own data lies: inside the wheel, else in the checkout that an editable install points at."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def templates() -> Path:
    """The folder of the Jinja templates."""
    return _data("_templates", "templates")


def schemas() -> Path:
    """The folder with a folder for each bundled revision, and with ``manifest.toml``."""
    return _data("_schema", "schema")


def checkout() -> Path | None:
    """The root of the checkout that this package runs from; None for an installed wheel."""
    root = _PACKAGE.parent.parent
    # Not by generated/, which is made anew where it was deleted.
    sources = (root / "schema" / "manifest.toml").is_file() and (root / "templates").is_dir()
    return root if _PACKAGE.parent.name == "codegen" and sources else None


def default_target() -> Path | None:
    """Where to write unless told otherwise: the generated package of the checkout, and nowhere elsewhere."""
    root = checkout()
    return None if root is None else root / "generated" / "mcp_bindings"


def has_installed_runtime(target: Path) -> bool:
    """Return whether packages in ``target`` import the installed runtime: only the bundled ones of the checkout do."""
    bundled = default_target()
    return bundled is not None and target.resolve() == bundled.resolve()


def installation_around(target: Path) -> Path | None:
    """The installed package (ours, from a wheel) that ``target`` lies in; None for a folder that may be written to."""
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

    message = f"this installation lacks its data, {inside}; reinstall mcp-bindings"
    raise BindgenError(message)
