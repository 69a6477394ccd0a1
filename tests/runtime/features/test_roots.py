"""Roots: what a client offers, what a server keeps of them, and which paths lie below one."""

from __future__ import annotations

import os
from queue import Queue

import pytest
from checkout import REVISIONS
from hypothesis import given
from hypothesis import strategies as st
from mcp_bindings import v2025_11_25
from mcp_bindings_runtime.errors import UsageError
from mcp_bindings_runtime.features.roots import is_within, path_of, root_of
from support.revisions import HANDSHAKE, STATELESS
from support.scripted_peers import PATIENCE, package, scripted_client, scripted_server, text_of

each_revision = pytest.mark.parametrize("revision", REVISIONS)
in_sessions = pytest.mark.parametrize("revision", HANDSHAKE)


def looking_server(mcp):
    """A server whose tool gives the client's roots, or whether a path is below one."""
    server = mcp.Server("s", "1")

    @server.handler(mcp.methods.CALL_TOOL)
    def call(params, context):
        path = (params.arguments or {}).get("path")
        found = " ".join(root.uri for root in context.roots()) if path is None else str(context.within_roots(path))
        return mcp.types.CallToolResult(content=[mcp.types.TextContent(text=found)])

    return server


@each_revision
def test_paths_uris_and_roots_become_roots(revision, tmp_path):
    mcp = package(revision)
    (tmp_path / "a b").mkdir()
    given = [tmp_path, str(tmp_path / "a b"), tmp_path.as_uri(), mcp.types.Root(uri=tmp_path.as_uri(), name="mine")]
    client = mcp.Client.in_memory(looking_server(mcp), roots=given, timeout=PATIENCE)
    with client:
        uri = tmp_path.as_uri()
        assert text_of(client.call_tool("x")) == f"{uri} {uri}/a%20b {uri} {uri}"


@pytest.mark.parametrize(
    ("root", "why"),
    [
        ("https://a.example/x", "a root must be a file:// URI"),
        ("file://other/x", "names the host 'other'"),
        ("file:///a/../b", "has a segment '..'"),
        ("file:///a/%2E%2e/b", "has a segment '..'"),
        ("file:///a?b", "names no path"),
        ("file:///a#b", "names no path"),
        ("file:///a%00b", "names no path"),
        ("file:///not/there", "does not exist"),
        ("/not/there", "does not exist"),
        (7, "got int"),
    ],
)
def test_what_is_no_root_is_refused(root, why):
    with pytest.raises(UsageError, match=why):
        root_of(v2025_11_25.types, root)


@in_sessions
def test_a_client_that_changes_its_roots_tells_and_the_server_asks_anew(revision, tmp_path):
    mcp = package(revision)
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    one, two = tmp_path / "one", tmp_path / "two"
    server = looking_server(mcp)
    changed = Queue()
    server.handler(mcp.methods.ROOTS_LIST_CHANGED)(lambda params, context: changed.put(None))
    client = mcp.Client.in_memory(server, roots=[one], timeout=PATIENCE)
    with client:
        assert text_of(client.call_tool("x")) == one.as_uri()
        client.set_roots([one])
        client.set_roots([two])
        changed.get(timeout=PATIENCE)
        assert text_of(client.call_tool("x")) == two.as_uri()
        assert changed.empty(), "the same roots are no change"


@in_sessions
def test_roots_are_asked_for_once_until_they_change(revision):
    mcp = package(revision)
    heard = asked_for(mcp, revision, {"roots": {"listChanged": True}}, calls=3)
    assert heard == 1
    assert asked_for(mcp, revision, {"roots": {}}, calls=3) == 3


def asked_for(mcp, revision, capabilities, calls):
    """How often a server asks a client for its roots, which calls the tool that looks so many times."""
    server = looking_server(mcp)
    peer = scripted_client(server)
    peer.introduce(revision, capabilities)
    asked = 0
    for number in range(1, calls + 1):
        peer.request("tools/call", number, {"name": "x"})
        while (said := peer.hear()).get("method") == "roots/list":
            asked += 1
            peer.answer(said, {"roots": [{"uri": "file:///x"}]})
        assert said["id"] == number
    server.close()
    return asked


