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
    side: Literal["client", "server", "both", "any"] = "any"
    """The sides without which a package does not need it."""


_ERRORS = _Exports("runtime.errors", tuple(errors.__all__))
_REVISION = _Exports(".revision", ("REVISION",))
_PACKAGE_EXPORTS = (
    _ERRORS,
    _REVISION,
    _Exports("runtime.features.elicitation_outcomes", ("Accepted", "Cancelled", "Declined"), "forms"),
    _Exports("runtime.features.elicitation", ("URLElicitationRequired",), "pages"),
    _Exports("runtime.features.keywords", ("Keywords",)),
    _Exports("runtime.features.limits", ("Limits",)),
    _Exports("runtime.features.log_handler", ("LogHandler",)),
    _Exports("runtime.features.media", ("Audio", "Image")),
    _Exports("runtime.client.result_cache", ("ResultCache",), "caching", "client"),
    _Exports("runtime.http.client.retry", ("RetryPolicy",), None, "client"),
    _Exports("runtime.features.sampling", ("Refused", "match_model"), "sampling"),
    _Exports("runtime.tasks.store", ("MemoryTasks",), "tasks"),
    _Exports(".client", ("Client", "ClientContext"), None, "client"),
    _Exports(".server", ("Context", "Server"), None, "server"),
)
_ROOT_EXPORTS = (
    _ERRORS,
    _Exports("runtime.client.any_client", ("AnyClient",), None, "client"),
    _Exports("runtime.codec.codec", ("Lenient",)),
    _Exports("runtime.extensions.extension", ("Extension",)),
    _Exports("runtime.methods", ("NotificationMethod", "RequestMethod")),
    _Exports("runtime.http.client.retry", ("RetryPolicy",), None, "client"),
    _Exports("runtime.client.running_call", ("RunningCall",), None, "client"),
    _Exports("runtime.adapters.telemetry", ("instrument",), None, "both"),
    _Exports("runtime.transports", ("Transport",)),
    _Exports("runtime.features.folders", ("inside",)),
    _Exports("runtime.tasks.task_handle", ("start_task",), "tasks", "client"),
    _Exports("runtime.features.uri_templates", ("expand",)),
    _Exports("runtime.http.server.api_keys", ("ApiKeys",), None, "server"),
    _Exports("runtime.http.server.authorization", ("Authorization", "MissingScope"), None, "server"),
    _Exports("runtime.session.caller", ("Caller",)),
    _Exports("runtime.auth.resource_server.jwt_validator", ("JwtValidator",), None, "server"),
    _Exports("runtime.auth.resource_server.introspection_validator", ("IntrospectionValidator",), None, "server"),
    _Exports("runtime.http.server.store", ("MemoryStore",), None, "server"),
    _Exports("runtime.http.redis.store", ("RedisStore",), None, "server"),
    _Exports("runtime.auth.oauth", ("OAuth",), None, "client"),
    _Exports("runtime.auth.authorization_code", ("PendingAuthorization",), None, "client"),
    _Exports("runtime.auth.client_credentials", ("ClientCredentials",), None, "client"),
    _Exports("runtime.auth.assertion_grants", ("EnterpriseAuthorization", "WorkloadIdentity"), None, "client"),
    _Exports("runtime.auth.device_login", ("DeviceLogin",), None, "client"),
    _Exports("runtime.auth.device_authorization", ("DeviceCode",), None, "client"),
    _Exports("runtime.auth.keyring_tokens", ("KeyringTokens",), None, "client"),
    _Exports("runtime.auth.token_store", ("FileTokens", "MemoryTokens", "TokenStore"), None, "client"),
)

EXPORTED_NAMES = frozenset(name for each in _PACKAGE_EXPORTS for name in each.names)
"""Names that a package may export besides the types of its schema."""


def plan_exports(*, has_client: bool, has_server: bool, has: Mapping[Need, bool], runtime: str) -> ExportsView:
    """Return the lazy exports of a revision's package; without a client and a server the exceptions and ``REVISION``."""
    exports = _needed(_PACKAGE_EXPORTS, has_client=has_client, has_server=has_server)
    return _view([each for each in exports if each.need is None or has[each.need]], runtime)


def plan_root_exports(
    runtime: str,
    submodules: Sequence[str],
    *,
    has_client: bool = True,
    has_server: bool = True,
    has_tasks: bool = True,
) -> ExportsView:
    """Return the lazy exports of the top-level package, with its own modules.

    ``runtime`` is the import path of the runtime from there.
    """
    exports = _needed(_ROOT_EXPORTS, has_client=has_client, has_server=has_server)
    return _view([each for each in exports if each.need is None or has_tasks], runtime, sorted(submodules))


def _needed(exports: Sequence[_Exports], *, has_client: bool, has_server: bool) -> list[_Exports]:
    has = {
        "client": has_client,
        "server": has_server,
        "both": has_client and has_server,
        "any": has_client or has_server,
    }
    return [each for each in exports if each in (_ERRORS, _REVISION) or has[each.side]]


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


def _view(exports: Sequence[_Exports], runtime: str, submodules: Sequence[str] = ()) -> ExportsView:
    return ExportsView(
        modules=tuple(
            _module(in_runtime(module, runtime), names, "elif" if number else "if")
            for number, (module, names, *_) in enumerate(exports)
        ),
        names=tuple(sorted([*(name for each in exports for name in each.names), *submodules])),
        submodules=tuple(submodules),
        submodule_condition=tuple(_condition("elif", submodules)) if submodules else (),
    )


def _module(path: str, names: Sequence[str], keyword: str) -> ExportedModuleView:
    package, _, name = path.rpartition(".")
    return ExportedModuleView(
        package=package or ".",
        name=name,
        imports=tuple(line for each in names for line in _import(path, each)),
        condition=tuple(_condition(keyword, names)),
    )


def _condition(keyword: str, names: Sequence[str]) -> list[str]:
    """Return the line, or lines, that compare ``name`` with names."""
    if len(names) == 1:
        return [f'        {keyword} name == "{names[0]}":']
    return lines(f"{keyword} name in ", ("(", [f'"{each}"' for each in names], ")"), ":", indent=8)


def _import(module: str, name: str) -> list[str]:
    line = f"    from {module} import {name} as {name}"
    return [line] if len(line) <= LINE else exploded(f"from {module} import ", ("(", [f"{name} as {name}"], ")"), "", 4)
