"""Generation of the package for one server in memory; nothing is written here."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from mcp_bindgen.emit.server_client_package import VENDORED, check_package_name, class_name_of, render_server_client
from mcp_bindgen.generate import Bundled, generate
from mcp_bindgen.ir.offers import ServerOffers
from mcp_bindgen.server_offers import understand_offers
from mcp_bindgen.syntax.jsonschema.json_text import Json


@frozen
class GeneratedClient:
    """The files of a package by path, with what was read."""

    package: str
    class_name: str
    offers: ServerOffers
    files: dict[str, str]
    notes: tuple[str, ...]
    """Places that could not be typed, and methods with a number."""


def generate_server_client(
    value: Json, source: str, package: str, *, vendored: Sequence[str] = (), has_functions: bool = False
) -> GeneratedClient:
    """Return the package for the server whose offers are the JSON value; ``source`` names it in errors.

    ``vendored`` are the revisions whose bindings are copied into the package; none means that the installed ones are
    imported. Raise ``BindgenError`` for a name that no package can have, and the errors of ``read_offers``.
    """
    check_package_name(package)
    offers = understand_offers(value, source, reserved=[class_name_of(package)])
    rendered = render_server_client(offers, package, has_copy=bool(vendored), has_functions=has_functions)
    files = dict(rendered.files)
    if vendored:
        importers = [text for path, text in files.items() if path.endswith(".py")]
        run = generate(
            [Bundled(revision) for revision in vendored], folder=f"{package}.{VENDORED}", importers=importers
        )
        files |= {f"{package}/{VENDORED}/{path}": text for path, text in run.files.items()}
    return GeneratedClient(package, rendered.class_name, offers, files, (*offers.notes, *rendered.notes))
