"""Names of other libraries: a table for each object says what to write here, in the error for such a name.

The errors for attributes, arguments and names of modules are made here; those for options by ``Options.hint_for``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, Final, NoReturn, ParamSpec, TypeAlias, TypeVar

from .distribution import PACKAGE
from .errors import UsageError

C = TypeVar("C", bound=type[Any])
P = ParamSpec("P")
R = TypeVar("R")
Hints: TypeAlias = Mapping[str, str]
"""Names of other libraries, and what to write instead."""

# Modules.

_AFTER: Final = f"after `from {PACKAGE} import v2026_07_28 as mcp`"
_SERVER: Final = f"write mcp.Server('demo', '1.0') {_AFTER}"
_STDIO: Final = f"write mcp.Client.stdio(['python', 'server.py']) {_AFTER}"
_HTTP: Final = f"write mcp.Client.http(url) {_AFTER}"
_ELICIT: Final = "write context.elicit_form(message, cls) in the function"

IN_MODULES: Final[Hints] = {
    "FastMCP": _SERVER,
    "MCPServer": _SERVER,
    "ClientSession": _STDIO,
    "StdioServerParameters": _STDIO,
    "stdio_client": _STDIO,
    "sse_client": _HTTP,
    "streamable_http_client": _HTTP,
    "streamablehttp_client": _HTTP,
    "MCPError": "write ResponseError for an error of the server; McpError is the base of all exceptions",
    "UserMessage": "return a str, which is a message of the user",
    "AssistantMessage": "write PromptMessage(role='assistant', content=TextContent(text='...'))",
    "AcceptedElicitation": "write Accepted",
    "DeclinedElicitation": "write Declined",
    "CancelledElicitation": "write Cancelled",
    "Elicit": _ELICIT,
    "Resolve": _ELICIT,
    "Sample": "write context.sample(prompt) in the function",
    "ListRoots": "write context.roots() in the function",
}

# Servers.

_RUN: Final = "over stdio, write server.run_stdio(); over HTTP, server.run_http(port=8000)"
_RUN_HTTP: Final = "write server.run_http(port=8000), which blocks"
_WSGI: Final = "write server.wsgi_app(), which is a WSGI application"
_AUTHORIZATION: Final = (
    "pass authorization=Authorization(validate, resource=url) to server.run_http() or server.wsgi_app()"
)
_NO_DUPLICATES: Final = "leave it out; a second one of the same name is refused unless it is added with replace=True"
_LOGGING: Final = "write logging.basicConfig(level=...)"
_JSON: Final = "leave it out; a response is JSON unless the handler sends something before it"
_NO_SESSIONS: Final = "leave it out; clients of 2026-07-28 have no sessions"
_MIDDLEWARE: Final = "wrap server.wsgi_app() in WSGI middleware, or decorate the functions"

OF_SERVERS: Final[Hints] = {
    "run": _RUN,
    "run_async": _RUN,
    "run_stdio_async": "write server.run_stdio(), which blocks",
    "run_http_async": _RUN_HTTP,
    "run_sse_async": _RUN_HTTP,
    "run_streamable_http_async": _RUN_HTTP,
    "http_app": _WSGI,
    "sse_app": _WSGI,
    "streamable_http_app": _WSGI,
    "add_tool": "write server.tools.add(function)",
    "remove_tool": "write server.tools.remove(name)",
    "add_resource": "write server.resources.add(function, uri)",
    "add_prompt": "write server.prompts.add(function)",
    "remove_prompt": "write server.prompts.remove(name)",
    "list_tools": "decorate each tool with @server.tool; the server lists them",
    "call_tool": "decorate each tool with @server.tool; to call it, write mcp.Client.in_memory(server)",
    "list_resources": "decorate each resource with @server.resource(uri); the server lists them",
    "list_resource_templates": "decorate each with @server.resource_template(uri); the server lists them",
    "read_resource": "decorate each resource with @server.resource(uri); to read it, write mcp.Client.in_memory(server)",
    "list_prompts": "decorate each prompt with @server.prompt; the server lists them",
    "custom_route": "write endpoint = server.wsgi_app() and serve endpoint.mounted('/mcp', your_wsgi_program)",
    "get_prompt": "decorate each prompt with @server.prompt; to get it, write mcp.Client.in_memory(server)",
}

USAGE_OF_SERVERS: Final = 'write mcp.Server("demo", "1.0")'
"""The call that makes a server; other libraries have a default for the version."""

OPTIONS_OF_SERVERS: Final[Hints] = {
    "lifespan": "open what the tools need in a `with` block around server.run_stdio() or server.run_http()",
    "auth": _AUTHORIZATION,
    "token_verifier": _AUTHORIZATION,
    "auth_server_provider": f"{_AUTHORIZATION}; the authorization server is a program of its own",
    "streamable_http_path": "pass path= to server.run_http()",
    "transport_security": "pass allowed_hosts= and allowed_origins= to server.run_http() or server.wsgi_app()",
    "stateless_http": _NO_SESSIONS,
    "json_response": _JSON,
    "debug": _LOGGING,
    "log_level": _LOGGING,
    "middleware": _MIDDLEWARE,
    "dependencies": "leave it out; the environment that runs the server has its packages",
    "tools": "decorate each function with @server.tool",
    "resources": "decorate each function with @server.resource(uri)",
    "warn_on_duplicate_tools": _NO_DUPLICATES,
    "warn_on_duplicate_resources": _NO_DUPLICATES,
    "warn_on_duplicate_prompts": _NO_DUPLICATES,
    "request_state_security": "write state_key=, at least 32 secret bytes",
    "cache_hints": "write ttl_ms= and cache_scope=, or call server.cache(what, ttl_ms=...)",
}

OPTIONS_OF_ENDPOINTS: Final[Hints] = {
    "transport": "leave it out; run_http serves Streamable HTTP, and server.run_stdio() stdio",
    "streamable_http_path": "write path=",
    "mount_path": "write path=",
    "json_response": _JSON,
    "stateless_http": _NO_SESSIONS,
    "log_level": _LOGGING,
    "auth": "write authorization=Authorization(validate, resource=url)",
    "token_verifier": "write authorization=Authorization(validate, resource=url)",
    "transport_security": "write allowed_hosts= and allowed_origins=",
    "event_store": "write store=MemoryStore(...) or store=RedisStore(url)",
    "session_idle_timeout": "write store=MemoryStore(lifetime=...)",
    "max_sessions": "write store=MemoryStore(sessions=...)",
    "retry_interval": "write retry=, in milliseconds",
    "max_request_body_size": "write body_limit=",
    "middleware": _MIDDLEWARE,
    "uvicorn_config": "leave it out; the server is a WSGI server, with options of its own",
}

OPTIONS_OF_DECORATORS: Final[Hints] = {
    "structured_output": "annotate `-> mcp.CallToolResult` and return "
    'mcp.CallToolResult(content=[mcp.TextContent(text="3")])',
    "tags": 'write meta={"tags": [...]}',
    "enabled": "leave it out; server.tools.remove(name) removes a tool",
    "exclude_args": "leave it out; annotate the parameter for the context with mcp.Context",
}
"""Those of ``@server.tool`` and the other decorators."""

USAGE_OF_COMPLETION: Final = 'write @server.completion(prompt="...", argument="...") for each argument'

# Contexts of handlers.

_LOG: Final = "write context.log('info', 'the text'), with any level of the protocol"
_STATE: Final = "keep it in a variable of the module, opened in a `with` block around server.run_stdio()"
_ANSWERS: Final = "write context.elicit_form(message, cls), which returns the answer; the function runs again with it"

OF_CONTEXTS: Final[Hints] = {
    "report_progress": "write context.progress(1, total=2)",
    "debug": _LOG,
    "info": _LOG,
    "warning": _LOG,
    "error": _LOG,
    "send_log_message": _LOG,
    "session": "the context has its methods itself: sample, elicit_form, roots, log, progress, notify",
    "fastmcp": "use the server object of your module",
    "mcp_server": "use the server object of your module",
    "request_context": _STATE,
    "lifespan_context": _STATE,
    "get_state": _STATE,
    "set_state": _STATE,
    "headers": "context.caller has the claims of the sender, which `authorization` of wsgi_app and run_http finds",
    "client_id": "write context.caller.client_id",
    "client_capabilities": "write context.peer_capabilities",
    "client_info": "write context.peer_info",
    "protocol_version": "write context.peer_revision",
    "revision": "write context.peer_revision",
    "input_responses": _ANSWERS,
    "request_state": _ANSWERS,
    "read_resource": "call the function of the resource",
    "notify_tools_changed": "nothing need be written: adding and removing a tool notifies clients",
    "notify_prompts_changed": "nothing need be written: adding and removing a prompt notifies clients",
    "notify_resources_changed": "nothing need be written: adding and removing a resource notifies clients",
    "notify_resource_updated": "write server.resources.updated(uri)",
    "close_sse_stream": "write context.close_stream(retry=5)",
}

ARGUMENTS_OF_LOG: Final[Hints] = {
    "logger_name": "write logger=",
    "message": "write data=",
    "extra": "make it a part of data, which is a text or other JSON",
}

NO_TYPE_ARGUMENT: Final = (
    "a context has no type argument; annotate the parameter with mcp.Context, and keep the state in a variable of the module"
)

_ISINSTANCE: Final = "write isinstance(answer, mcp.Accepted); the other outcomes are mcp.Declined and mcp.Cancelled"

OF_OUTCOMES: Final[Hints] = {"action": _ISINSTANCE, "data": "write answer.value, which mcp.Accepted has"}
"""Those of the outcomes of an elicitation."""

# Clients.

_ON_LOG: Final = "write on_log=, a plain function of (params)"
_PARAMS_CONTEXT: Final = "a plain function of (params, context)"
_NOTIFICATIONS: Final = (
    "write on_log=, on_tools_changed=, on_resource_updated= and so on, or decorate a function with client.handler(key)"
)

OF_CLIENTS: Final[Hints] = {
    "__aenter__": "write `with client:` without async, and calls without await: clients block",
    "initialize": "enter the client (`with client:`), which connects",
    "session": "the client has its methods itself: call_tool, list_tools and so on",
    "ping": "write client.discover() in 2026-07-28, client.ping() in earlier revisions",
    "send_ping": "write client.discover() in 2026-07-28, client.ping() in earlier revisions",
    "set_logging_level": "write log_level= of the client; in revisions before 2026-07-28, also client.set_level(level)",
    "subscribe_resource": "write client.subscribe(uri)",
    "unsubscribe_resource": "write client.unsubscribe(uri)",
    "send_request": "write client.request(key, params)",
    "send_notification": "write client.notify(key, params)",
    "send_roots_list_changed": "write client.set_roots(roots), which notifies the server",
    "protocol_version": "write client.peer_revision",
    "revision": "write client.binding.revision, or client.peer_revision for that of the messages on the wire",
    "initialize_result": "write client.server_info, client.server_capabilities or client.instructions",
    "get_server_capabilities": "write client.server_capabilities",
    "is_connected": "write client.connected",
}

_USER: Final = "write caller='ada' in Client.in_memory; over HTTP, write headers=, by which the server finds the user"
_BEARER: Final = "write headers={'Authorization': 'Bearer …'} in Client.http, or auth=, a function that returns headers"

OPTIONS_OF_CLIENTS: Final[Hints] = {
    "sampling_callback": f"write sampling=, {_PARAMS_CONTEXT}",
    "elicitation_callback": f"write elicitation=, {_PARAMS_CONTEXT}",
    "list_roots_callback": "write roots=, a list of folders",
    "logging_callback": _ON_LOG,
    "message_handler": _NOTIFICATIONS,
    "sampling_handler": f"write sampling=, {_PARAMS_CONTEXT}",
    "elicitation_handler": f"write elicitation=, {_PARAMS_CONTEXT}",
    "log_handler": _ON_LOG,
    "progress_handler": "write on_progress= in each call",
    "progress_callback": "write on_progress= in each call",
    "read_timeout_seconds": "write timeout=",
    "args": "write the arguments after the program, in one list: stdio([command, *args])",
    "client_info": "write name= and version=",
    "sampling_capabilities": "write sampling_tools=True or sampling_context=True",
    "input_required_max_rounds": "write rounds=",
    "mode": "write the client of a revision, or connect.stdio(...) and so on, which negotiate one",
    "user": _USER,
    "username": _USER,
    "principal": _USER,
    "token": _BEARER,
    "access_token": _BEARER,
    "bearer_token": _BEARER,
    "api_key": "write headers={'X-API-Key': '…'} in Client.http, with the header that the server reads",
    "cookies": "write headers={'Cookie': 'name=value'} in Client.http",
    "verify": "write tls=, an ssl.SSLContext, in Client.http",
}

ARGUMENTS_OF_CALLS: Final[Hints] = {
    "progress_callback": "write on_progress=, a plain function of (params)",
    "progress_handler": "write on_progress=, a plain function of (params)",
    "read_timeout_seconds": "write timeout=",
    "raise_on_error": "call result.raise_for_error()",
    "input_responses": "leave it out; elicitation=, sampling= and roots= of the client answer the server",
    "request_state": "leave it out; the client sends it",
}
"""Those of ``call_tool`` and of other methods with arguments."""

OF_ITEMS: Final[Hints] = {
    "tools": "write list(client.list_tools()), or client.list_tools_page().tools for one page",
    "resources": "write list(client.list_resources()), or client.list_resources_page().resources for one page",
    "resource_templates": "write list(client.list_resource_templates())",
    "prompts": "write list(client.list_prompts()), or client.list_prompts_page().prompts for one page",
    "next_cursor": "it goes through all pages; client.list_tools_page() and the like return one",
    "nextCursor": "it goes through all pages; client.list_tools_page() and the like return one",
}
"""Those of the iterator over a list of the server."""

# Values.

_UNSTRUCTURE: Final = "write mcp.converter.unstructure(value), or mcp.encode(message)"

OF_RECORDS: Final[Hints] = {
    "model_dump": _UNSTRUCTURE,
    "model_dump_json": _UNSTRUCTURE,
    "isError": "write is_error",
    "structuredContent": "write structured_content",
    "inputSchema": "write input_schema",
    "mimeType": "write mime_type",
    "nextCursor": "write next_cursor",
}
"""Those of the objects of the protocol: the most frequent ones, as ``help`` shows each for every class."""

ARGUMENTS_OF_KEYWORDS: Final[Hints] = {
    "ge": "write minimum=",
    "le": "write maximum=",
    "gt": "write exclusive_minimum=",
    "lt": "write exclusive_maximum=",
    "description": "write the description beside it: Annotated[int, 'the description', Keywords(minimum=1)]",
    "default": "write the default of the parameter",
    "regex": "write pattern=",
    "json_schema_extra": "write more={'x-name': value}",
}

ARGUMENTS_OF_MEDIA: Final[Hints] = {
    "path": "pass the bytes: Path('a.png').read_bytes()",
    "format": "leave it out, as the media type is detected, or write mime_type='image/png'",
}
"""Those of ``Image`` and ``Audio``."""


# Errors.


class ForeignAttribute:
    """An attribute that classes of other libraries have: reading it raises ``AttributeError`` with what to write.

    A descriptor does not slow the other attributes. ``__getattr__`` does: CPython 3.11 reads all attributes of a class that
    defines it about three times as slowly.
    """

    def __init__(self, name: str, hint: str) -> None:
        self._name = name
        self._hint = hint
        # ``help`` of the class shows it.
        self.__doc__ = f"Does not exist; {hint}."

    def __get__(self, instance: object, owner: type) -> NoReturn:
        text = f"{owner.__name__} has no {self._name!r}; {self._hint}"
        # With an object the interpreter would suggest a similar name, too.
        raise AttributeError(text, name=self._name, obj=None)


def explain_attributes(hints: Hints) -> Callable[[C], C]:
    """Decorate a class: an attribute that other libraries have says what to write; ``dir`` of an object omits it."""

    def decorate(cls: C) -> C:
        decorated: Any = cls
        listed = decorated.__dir__

        def names(self: Any) -> list[str]:
            return [name for name in listed(self) if name not in hints or hasattr(self, name)]

        decorated.__dir__ = names
        for name, hint in hints.items():
            setattr(cls, name, ForeignAttribute(name, hint))
        return cls

    return decorate


def explain_calls(hints: Hints, usage: str = "") -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a function: a call with wrong arguments raises ``UsageError``, which says what to write.

    ``hints`` are for arguments that other libraries have, ``usage`` is for other mistakes; ``{function}`` in it becomes the
    name. A ``TypeError`` from within a valid call stays as it is.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def checked(*passed: P.args, **options: P.kwargs) -> R:
            try:
                return function(*passed, **options)
            except TypeError:
                text = _wrong_call(function, passed, options, hints, usage)
                if text is None:
                    raise
            raise UsageError(text)

        return checked

    return decorate


def _wrong_call(
    function: Callable[..., Any],
    passed: Sequence[object],
    options: Mapping[str, object],
    hints: Hints,
    usage: str,
) -> str | None:
    """Return how arguments differ from the parameters of a function; None if they do not."""
    from inspect import signature

    from .options import near_name

    accepted = signature(function)
    try:
        accepted.bind(*passed, **options)
    except TypeError as fault:
        known = [name for name in accepted.parameters if name != "self"]
        unknown = next((name for name in options if name not in known), "")
        name = passed[0].__class__.__name__ if function.__name__ == "__init__" else function.__name__
        hint = hints.get(unknown)
        if hint is not None:
            # Another argument may be missing because of this one.
            return f"{name}: got an unexpected keyword argument {unknown!r}; {hint}"
        near = near_name(unknown, known) if unknown else ""
        return f"{name}: {fault}{near}{'; ' if usage else ''}{usage.replace('{function}', name)}"
    return None


def missing_name(module: str, name: str) -> Exception:
    """Return the error for a name that a module does not have, to raise in its ``__getattr__``."""
    hint = IN_MODULES.get(name)
    if hint is None:
        return AttributeError(f"module {module!r} has no attribute {name!r}")
    text = f"{module} has no {name!r}; {hint}"
    return ImportError(text, name=module) if _is_imported() else AttributeError(text, name=name, obj=None)


def _is_imported() -> bool:
    """Return whether the name is that of ``from module import name``, which replaces an AttributeError by another error."""
    from inspect import currentframe

    frame = currentframe()
    for _ in ("missing_name", "__getattr__", "the reader"):
        frame = None if frame is None else frame.f_back
    return frame is not None and frame.f_code.co_name == "_handle_fromlist"
