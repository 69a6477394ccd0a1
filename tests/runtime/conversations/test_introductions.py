"""Clients and servers introduce themselves with what their revision's ``Implementation`` declares."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from checkout import GENERATED, REVISIONS
from mcp_bindings import connect
from mcp_bindings_runtime.connection.context import ServerContext
from mcp_bindings_runtime.errors import UsageError
from mcp_bindings_runtime.server.options import ServerOptions, StatelessServerOptions
from mcp_bindings_runtime.session.capabilities import INTRODUCTION, missing_members
from support.bindings import binding
from support.connected_clients import asking, serving
from support.revisions import STATELESS, those_with
from support.scripted_peers import package

SAID = {
    "title": "The library",
    "description": "Lends books.",
    "icons": [{"src": "https://library.example/icon.png", "sizes": ["48x48"]}],
    "website_url": "https://library.example",
}

each_revision = pytest.mark.parametrize("revision", REVISIONS)


def said(revision):
    """The members that the revision declares, with objects of the revision."""
    mcp = package(revision)
    known = {name: value for name, value in SAID.items() if name not in missing_members(binding(revision))}
    if "icons" in known:
        known["icons"] = [mcp.Icon(**each) for each in known["icons"]]
    return known


def test_the_members_are_those_of_the_schemas():
    declared = {revision: INTRODUCTION - missing_members(binding(revision)) for revision in REVISIONS}
    described = {
        "2024-11-05": frozenset(),
        "2025-03-26": frozenset(),
        "2025-06-18": {"title"},
    }
    assert declared == {revision: described.get(revision, INTRODUCTION) for revision in REVISIONS}


@each_revision
def test_each_side_is_told_all_that_the_other_says_of_itself(revision):
    met = []
    server = serving(revision, **said(revision))

    @server.tool
    def meet(context: ServerContext) -> None:
        met.append(context.peer_info)

    with asking(server, name="reader", version="2", **said(revision)) as client:
        client.call_tool("meet")
        implementation = package(revision).Implementation
        assert client.server_info == implementation(name="s", version="1", **said(revision))
        assert met == [implementation(name="reader", version="2", **said(revision))]


@each_revision
def test_what_the_revision_does_not_declare_is_refused_at_once(revision):
    mcp = package(revision)
    for member in missing_members(binding(revision)):
        for make in (
            lambda **more: mcp.Server("s", "1", **more),
            lambda **more: mcp.Client.in_memory(mcp.Server("s", "1"), **more),
        ):
            with pytest.raises(
                UsageError, match=f"`{member}` does not exist in {revision}.*only name,.*; leave it out"
            ):
                make(**{member: SAID[member]})


@each_revision
def test_a_repr_says_who_it_is(revision):
    server = serving(revision)
    client = package(revision).Client.in_memory(server, name="reader", version="2")
    assert (repr(client), repr(server)) == (f"<Client 'reader' 2, {revision}>", f"<Server 's' 1, {revision}>")
    assert repr(package(revision).Client.__new__(package(revision).Client)) == f"<Client, {revision}>"


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("title", 5),
        ("description", ["x"]),
        ("website_url", b"https://library.example"),
        ("icons", "https://library.example/icon.png"),
        ("icons", ["https://library.example/icon.png"]),
        ("icons", [{"source": "https://library.example/icon.png"}]),
        ("icons", [{"src": "https://library.example/icon.png", "sizes": "48x48"}]),
    ],
)
@pytest.mark.parametrize("revision", those_with(lambda each: each.introduction == INTRODUCTION))
def test_a_wrong_value_is_refused_at_once(revision, member, value):
    mcp = package(revision)
    with pytest.raises(UsageError, match=member):
        mcp.Server("s", "1", **{member: value})
    with pytest.raises(UsageError, match=member):
        mcp.Client.in_memory(mcp.Server("s", "1"), **{member: value})


@each_revision
def test_connect_tells_a_server_what_the_revision_agreed_on_declares(revision):
    met = []
    server = serving(revision)

    @server.tool
    def meet(context: ServerContext) -> None:
        met.append(context.peer_info)

    with connect.in_memory(server, name="reader", version="2", **SAID) as client:
        client.call_tool("meet")
    (seen,) = met
    # A handshake is begun in the newest revision, so what the server does not know is in `extra`.
    assert seen.__replace__(extra=None) == package(revision).Implementation(
        name="reader", version="2", **said(revision)
    )


@each_revision
def test_the_typed_options_of_a_server_are_those_that_it_takes(revision):
    path = Path(GENERATED, f"v{revision.replace('-', '_')}", "server.py")
    classes = {node.name: node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ClassDef)}
    typed = {each.target.id for each in classes["ServerOptions"].body if isinstance(each, ast.AnnAssign)}
    taken = {*ServerOptions.names()}
    lacking = set(missing_members(binding(revision)))
    if revision in STATELESS:
        taken |= {*StatelessServerOptions.names()}
        lacking |= {"ping", "ping_failures"}
    elif "tasks/result" not in binding(revision).requests:
        lacking |= {"tasks"}
    assert typed == taken - lacking
