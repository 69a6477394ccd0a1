"""Rendering: the text of every file of a package."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, cast

from mcp_bindings_runtime.distribution import BUNDLED
from mcp_bindings_runtime.extensions.extension import is_identifier
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
from mcp_bindgen.emit.header import HEADER, inert, package_header
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
from mcp_bindgen.emit.runtime_files import Purpose
from mcp_bindgen.emit.shared_types import SharedTypes, shared_types
from mcp_bindgen.emit.type_tables import TypeTables
from mcp_bindgen.errors import Fault, SchemaError
from mcp_bindgen.ir.protocol import Protocol
from mcp_bindgen.ir.types import Position

_EXAMPLES = ("v2025_11_25", "v2026_07_28")
"""Bundled packages that the documentation of the modules at the top uses."""


def render_package(
    protocol: Protocol,
    *,
    package: str,
    runtime: str = COPIED_RUNTIME,
    command: str | None = None,
    base: str | None = None,
    extended: tuple[str, Protocol] | None = None,
    purpose: Purpose = "all",
) -> dict[str, str]:
    """Return the files of one revision's package, by path below the output directory.

    ``runtime`` is the import path of the runtime, ``command`` the command that generates the package, and ``base`` the
    bundled revision whose prose applies; by default the one that the schema names as its version. ``purpose`` leaves out
    the client, the server or both. For an extension,
    ``extended`` is the name and the protocol of a package beside it, from which it imports the types that both have.
    """
    recursive = recursive_names(protocol)
    names = Names(protocol)
    shared = SharedTypes() if extended is None else shared_types(protocol, names, extended[1], extended[0])
    decoders = Decoders(protocol, names, recursive, shared.classes)
    decoders_view = decoders.plan()
    can_have_sides = can_converse(protocol) and purpose != "codec"
    has_client, has_server = (can_have_sides and purpose in {"all", side} for side in ("client", "server"))
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
        "has_client": has_client,
        "has_server": has_server,
        "has_sides": can_have_sides,
        "imports": IMPORTS_MARK,
        "typing_imports": TYPING_IMPORTS_MARK,
    }
    header = package_header(protocol, command)
    files: dict[str, str] = {}

    def add(file: str, more_imports: Sources = (), reexported: Collection[str] = (), **values: Any) -> None:
        text = fill_template(f"package/{file}.j2", **values, **common)
        text = with_imports(file, text, runtime, more_imports, reexported)
        files[f"{package}/{file}"] = f"{header}{text}"

    add(
        "__init__.py",
        examples=plan_examples(
            [names.types[name] for name in protocol.order if name in names.types], list(names.methods.values())
        ),
        has=has,
        exports=plan_exports(has_client=has_client, has_server=has_server, has=has, runtime=runtime),
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
        facts=facts_lines(facts) if can_have_sides else (),
        sha256=protocol.sha256,
        batches=BATCH in names.types,
        is_extension=not can_converse(protocol),
        extension_id=literal(_extension_id(protocol)),
        handshake=not is_stateless(protocol),
    )
    if can_have_sides:
        left_out = {"client.py"} if not has_client else {"server.py"} if not has_server else set[str]()
        for file, more_imports, values in plan_client_server_modules(protocol, names, facts):
            if file not in left_out:
                add(file, more_imports, **values)
    return files


def _extension_id(protocol: Protocol) -> str | None:
    """Return the identifier of an extension that a schema names, if it names one."""
    constant = protocol.constants.get("EXTENSION_ID")
    if constant is None:
        return None
    if not is_identifier(constant.value):
        message = (
            'EXTENSION_ID must be a string of the form prefix/name, such as "com.example/prices", got '
            f"{literal(constant.value)}"
        )
        raise SchemaError([Fault(constant.position or Position(protocol.source, 1, 1), message)])
    return str(constant.value)


def root_files(
    runtime: str = COPIED_RUNTIME,
    *,
    has_client: bool = True,
    has_server: bool = True,
    has_bridge: bool = False,
    has_tasks: bool = True,
    package: str | None = None,
    examples: Sequence[str] = (),
) -> dict[str, str]:
    """Return the files at the top of the output directory, which make it a typed package.

    Modules for clients, and those for servers, are left out if no package has any. With ``has_bridge`` the package
    ``bridge`` lies beside them and is an attribute, too. Without ``has_tasks`` no package has tasks. ``package`` is the
    name of the directory, and ``examples`` the packages in it that its documentation uses; without a name, those are
    bundled ones.
    """
    if package is None:
        package, examples = BUNDLED, _EXAMPLES
    # The modules at the top are one level nearer to a copied runtime than those of the packages.
    runtime = runtime.removeprefix(".") if runtime.startswith(".") else runtime
    needed = {
        "adapters": has_client,
        "connect": has_client,
        "serve": has_server,
        "testing": has_client and has_server,
    }
    modules = [name for name, is_needed in needed.items() if is_needed]
    submodules = [*modules, *(["bridge"] if has_bridge else [])]
    values = {
        "runtime": runtime,
        "package": package,
        "serving": [
            f"    from {package} import serve, {', '.join(examples)}",
            "",
            "    serve.stdio(" + ", ".join(f'{name}.Server("demo", "1.0")' for name in examples) + ")",
        ],
        "overview": _overview(package, examples[0], has_client=has_client, has_server=has_server),
        "has_client": has_client,
        "has_server": has_server,
        "has_both": has_client and has_server,
        "has_tasks": has_tasks,
        "exports": plan_root_exports(
            runtime, submodules, has_client=has_client, has_server=has_server, has_tasks=has_tasks
        ),
        "connect_options": plan_connect_options(has_tasks=has_tasks),
        "stdio": plan_keywords(StdioOptions, 4),
        "http": plan_keywords(HttpClientOptions, 4),
        "endpoint_options": plan_own_options(EndpointOptions),
        "http_server_options": plan_own_options(HttpServerOptions),
    }
    files = {
        f"{name}.py": f"{HEADER} {__version__}.\n{fill_template(f'root/{name}.py.j2', **values)}"
        for name in ("__init__", *modules)
    }
    return {**files, "py.typed": ""}


def _overview(package: str, example: str, *, has_client: bool, has_server: bool) -> list[str]:
    """Return the imports from a package with their purposes, in two columns."""
    sides = [side for side, has in (("client", has_client), ("server", has_server)) if has]
    parts = " and ".join(", ".join(["types", "codec", *sides]).rsplit(", ", 1))
    purposes = {
        f"{example} as mcp": f"one revision: {parts}",
        **({"connect": "clients that negotiate the revision"} if has_client else {}),
        **({"serve": "servers of several revisions behind one endpoint"} if has_server else {}),
        "McpError": "exceptions, and all that no revision owns",
    }
    width = max(map(len, purposes))
    return [f"    from {package} import {name:{width}}      {purpose}" for name, purpose in purposes.items()]


def fill_template(template: str, **values: Any) -> str:
    """Return the text of a template for these values; lists of lines are joined."""
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
