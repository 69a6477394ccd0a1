"""Rendering: the text of every file of a package."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, cast

import mcp_bindings_runtime
from mcp_bindings_runtime.http.client.options import HttpClientOptions
from mcp_bindings_runtime.http.server.options import EndpointOptions, HttpServerOptions
from mcp_bindings_runtime.transports.options import StdioOptions

from mcp_bindgen import __version__, templates
from mcp_bindgen.emit.alias_expansion import recursive_names
from mcp_bindgen.emit.classes import plan_types
from mcp_bindgen.emit.client_server_modules import plan_client_server_modules
from mcp_bindgen.emit.decoders import Decoders
from mcp_bindgen.emit.docstrings import literal
from mcp_bindgen.emit.encoders import Encoders
from mcp_bindgen.emit.envelopes import Envelopes, find_envelopes
from mcp_bindgen.emit.header import HEADER, inert, package_header, runtime_header
from mcp_bindgen.emit.imports import COPIED_RUNTIME, INSTALLED_RUNTIME, Sources
from mcp_bindgen.emit.json_writers import JsonWriters
from mcp_bindgen.emit.layout import alternatives
from mcp_bindgen.emit.method_keys import plan_methods
from mcp_bindgen.emit.module_imports import IMPORTS_MARK, TYPING_IMPORTS_MARK, with_imports
from mcp_bindgen.emit.naming import Names
from mcp_bindgen.emit.options import plan_connect_options, plan_keywords, plan_own_options
from mcp_bindgen.emit.package_exports import Need, plan_examples, plan_exports, plan_root_exports
from mcp_bindgen.emit.prerequisites import can_converse, has_forms, has_tasks, is_stateless
from mcp_bindgen.emit.revision_facts import BATCH, facts_lines, facts_of
from mcp_bindgen.emit.shared_types import SharedTypes, shared_types
from mcp_bindgen.emit.type_tables import TypeTables
from mcp_bindgen.ir.protocol import Protocol


def render_package(
    protocol: Protocol,
    *,
    package: str,
    runtime: str = COPIED_RUNTIME,
    command: str | None = None,
    base: str | None = None,
    extended: tuple[str, Protocol] | None = None,
) -> dict[str, str]:
    """Return the files of one revision's package, by path below the output directory.

    ``runtime`` is the import path of the runtime, ``command`` the command that generates the package, and ``base`` the
    bundled revision whose prose applies; by default the one that the schema names as its version. For an extension,
    ``extended`` is the name and the protocol of a package beside it, from which it imports the types that both have.
    """
    recursive = recursive_names(protocol)
    names = Names(protocol)
    shared = SharedTypes() if extended is None else shared_types(protocol, names, extended[1], extended[0])
    decoders = Decoders(protocol, names, recursive, shared.classes)
    decoders_view = decoders.plan()
    has_client_and_server = can_converse(protocol)
    facts = facts_of(protocol, names, base or protocol.version)
    has: dict[Need, bool] = {
        "caching": is_stateless(protocol),
        "forms": has_forms(protocol),
        "pages": "URLElicitationRequiredError" in protocol.objects,
        "sampling": "sampling/createMessage" in protocol.methods,
        "tasks": has_tasks(protocol),
    }
    title = f"revision {protocol.revision}" if protocol.revision[:1].isdigit() else protocol.revision
    common: dict[str, Any] = {
        "title": inert(title),
        "package": package,
        "runtime": runtime,
        "runtime_is_installed": runtime == INSTALLED_RUNTIME,
        "has_client_and_server": has_client_and_server,
        "imports": IMPORTS_MARK,
        "typing_imports": TYPING_IMPORTS_MARK,
    }
    header = package_header(protocol, command)
    files: dict[str, str] = {}

    def add(file: str, more_imports: Sources = (), reexported: Collection[str] = (), **values: Any) -> None:
        text = _fill(f"package/{file}.j2", **values, **common)
        text = with_imports(file, text, runtime, more_imports, reexported)
        files[f"{package}/{file}"] = f"{header}{text}"

    add(
        "__init__.py",
        examples=plan_examples(
            [names.types[name] for name in protocol.order if name in names.types], list(names.methods.values())
        ),
        has=has,
        exports=plan_exports(has_client_and_server=has_client_and_server, has=has, runtime=runtime),
    )
    types_view = plan_types(protocol, names, recursive, shared.paths)
    add("types.py", shared.imports(names), {names.types[path] for path in shared.paths}, view=types_view)
    add("_decoders.py", shared.functions("_decoders", "structure", names), view=decoders_view)
    for module, planner in (("_encoders", Encoders), ("_json_writers", JsonWriters)):
        view = planner(protocol, names, decoders, recursive, shared.classes).plan()
        tables: Sources = (("._decoders", tuple(table for (table,) in view.tables)),)
        add(f"{module}.py", (*shared.functions(module, planner.verb, names), *tables), view=view)
    add("_type_tables.py", tables=TypeTables(protocol, names).tables())
    add("methods.py", view=plan_methods(protocol, names))
    add("converter.py", **_converter_values(protocol, names))
    add(
        "revision.py",
        revision=literal(protocol.version),
        facts=facts_lines(facts) if has_client_and_server else (),
        sha256=protocol.sha256,
        batches=BATCH in names.types,
        handshake=not is_stateless(protocol),
    )
    if has_client_and_server:
        for file, more_imports, values in plan_client_server_modules(protocol, names, facts):
            add(file, more_imports, **values)
    return files


def runtime_files() -> dict[str, str]:
    """Return the files of the runtime, copied byte for byte under a header."""
    header = runtime_header()
    folder = Path(mcp_bindings_runtime.__file__).parent
    return {
        f"runtime/{path.relative_to(folder).as_posix()}": header + path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*.py"))
    }


def root_files(runtime: str = COPIED_RUNTIME) -> dict[str, str]:
    """Return the files at the top of the output directory, which make it a typed package."""
    # The modules at the top are one level nearer to a copied runtime than those of the packages.
    runtime = runtime.removeprefix(".") if runtime.startswith(".") else runtime
    values = {
        "runtime": runtime,
        "exports": plan_root_exports(runtime),
        "connect_options": plan_connect_options(),
        "stdio": plan_keywords(StdioOptions, 4),
        "http": plan_keywords(HttpClientOptions, 4),
        "endpoint_options": plan_own_options(EndpointOptions),
        "http_server_options": plan_own_options(HttpServerOptions),
    }
    files = {
        file: f"{HEADER} {__version__}.\n{_fill(f'root/{file}.j2', **values)}"
        for file in ("__init__.py", "connect.py", "serve.py", "testing.py")
    }
    return {**files, "py.typed": ""}


def _fill(template: str, **values: Any) -> str:
    # Text of a schema reaches a template only through literal() and docstring(), which escape it.
    return templates.environment(autoescape=False, finalize=_joined).get_template(template).render(**values)


def _joined(value: Any) -> Any:
    """Return lines as text."""
    return "\n".join(cast("Sequence[str]", value)) if isinstance(value, tuple | list) else value


def _converter_values(protocol: Protocol, names: Names) -> dict[str, Any]:
    envelopes = find_envelopes(protocol)
    has_batches = BATCH in names.types
    members = [f"types.{name}" for name in _message_types(protocol, names, envelopes)] or ["None"]
    roles = ("request", "notification", "response", "error")
    paths = {role: getattr(envelopes, role) for role in roles}
    return {
        "message": alternatives(f"{'Single' if has_batches else 'Message'}: TypeAlias = ", members),
        "has_batches": has_batches,
        "envelopes": {role: None if path is None else f"types.{names.types[path]}" for role, path in paths.items()},
    }


def _message_types(protocol: Protocol, names: Names, envelopes: Envelopes) -> list[str]:
    """Return the classes of whole messages: those of the methods, then the envelopes."""
    paths = [method.interface for method in protocol.methods.values() if not method.embedded]
    return [names.types[path] for path in dict.fromkeys([*paths, *envelopes.paths()])]
