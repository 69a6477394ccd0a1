"""Rendering of the package for one server: its client, the types of its tools, and their codec."""

from __future__ import annotations

import keyword
from collections.abc import Mapping
from typing import Any

from attrs import frozen
from mcp_bindings_runtime.http.client.options import HttpClientOptions
from mcp_bindings_runtime.transports.options import StdioOptions

from mcp_bindgen import __version__
from mcp_bindgen.emit.alias_expansion import recursive_names
from mcp_bindgen.emit.classes import plan_types
from mcp_bindgen.emit.decoders import Decoders
from mcp_bindgen.emit.docstrings import literal
from mcp_bindgen.emit.encoders import Encoders
from mcp_bindgen.emit.header import HEADER
from mcp_bindgen.emit.imports import INSTALLED_RUNTIME
from mcp_bindgen.emit.layout import lines
from mcp_bindgen.emit.module_imports import IMPORTS_MARK, TYPING_IMPORTS_MARK, with_imports
from mcp_bindgen.emit.naming import Names
from mcp_bindgen.emit.options import plan_keywords
from mcp_bindgen.emit.render import fill_template
from mcp_bindgen.emit.server_client import ServerClientPlanner
from mcp_bindgen.emit.type_tables import TypeTables
from mcp_bindgen.errors import BindgenError
from mcp_bindgen.ir.offers import ServerOffers

VENDORED = "bindings"
"""Folder of the package with its copy of the bindings and the runtime."""


@frozen
class RenderedClient:
    """The files of a package by path, and remarks on its names."""

    files: Mapping[str, str]
    class_name: str
    notes: tuple[str, ...]


def check_package_name(name: str) -> None:
    """Raise ``BindgenError`` unless the name can be that of a package."""
    if not name.isidentifier() or keyword.iskeyword(name) or not name.strip("_"):
        message = f"{name!r} cannot be the name of a package; end --out with an identifier, such as src/weather"
        raise BindgenError(message)


def class_name_of(package: str) -> str:
    """Return the name of the class for a package: ``MyServer`` for ``my_server``."""
    return "".join(word[0].upper() + word[1:] for word in package.split("_") if word)


def render_server_client(
    offers: ServerOffers, package: str, *, has_copy: bool = False, has_functions: bool = False
) -> RenderedClient:
    """Return the files of the package for one server.

    With ``has_copy`` they import the bindings from a copy inside of the package, else the installed ones. With
    ``has_functions`` there is a module with a function for each method, too.
    """
    protocol, class_name = offers.protocol, class_name_of(package)
    names = Names(protocol, renames=True)
    recursive = recursive_names(protocol)
    planner = ServerClientPlanner(offers, names, class_name)
    view = planner.view()
    decoders = Decoders(protocol, names, recursive)
    decoders_view = decoders.plan()
    encoders_view = Encoders(protocol, names, decoders, recursive).plan()
    tables = tuple(table for (table,) in encoders_view.tables)
    header = (
        f"{HEADER} {__version__} from the tools of a server.\n"
        f"# Do not edit; run again for that server or its file: mcp-codegen client --out FOLDER/{package}\n"
    )
    files: dict[str, str] = {"py.typed": ""}

    def add(file: str, template: str, imported: tuple[str, ...] = (), *, depth: int = 1, **values: Any) -> None:
        runtime = f"{'.' * depth}{VENDORED}.runtime" if has_copy else INSTALLED_RUNTIME
        bindings = f"{'.' * depth}{VENDORED}" if has_copy else "mcp_bindings"
        common = {
            "title": class_name,
            "package": package,
            "bindings": bindings,
            "view": view,
            "imports": IMPORTS_MARK,
            "typing_imports": TYPING_IMPORTS_MARK,
        }
        text = fill_template(template, **{**common, **values})
        key = template.removesuffix(".j2").removeprefix("package/")
        files[file] = f"{header}{with_imports(key, text, runtime, (('._decoders', imported),), imported)}"

    add("__init__.py", "server_client/__init__.py.j2")
    add(
        "client.py",
        "server_client/client.py.j2",
        stdio=plan_keywords(StdioOptions, 8),
        http=plan_keywords(HttpClientOptions, 8),
    )
    arguments = [literal(class_name), "decoders=_decoders", "encoders=_encoders", "types=types"]
    codec = lines("CODEC = ", ("codec_of_types(", arguments, ")"))
    add("converter.py", "server_client/converter.py.j2", codec=codec)
    add("types.py", "package/types.py.j2", view=plan_types(protocol, names, recursive))
    add("_decoders.py", "package/_decoders.py.j2", view=decoders_view)
    add("_encoders.py", "package/_encoders.py.j2", tables, view=encoders_view)
    add("_type_tables.py", "package/_type_tables.py.j2", tables=TypeTables(protocol, names).tables())
    if has_functions:
        files["tools/__init__.py"] = (
            f'{header}"""A module for each tool, prompt, resource template and resource of {class_name}."""\n'
        )
        for name, function in planner.functions().items():
            add(f"tools/{name}.py", "server_client/function.py.j2", depth=2, function=function)
    return RenderedClient(
        {f"{package}/{path}": text for path, text in files.items()}, class_name, tuple(planner.renamed)
    )
