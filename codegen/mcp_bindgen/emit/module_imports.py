"""Imports of the emitted modules: a module imports those of the listed names that its code uses."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from mcp_bindgen.emit.imports import Sources, bound_name, imports, names_in

IMPORTS_MARK = "\0imports\0"
"""Placeholder in the text of a module for its imports."""
TYPING_IMPORTS_MARK = "\0typing imports\0"
"""Placeholder for the imports below ``if TYPE_CHECKING:``."""

_STRING = re.compile(r'"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*"""|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'', re.DOTALL)

_CHECKS = (
    *("ATOMS", "ByClass", "Invalid", "Json", "NoneType", "expect", "first_match", "fits", "is_array", "is_integer"),
    *("is_number", "is_object", "is_string", "keys", "opaque", "undeclared"),
)
_JSON_WRITER = ("anything", "array", "boolean", "escape", "escape_long", "integer", "mapping", "members", "number")

_ANY_RESULTS = ("AnyCallToolResult", "AnyGetPromptResult", "AnyReadResourceResult")

_CLIENT_AND_SERVER: tuple[Sources, ...] = (
    (
        ("collections.abc", ("Callable", "Iterator", "Mapping", "Sequence")),
        ("typing", ("TYPE_CHECKING", "Any", "Generic", "Literal", "TypeAlias", "TypeVar", "Union", "overload")),
    ),
    (
        ("runtime.features", ("method_support",)),
        ("runtime.client", ("transport_factories",)),
        ("runtime.connection.context", ("ClientContext as RuntimeContext", "ServerContext", "StatelessContext")),
        ("runtime.server", ("decorator_support", "runnable")),
        ("runtime.unset", ("UNSET", "Unset")),
        (".", ("methods", "types")),
        (".binding", ("BINDING",)),
    ),
)

_OFFERED: Mapping[str, tuple[Sources, ...]] = {
    "types.py": (
        (("typing", ("Any", "ClassVar", "Final", "Literal", "TypeAlias", "Union", "overload")),),
        (
            ("runtime.codec", ("record_methods",)),
            ("runtime.codec.record", ("Record", "attrs_for_type_checkers")),
            ("runtime.unset", ("UNSET", "Unset")),
        ),
    ),
    "_decoders.py": (
        (("collections.abc", ("Callable", "Mapping")), ("typing", ("Any", "Literal", "TypeAlias"))),
        (
            ("runtime.codec", ("checks",)),
            ("runtime.codec.checks", ("Invalid", "Json", "NoneType")),
            ("runtime.errors", ("Undecidable",)),
            ("runtime.unset", ("UNSET",)),
            (".", ("types",)),
        ),
    ),
    "_encoders.py": (
        (("collections.abc", ("Callable",)), ("typing", ("Any", "TypeAlias"))),
        (("runtime.codec.checks", _CHECKS), ("runtime.unset", ("UNSET",)), (".", ("types",))),
    ),
    "_json_writers.py": (
        (("collections.abc", ("Callable",)), ("typing", ("Any",))),
        (
            ("runtime.codec.checks", _CHECKS),
            ("runtime.codec.json_writer", _JSON_WRITER),
            ("runtime.unset", ("UNSET",)),
            (".", ("types",)),
        ),
    ),
    "_type_tables.py": (
        (("typing", ("Final",)),),
        (("runtime.codec.type_tables", ("Aliases", "Objects")), ("runtime.unset", ("UNSET",))),
    ),
    "methods.py": (
        (("collections.abc", ("Mapping",)), ("typing", ("Any", "Final", "Literal"))),
        (("runtime.methods", ("NotificationMethod", "RequestMethod")), (".", ("types",))),
    ),
    "converter.py": (
        (("typing", ("TypeAlias", "Union")),),
        (
            ("runtime.codec.codec", ("Codec",)),
            ("runtime.codec.emitted_codec", ("codec_of",)),
            ("runtime.codec.method_readers", ("Envelopes",)),
            (".", ("_decoders", "_encoders", "methods", "revision", "types")),
        ),
    ),
    "revision.py": ((("typing", ("Final",)),), (("runtime.facts", ("Facts",)),)),
    "client.py": _CLIENT_AND_SERVER,
    "server.py": (
        _CLIENT_AND_SERVER[0],
        (*_CLIENT_AND_SERVER[1], ("runtime.methods", ("NotificationMethod", "RequestMethod"))),
    ),
    "server_client/client.py": (
        (
            ("collections.abc", ("Callable", "Mapping", "Sequence")),
            ("typing", ("TYPE_CHECKING", "Any", "Literal", "Union")),
        ),
        (
            ("runtime.client", ("transport_factories",)),
            ("runtime.client.server_client", ("ServerClient",)),
            ("runtime.unset", ("UNSET", "Unset")),
            (".", ("types",)),
            (".converter", ("CODEC",)),
        ),
    ),
    "server_client/converter.py": (
        (),
        (
            ("runtime.codec.emitted_codec", ("codec_of_types",)),
            (".", ("_decoders", "_encoders", "types")),
        ),
    ),
    "server_client/function.py": (
        (("collections.abc", ("Callable",)), ("typing", ("TYPE_CHECKING", "Any", "Literal", "Union"))),
        (("runtime.unset", ("UNSET", "Unset")), ("..", ("types",))),
    ),
}
"""Names that each module may import, in groups separated by an empty line."""

