"""Names that a package and the top-level package export besides types: exceptions, the client, the server and others.

Their modules are imported on first use.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from mcp_bindings_runtime import errors

from mcp_bindgen.emit.imports import in_runtime
from mcp_bindgen.emit.layout import LINE, exploded, lines
from mcp_bindgen.emit.view_model import ExportedModuleView, ExportsView

Need: TypeAlias = Literal["caching", "forms", "pages", "sampling", "tasks"]
"""A feature that some revisions lack."""


class _Exports(NamedTuple):
    module: str
    names: Sequence[str]
    need: Need | None = None


_ERRORS = _Exports("runtime.errors", tuple(errors.__all__))
_PACKAGE_EXPORTS = (
    _ERRORS,
    _Exports("runtime.features.elicitation_outcomes", ("Accepted", "Cancelled", "Declined"), "forms"),
    _Exports("runtime.features.elicitation", ("URLElicitationRequired",), "pages"),
    _Exports("runtime.features.keywords", ("Keywords",)),
    _Exports("runtime.features.limits", ("Limits",)),
    _Exports("runtime.features.log_handler", ("LogHandler",)),
    _Exports("runtime.features.media", ("Audio", "Image")),
    _Exports("runtime.client.result_cache", ("ResultCache",), "caching"),
    _Exports("runtime.http.client.retry", ("RetryPolicy",)),
    _Exports("runtime.features.sampling", ("Refused", "match_model"), "sampling"),
    _Exports("runtime.tasks.store", ("MemoryTasks",), "tasks"),
    _Exports(".client", ("Client", "ClientContext")),
    _Exports(".server", ("Context", "Server")),
)
_ROOT_EXPORTS = (
    _ERRORS,
    _Exports("runtime.client.any_client", ("AnyClient",)),
    _Exports("runtime.methods", ("NotificationMethod", "RequestMethod")),
    _Exports("runtime.http.client.retry", ("RetryPolicy",)),
    _Exports("runtime.client.running_call", ("RunningCall",)),
    _Exports("runtime.transports", ("Transport",)),
    _Exports("runtime.features.folders", ("inside",)),
    _Exports("runtime.tasks.task_handle", ("start_task",)),
    _Exports("runtime.features.uri_templates", ("expand",)),
    _Exports("runtime.http.server.authorization", ("Authorization", "MissingScope")),
    _Exports("runtime.http.server.store", ("MemoryStore",)),
    _Exports("runtime.http.redis.store", ("RedisStore",)),
    _Exports("runtime.auth.oauth", ("OAuth",)),
    _Exports("runtime.auth.authorization_code", ("PendingAuthorization",)),
    _Exports("runtime.auth.client_credentials", ("ClientCredentials",)),
    _Exports("runtime.auth.assertion_grants", ("EnterpriseAuthorization", "WorkloadIdentity")),
    _Exports("runtime.auth.token_store", ("FileTokens", "MemoryTokens", "TokenStore")),
)

EXPORTED_NAMES = frozenset(name for each in _PACKAGE_EXPORTS for name in each.names)
"""Names that a package may export besides the types of its schema."""


def plan_exports(*, has_client_and_server: bool, has: Mapping[Need, bool], runtime: str) -> ExportsView:
    """Return the lazy exports of a revision's package; without a client and a server only the exceptions."""
    exports = _PACKAGE_EXPORTS if has_client_and_server else (_ERRORS,)
    return _view([each for each in exports if each.need is None or has[each.need]], runtime)


def plan_root_exports(runtime: str) -> ExportsView:
    """Return the lazy exports of the top-level package; ``runtime`` is the import path of the runtime from there."""
    return _view(_ROOT_EXPORTS, runtime)


def plan_examples(types: Sequence[str], methods: Sequence[str]) -> tuple[str, ...]:
    """Return the lines of a package's docstring that name one of its types and one of its method keys, if it has any."""
    found: list[str] = []
    if types:
        found.append(_line(f"mcp.{'Tool' if 'Tool' in types else types[0]}", "a type; all are in ``types``"))
    if methods:
        example = "CALL_TOOL" if "CALL_TOOL" in methods else methods[0]
        found.append(_line(f"mcp.methods.{example}", "a typed key of a request or notification"))
    return tuple(found)


def _line(name: str, about: str) -> str:
    return f"    {name:<33} {about}"


def _view(exports: Sequence[_Exports], runtime: str) -> ExportsView:
    return ExportsView(
        modules=tuple(
            _module(in_runtime(module, runtime), names, "elif" if number else "if")
            for number, (module, names, _) in enumerate(exports)
        ),
        names=tuple(sorted(name for each in exports for name in each.names)),
    )


def _module(path: str, names: Sequence[str], keyword: str) -> ExportedModuleView:
    package, _, name = path.rpartition(".")
    if len(names) == 1:
        condition = [f'        {keyword} name == "{names[0]}":']
    else:
        quoted = [f'"{each}"' for each in names]
        condition = lines(f"{keyword} name in ", ("(", quoted, ")"), ":", indent=8)
    return ExportedModuleView(
        package=package or ".",
        name=name,
        imports=tuple(line for each in names for line in _import(path, each)),
        condition=tuple(condition),
    )


def _import(module: str, name: str) -> list[str]:
    line = f"    from {module} import {name} as {name}"
    return [line] if len(line) <= LINE else exploded(f"from {module} import ", ("(", [f"{name} as {name}"], ")"), "", 4)
