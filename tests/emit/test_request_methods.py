"""Which schemas get a client and a server, and what their methods are called where names and types are awkward."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import pytest
from checkout import REVISIONS
from mcp_bindgen.emit.naming import RESERVED_CALLS, RESERVED_STATELESS_CALLS
from mcp_bindgen.emit.prerequisites import can_converse
from mcp_bindings import v2025_11_25, v2026_07_28
from mcp_bindings_runtime.client.client import Client
from mcp_bindings_runtime.client.handshake import HandshakeClient
from mcp_bindings_runtime.client.stateless import StatelessClient
from mcp_bindings_runtime.connection.context import Context, ServerContext, StatelessContext
from mcp_bindings_runtime.transports import memory
from strategies.emitted_packages import emit, load, unload
from support.official_schemas import ours

HERE = Path(__file__).parent
GOLDEN = (HERE / "golden" / "conversation" / "schema.ts").read_text(encoding="utf-8")
NASTY = (HERE / "nasty" / "conversation.ts").read_text(encoding="utf-8")


def public(*classes: Any) -> set[str]:
    """What classes, and objects of them, have besides what everything has, and without names that only raise an error."""
    return {name for each in classes for name in dir(each) if not name.startswith("_") and hasattr(each, name)}


def test_no_method_takes_the_place_of_what_the_runtime_has() -> None:
    here, there = memory.pair()
    made = [v2025_11_25.Client.over(here), v2026_07_28.Client.over(there)]
    attributes = {name for client in made for name in vars(client) if not name.startswith("_")}
    assert public(Client, HandshakeClient) | attributes <= RESERVED_CALLS["client"]
    assert public(StatelessClient) - RESERVED_CALLS["client"] == RESERVED_STATELESS_CALLS
    assert public(Context, ServerContext, StatelessContext) <= RESERVED_CALLS["server"]


@pytest.mark.parametrize("revision", REVISIONS)
def test_every_revision_converses(revision: str) -> None:
    assert can_converse(ours(revision))


CHANGED = {
    r"export interface JSONRPCError .*": "",
    r"export interface JSONRPCResponse .*": "",
    r"\bImplementation\b": "Software",
    r"interface Implementation { name: string; version": "interface Implementation { name: string; age",
    r" message: string;": "",
    r"\bServerCapabilities\b": "Abilities",
    r"export interface InitializedNotification .*": "",
    r"export interface PingRequest .*| PingRequest \||PingRequest \| ": "",
    r" progress: number;": "",
    r"; reason\?: string": "",
    r" clientInfo: Implementation": "",
    r" serverInfo: Implementation;": "",
}
"""What is changed, one at a time, in a schema that has all that is needed."""


@pytest.mark.parametrize("part", CHANGED)
def test_a_schema_that_lacks_what_the_runtime_needs_has_no_client(part: str) -> None:
    assert {"binding.py", "client.py", "server.py"} <= emit(GOLDEN).files.keys()
    less, count = re.subn(part, CHANGED[part], GOLDEN)
    assert count
    made = emit(less)
    assert not {"binding.py", "client.py", "server.py"} & made.files.keys()
    assert "Client" not in made.files["__init__.py"]
    package = load(made)
    assert not hasattr(package, "Client")
    unload(package)


@pytest.mark.parametrize("name", ["RequestMetaObject", "InputRequiredResult", "SubscriptionFilter", "logLevel"])
def test_a_schema_without_handshake_needs_what_its_requests_carry(name: str) -> None:
    text = (HERE.parents[1] / "schema" / "2026-07-28" / "schema.ts").read_text(encoding="utf-8")
    changed = re.sub(rf"\b{name}\b", f"{name}Else", text)
    assert changed != text
    assert "client.py" not in emit(changed).files


def test_only_declared_booleans_are_switches() -> None:
    for revision in REVISIONS:
        package: Any = load(emit((HERE.parents[1] / "schema" / revision / "schema.ts").read_text(encoding="utf-8")))
        from importlib import import_module

        switches = import_module(f"{package.__name__}.binding").BINDING.boolean_capabilities
        needed = {each.capability for each in package.methods.REQUESTS.values()}
        needed |= {each.capability for each in package.methods.NOTIFICATIONS.values()}
        assert switches <= needed
        assert {path.partition(".")[2] for path in switches} == {"listChanged", "subscribe"}
        unload(package)


class Sent(Exception):
    """What would have been sent."""


def call(package: Any, name: str, *arguments: Any, **named: Any) -> tuple[Any, Any]:
    """The key and the params with which a method of the client calls ``request``."""

    def request(self: Any, key: Any, params: Any = None, **options: Any) -> Any:
        raise Sent(key, params)

    quiet = type("Quiet", (package.Client,), {"request": request, "__init__": lambda self: None})()
    with pytest.raises(Sent) as caught:
        getattr(quiet, name)(*arguments, **named)
    key, params = caught.value.args
    return key.name, params if params is None else package.converter.unstructure(params)


def test_awkward_names_and_params() -> None:
    package: Any = load(emit(NASTY))
    # The names of the class, of Python, and of other methods are left alone.
    assert call(package, "request_") == ("request", None)
    assert call(package, "import_", self_="s", class_='"""', timeout_=1) == (
        "import",
        {"self": "s", "class": '"""', "timeout_": 1},
    )
    assert call(package, "each_page") == ("each/page", None)
    assert call(package, "each_page_", "f", "c") == ("each", {"filter": "f", "cursor": "c"})
    assert call(package, "each", "f") == ("each", {"filter": "f"})
    # Members called like options, or like what the code itself uses, get an underscore.
    given = {"self_": "s", "timeout_": 1, "meta_": "m", "types_": "t", "methods_": [1], "method_support_": True}
    sent = call(package, "shadow", **given, result_=None, extra_="e", params_="p", on_progress_=None, meta={"a": 1})
    plain = {name.removesuffix("_"): value for name, value in given.items()}
    rest = {"result": None, "extra": "e", "params": "p", "on_progress": None, "_meta": {"a": 1}}
    assert sent == ("shadow", {**plain, **rest})
    # A `_meta` with members that have to be there is a parameter as it is declared.
    meta = package.ListRequestParamsMeta(token="t")
    assert call(package, "list_", ["a"], {}, meta=meta) == (
        "list",
        {"items": ["a"], "dict": {}, "_meta": {"token": "t"}},
    )
    # Maps and unions without tags are passed as they are; no params are none.
    assert call(package, "map", {"a": "b"}) == ("map", {"a": "b"})
    assert call(package, "none") == ("none", None)
    assert call(package, "kinds_b", package.KindsBRequestParams(a="x")) == ("kinds/b", {"a": "x"})
    # Each tag has its method, which says the tag even where there is nothing else to say.
    assert call(package, "kinds_a", "x") == ("kinds", {"kind": "a", "a": "x"})
    assert call(package, "kinds_b_") == ("kinds", {"kind": "b"})
    # Null is not absence.
    assert call(package, "kinds_b_", None) == ("kinds", {"kind": "b", "input": None})
    unload(package)


def test_a_member_that_chooses_the_class_of_params_is_not_asked_for() -> None:
    package: Any = load(emit(GOLDEN))
    assert list(inspect.signature(package.Context.ask).parameters)[:3] == ["self", "question", "default"]
    assert "mode" not in inspect.signature(package.Context.ask_page).parameters
    unload(package)