_OFFERED_TO_TYPE_CHECKERS: Mapping[str, tuple[Sources, ...]] = {
    "client.py": (
        (
            ("collections.abc", ("Iterable",)),
            ("os", ("PathLike",)),
            ("ssl", ("SSLContext",)),
            ("types", ("ModuleType",)),
            ("typing", ("Self", "TypedDict", "Unpack")),
        ),
        (
            ("runtime.client.result_cache", ("ResultCache",)),
            ("runtime.extensions.extension", ("Extension",)),
            ("runtime.features.limits", ("Limits",)),
            ("runtime.session.log_levels", ("Level",)),
            ("runtime.http.client.options", ("Auth",)),
            ("runtime.http.client.retry", ("RetryPolicy",)),
            ("runtime.session.caller", ("Caller",)),
            ("runtime.methods", ("NotificationMethod", "RequestMethod")),
            ("runtime.tasks.task_handle", ("TaskHandle",)),
            ("runtime.tasks.polled_task", ("PolledTask",)),
            ("runtime.tasks.store", ("MemoryTasks",)),
            ("runtime.transports", ("Transport",)),
            ("runtime.transports.child", ("Stderr",)),
        ),
    ),
    "server.py": (
        (
            ("collections.abc", ("Iterable",)),
            ("os", ("PathLike",)),
            ("types", ("ModuleType",)),
            ("typing", ("TypedDict", "Unpack")),
        ),
        (("typing_extensions", ("deprecated",)),),
        (
            ("runtime.extensions.extension", ("Extension",)),
            ("runtime.features.elicitation_outcomes", ("Accepted", "Cancelled", "Declined")),
            ("runtime.features.limits", ("Limits",)),
            ("runtime.http.server.wsgi", ("Application",)),
            ("runtime.server.decorator_types", ("AnyFunction", "AsyncFunction", "Decorator", "PlainFunction")),
            ("runtime.tasks.context", ("Task",)),
            ("runtime.tasks.store", ("MemoryTasks",)),
            ("..serve", ("EndpointOptions", "HttpServerOptions")),
        ),
    ),
    "server_client/client.py": (
        (
            ("os", ("PathLike",)),
            ("ssl", ("SSLContext",)),
            ("typing", ("Self", "Unpack")),
        ),
        (
            ("runtime.client.any_results", _ANY_RESULTS),
            ("runtime.http.client.options", ("Auth",)),
            ("runtime.http.client.retry", ("RetryPolicy",)),
            ("runtime.transports.child", ("Stderr",)),
        ),
    ),
    "server_client/function.py": ((), (("runtime.client.any_results", _ANY_RESULTS),)),
}
"""Names that a module may import below ``if TYPE_CHECKING:``."""


def with_imports(file: str, text: str, runtime: str, more: Sources = (), reexported: Collection[str] = ()) -> str:
    """Return the text of a module with its imports in the place of the marks.

    ``more`` lists further modules; the ``reexported`` names are imported without being searched in the code.
    """
    if IMPORTS_MARK not in text:
        return text
    *groups, last = _OFFERED[file]
    typing_groups = _OFFERED_TO_TYPE_CHECKERS[file] if TYPING_IMPORTS_MARK in text else ()
    offered = {
        bound_name(name) for group in (*groups, last, more, *typing_groups) for _, names in group for name in names
    }
    used = names_in(_STRING.sub(_without_docstring, text).splitlines(), offered - {*reexported}) | {*reexported}
    statements = imports(used, (*groups, (*last, *more)), runtime)
    written = "\n".join([*statements, "", ""]) if statements else ""
    text = text.replace(f"{IMPORTS_MARK}\n\n", written, 1)
    if not typing_groups:
        return text
    statements = imports(used, typing_groups, runtime)
    return text.replace(TYPING_IMPORTS_MARK, "\n".join(f"    {line}" if line else "" for line in statements), 1)


def _without_docstring(string: re.Match[str]) -> str:
    return "" if string[0].startswith('"""') else string[0]
