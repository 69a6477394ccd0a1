"""Templates filled in: the text of every file of a package."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import mcp_bindings_runtime

from mcp_bindgen import __version__, templates
from mcp_bindgen.emit.alias_expansion import recursive_names
from mcp_bindgen.emit.classes import plan_types
from mcp_bindgen.emit.client_server_modules import plan_client_server_modules
from mcp_bindgen.emit.decoders import Decoders
from mcp_bindgen.emit.docstrings import literal
from mcp_bindgen.emit.encoders import Encoders
from mcp_bindgen.emit.envelopes import Envelopes, find_envelopes
from mcp_bindgen.emit.header import HEADER, inert, package_header, runtime_header
from mcp_bindgen.emit.imports import COPIED_RUNTIME, INSTALLED_RUNTIME, imports, names_in
from mcp_bindgen.emit.json_writers import JsonWriters
from mcp_bindgen.emit.layout import alternatives
from mcp_bindgen.emit.method_keys import plan_methods
from mcp_bindgen.emit.naming import Names
from mcp_bindgen.emit.package_exports import Need, plan_examples, plan_exports, plan_root_exports
from mcp_bindgen.emit.prerequisites import can_converse, has_forms, has_tasks, is_stateless
from mcp_bindgen.emit.revision_facts import BATCH, facts_lines, facts_of
from mcp_bindgen.emit.type_tables import TypeTables
from mcp_bindgen.emit.view_model import CodecView, EncoderView, MethodsView, TypesView
from mcp_bindgen.ir.protocol import Protocol


def render_package(
    protocol: Protocol,
    *,
    package: str,
    runtime: str = COPIED_RUNTIME,
    command: str | None = None,
    base: str | None = None,
) -> dict[str, str]:
    """Return the files of one revision's package, by path below the output directory.

    ``runtime`` is the path by which its modules import the runtime, ``command`` the one that generates them,
    ``base`` the bundled revision whose prose holds, if that is another one than the schema's version.
    """
    recursive = recursive_names(protocol)
    names = Names(protocol)
    decoders = Decoders(protocol, names, recursive)
    read = decoders.plan()
    write = Encoders(protocol, names, decoders, recursive).plan()
    text = JsonWriters(protocol, names, decoders, recursive).plan()
    shapes = TypeTables(protocol, names)
    envelopes = find_envelopes(protocol)
    types = plan_types(protocol, names, recursive)
    methods = plan_methods(protocol, names)
    conversing = plan_client_server_modules(protocol, names, runtime) if can_converse(protocol) else {}
    has: dict[Need, bool] = {
        "caching": is_stateless(protocol),
        "forms": has_forms(protocol),
        "pages": "URLElicitationRequiredError" in protocol.objects,
        "sampling": "sampling/createMessage" in protocol.methods,
        "tasks": has_tasks(protocol),
    }
    title = f"revision {protocol.revision}" if protocol.revision[:1].isdigit() else protocol.revision
    common = {
        "title": inert(title),
        "package": package,
        "runtime": runtime,
        "runtime_is_installed": runtime == INSTALLED_RUNTIME,
    }
    files = {
        "__init__.py": _fill(
            "package/__init__.py.j2",
            # Where a copy lies, only its user knows.
            import_line=[f"    from mcp_bindings import {package} as mcp", ""] if runtime == INSTALLED_RUNTIME else (),
            examples=plan_examples(
                [names.types[name] for name in protocol.order if name in names.types], list(names.methods.values())
            ),
            conversing=plan_exports(converses=bool(conversing), has=has, runtime=runtime),
            **common,
        ),
        "types.py": _fill("package/types.py.j2", view=types, imports=_types_imports(types, runtime), **common),
        "_decoders.py": _fill("package/_decoders.py.j2", view=read, imports=_decoders_imports(read, runtime), **common),
        "_encoders.py": _fill(
            "package/_encoders.py.j2", view=write, imports=_encoders_imports(write, runtime), **common
        ),
        "_json_writers.py": _fill(
            "package/_json_writers.py.j2", view=text, imports=_writers_imports(text, runtime), **common
        ),
        "_type_tables.py": _shapes_file(shapes, runtime, common),
        "methods.py": _fill(
            "package/methods.py.j2", view=methods, imports=_methods_imports(methods, runtime), **common
        ),
        "converter.py": _converter_file(protocol, names, envelopes, runtime, common),
        "revision.py": _fill(
            "package/revision.py.j2",
            revision=literal(protocol.version),
            facts_import=[f"from {runtime}.facts import Facts", ""] if conversing else (),
            facts=facts_lines(facts_of(protocol, names, base or protocol.version)) if conversing else (),
            sha256=protocol.sha256,
            batches=BATCH in names.types,
            handshake=not is_stateless(protocol),
            **common,
        ),
    }
    files |= {
        f"{module}.py": _fill(f"package/{module}.py.j2", **values, **common) for module, values in conversing.items()
    }
    header = package_header(protocol, command)
    return {f"{package}/{path}": f"{header}{text}" for path, text in files.items()}


def runtime_files() -> dict[str, str]:
    """The runtime, copied byte for byte under a header."""
    header = runtime_header()
    folder = Path(mcp_bindings_runtime.__file__).parent
    return {
        f"runtime/{path.relative_to(folder).as_posix()}": header + path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*.py"))
    }


def root_files(runtime: str = COPIED_RUNTIME) -> dict[str, str]:
    """Return the files at the top of the output directory, which make it a typed package."""
    # The modules at the top are one level nearer to a copy than those of the packages.
    here = runtime.removeprefix(".") if runtime.startswith(".") else runtime
    files = {
        name: f"{HEADER} {__version__}.\n{_fill(f'root/{name}.j2', runtime=here, exports=plan_root_exports(here))}"
        for name in ("__init__.py", "connect.py", "serve.py", "testing.py")
    }
    return {**files, "py.typed": ""}


def _fill(template: str, **values: Any) -> str:
    # Python code is not HTML; text of a schema reaches a template only through literal() and docstring().
    return templates.environment(autoescape=False).get_template(template).render(**values)


def _types_imports(view: TypesView, runtime: str) -> tuple[str, ...]:
    code: list[str] = []
    for constant in view.constants:
        code.extend(constant.declaration)
    for alias in (*view.simple_aliases, *view.aliases):
        code.extend(alias.declaration)
    for cls in view.classes:
        code.extend(cls.signature)
        for member in (*cls.constants, *cls.fields):
            code.extend(member.annotation)
        if cls.more:
            code.append("record_methods")
    used = names_in(code)
    if view.classes:
        used |= {"Record", "define"}
    return imports(
        used,
        (
            (("typing", ("Any", "ClassVar", "Final", "Literal", "TypeAlias", "Union")),),
            (
                ("runtime.codec", ("record_methods",)),
                ("runtime.codec.record", ("Record", "define")),
                ("runtime.unset", ("UNSET", "Unset")),
            ),
        ),
        runtime,
    )


def _decoders_imports(view: CodecView, runtime: str) -> tuple[str, ...]:
    used = names_in(_codec_code(view)) | {"Any", "Callable", "Mapping", "TypeAlias", "Json"}
    if view.objects:
        used |= {"Invalid", "types"}
    return imports(
        used,
        (
            (("collections.abc", ("Callable", "Mapping")), ("typing", ("Any", "Literal", "TypeAlias"))),
            (
                ("runtime.codec", ("checks",)),
                ("runtime.codec.checks", ("Invalid", "Json", "NoneType")),
                ("runtime.errors", ("Undecidable",)),
                ("runtime.unset", ("UNSET",)),
                (".", ("types",)),
            ),
        ),
        runtime,
    )


def _encoders_imports(view: CodecView, runtime: str) -> tuple[str, ...]:
    used = names_in(_codec_code(view)) | {"Any", "Callable", "TypeAlias", "Json", "opaque"}
    tables = tuple(table for (table,) in view.tables)
    checks = (
        *("ATOMS", "ByClass", "Invalid", "Json", "NoneType", "expect", "first_fitting", "fits", "is_array"),
        *("is_integer", "is_number", "is_object", "is_string", "keys", "opaque", "undeclared"),
    )
    return imports(
        used | set(tables),
        (
            (("collections.abc", ("Callable",)), ("typing", ("Any", "TypeAlias"))),
            (
                ("runtime.codec.checks", checks),
                ("runtime.unset", ("UNSET",)),
                (".", ("types",)),
                ("._decoders", tables),
            ),
        ),
        runtime,
    )


def _writers_imports(view: CodecView, runtime: str) -> tuple[str, ...]:
    code = list(_codec_code(view))
    used = names_in(code) | {"Any", "Callable", "anything"}
    if any("{escape(" in line for line in code):
        # Strings do not count, but these are no mere strings.
        used.add("escape")
    tables = tuple(table for (table,) in view.tables)
    checks = (
        *("ByClass", "Invalid", "NoneType", "expect", "first_fitting", "fits", "is_array", "is_integer"),
        *("is_number", "is_object", "is_string", "opaque", "undeclared"),
    )
    texts = ("anything", "array", "boolean", "escape", "escape_long", "integer", "mapping", "members", "number")
    return imports(
        used | set(tables),
        (
            (("collections.abc", ("Callable",)), ("typing", ("Any",))),
            (
                ("runtime.codec.checks", checks),
                ("runtime.codec.json_writer", texts),
                ("runtime.unset", ("UNSET",)),
                (".", ("types",)),
                ("._decoders", tables),
            ),
        ),
        runtime,
    )


def _codec_code(view: CodecView) -> Iterable[str]:
    for one in view.objects:
        yield from one.signature
        for step in (*one.required, *one.optional):
            yield from (*step.take, *step.checks, *step.store, step.absent)
        yield from one.extra
        if isinstance(one, EncoderView):
            yield from one.check
    for function in view.functions:
        yield from function.signature
        yield from function.body
    for table in (*view.tables, *view.choices):
        yield from table


def _methods_imports(view: MethodsView, runtime: str) -> tuple[str, ...]:
    code = [line for key in (*view.requests, *view.notifications) for line in key.declaration]
    code += [line for table in view.tables for line in table]
    return imports(
        names_in(code),
        (
            (("collections.abc", ("Mapping",)), ("typing", ("Any", "Final", "Literal"))),
            (("runtime.methods", ("NotificationMethod", "RequestMethod")), (".", ("types",))),
        ),
        runtime,
    )


def _shapes_file(shapes: TypeTables, runtime: str, common: Mapping[str, object]) -> str:
    tables = shapes.tables()
    used = names_in(line for table in tables for line in table)
    written = imports(
        used,
        (
            (("typing", ("Final",)),),
            (("runtime.codec.type_tables", ("Aliases", "Objects")), ("runtime.unset", ("UNSET",))),
        ),
        runtime,
    )
    return _fill("package/_type_tables.py.j2", tables=tables, imports=written, **common)


def _converter_file(
    protocol: Protocol, names: Names, envelopes: Envelopes, runtime: str, common: Mapping[str, object]
) -> str:
    message = _message_types(protocol, names, envelopes)
    batches = BATCH in names.types
    members = tuple(f"types.{name}" for name in message) or ("None",)
    single = alternatives(f"{'Single' if batches else 'Message'}: TypeAlias = ", members)
    used = names_in(single)
    if batches:
        single += [
            '"""One message of a peer, alone or in a batch."""',
            "",
            "Message: TypeAlias = Single | list[Single]",
        ]
    written = imports(
        {
            *used,
            "Codec",
            "Envelopes",
            "TypeAlias",
            "_decoders",
            "_encoders",
            "codec_of",
            "methods",
            "revision",
            "types",
        },
        (
            (("typing", ("TypeAlias", "Union")),),
            (
                ("runtime.codec.codec", ("Codec",)),
                ("runtime.codec.emitted_codec", ("codec_of",)),
                ("runtime.codec.method_readers", ("Envelopes",)),
                (".", ("_decoders", "_encoders", "methods", "revision", "types")),
            ),
        ),
        runtime,
    )
    roles = {
        role: "None" if path is None else f"types.{names.types[path]}"
        for role, path in (
            ("request", envelopes.request),
            ("notification", envelopes.notification),
            ("response", envelopes.response),
            ("error", envelopes.error),
        )
    }
    return _fill(
        "package/converter.py.j2",
        imports=written,
        message=single,
        envelopes=roles,
        **common,
    )


def _message_types(protocol: Protocol, names: Names, envelopes: Envelopes) -> list[str]:
    """Classes of whole messages: those of the methods, then the envelopes."""
    paths = [method.interface for method in protocol.methods.values() if not method.embedded]
    return [names.types[path] for path in dict.fromkeys([*paths, *envelopes.paths()])]