@pytest.mark.parametrize("revision", STATELESS)
def test_without_sessions_each_request_asks_for_itself(revision, tmp_path):
    mcp = package(revision)
    (tmp_path / "one").mkdir()
    client = mcp.Client.in_memory(looking_server(mcp), roots=[tmp_path], timeout=PATIENCE)
    with client:
        assert text_of(client.call_tool("x")) == tmp_path.as_uri()
        client.set_roots([tmp_path / "one"])
        assert text_of(client.call_tool("x")) == (tmp_path / "one").as_uri()


@in_sessions
def test_a_client_that_connected_without_roots_cannot_offer_any(revision, tmp_path):
    mcp = package(revision)
    client = mcp.Client.in_memory(mcp.Server("s", "1"), timeout=PATIENCE)
    with (
        client,
        pytest.raises(UsageError, match="roots/list is declared when the client connects; register the handler before"),
    ):
        client.set_roots([tmp_path])


@each_revision
def test_a_root_that_has_gone_is_left_out(revision, tmp_path):
    mcp = package(revision)
    gone = tmp_path / "gone"
    gone.mkdir()
    client = mcp.Client.in_memory(looking_server(mcp), roots=[gone, tmp_path], timeout=PATIENCE)
    gone.rmdir()
    with client:
        assert text_of(client.call_tool("x")) == tmp_path.as_uri()


@in_sessions
def test_a_client_without_roots_answers_that_it_has_no_such_method(revision):
    mcp = package(revision)
    answers = Queue()

    def play(peer):
        peer.welcome(revision)
        peer.request("roots/list", 1)
        answers.put(peer.hear())

    with scripted_server(mcp.Client, play) as (client, _):
        client.connect()
        error = answers.get(timeout=PATIENCE)["error"]
    assert error["code"] == -32601
    assert "roots/list" in error["data"]["reason"]


@in_sessions
def test_what_goes_wrong_inside_the_client_is_an_internal_error(revision, caplog):
    mcp = package(revision)
    answers = Queue()

    def play(peer):
        peer.welcome(revision)
        peer.request("roots/list", 1)
        answers.put(peer.hear())

    with scripted_server(mcp.Client, play) as (client, _):

        @client.handler(mcp.methods.LIST_ROOTS)
        def fail(params, context):
            text = "the secret"
            raise OSError(text)

        client.connect()
        assert answers.get(timeout=PATIENCE)["error"] == {"code": -32603, "message": "Internal error"}
    assert "the secret" in caplog.text


@each_revision
def test_a_server_copes_with_a_root_that_has_gone(revision, tmp_path):
    mcp = package(revision)
    gone, root = tmp_path / "gone", tmp_path / "root"
    root.mkdir()
    client = mcp.Client.in_memory(looking_server(mcp), timeout=PATIENCE)

    @client.handler(mcp.methods.LIST_ROOTS)
    def roots(params, context):
        return mcp.types.ListRootsResult(roots=[mcp.types.Root(uri=each.as_uri()) for each in (gone, root)])

    with client:
        for path, within in ((gone / "file", "True"), (root / "file", "True"), (tmp_path / "file", "False")):
            assert text_of(client.call_tool("x", {"path": str(path)})) == within


@each_revision
def test_a_path_is_judged_by_where_it_leads(revision, tmp_path):
    mcp = package(revision)
    root, other = tmp_path / "root", tmp_path / "root-2"
    root.mkdir()
    other.mkdir()
    (root / "file").write_text("x")
    (root / "out").symlink_to(other)
    (other / "in").symlink_to(root)
    (root / "loop").symlink_to(root / "loop")
    within = [root, root / "file", root / "new" / "file", other / "in" / "file", f"{root}/a/../file", root.as_uri()]
    without = [other, f"{root}/../root-2", root / "out" / "file", tmp_path, "https://a.example/x", f"{root}/\0"]
    client = mcp.Client.in_memory(looking_server(mcp), roots=[root], timeout=PATIENCE)
    with client:
        for path in within:
            assert text_of(client.call_tool("x", {"path": str(path)})) == "True", path
        for path in without:
            assert text_of(client.call_tool("x", {"path": str(path)})) == "False", path


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0/\\"), min_size=1, max_size=20))
def test_a_path_comes_back_from_its_uri(name):
    if name in {".", ".."}:
        return
    root = v2025_11_25.types.Root(uri="file:///x/" + "".join(f"%{byte:02X}" for byte in name.encode()))
    assert os.fspath(path_of(root.uri)) == f"/x/{name}"
    assert is_within(f"/x/{name}/y", [root])
    assert not is_within("/x", [root])
