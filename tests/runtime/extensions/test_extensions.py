"""Clients and servers speak the methods of extensions: typed, declared, and checked like the methods of a revision."""

from __future__ import annotations

import json
import threading
from queue import Queue
from types import ModuleType
from typing import Any

import pytest
from checkout import REVISIONS
from mcp_bindings_runtime.errors import DecodeError, EncodeError, HttpError, NotDeclared, ResponseError, UsageError
from mcp_bindings_runtime.extensions.extension import Extension
from support.connected_clients import asking, refused, serving
from support.raw_http_client import endpoint
from support.revisions import HANDSHAKE, STATELESS
from support.scripted_peers import PATIENCE, package

each_revision = pytest.mark.parametrize("revision", REVISIONS)
each_handshake = pytest.mark.parametrize("revision", HANDSHAKE)
each_stateless = pytest.mark.parametrize("revision", STATELESS)


def shop(revision: str, acme: Any, **options: Any) -> Any:
    """Return a server that answers requests for a price."""
    server = serving(revision, extensions=[acme], **options)

    @server.handler(acme.methods.PRICE)
    def price(params: Any, context: Any) -> Any:
        context.progress(1, 2)
        return acme.PriceResult(cents=len(params.sku) if params.currency is None else 995)

    return server


@each_revision
def test_a_request_is_answered_in_the_types_of_the_extension(revision: str, acme: Any) -> None:
    with asking(shop(revision, acme), extensions=[acme]) as client:
        result = client.request(acme.methods.PRICE, acme.PriceRequestParams(sku="A-1", currency="EUR"))
        assert type(result) is acme.PriceResult
        assert result.cents == 995


@each_revision
def test_the_params_are_the_same_in_every_revision_as_meta_is_in_the_context(revision: str, acme: Any) -> None:
    server, seen = serving(revision, extensions=[acme]), []

    @server.handler(acme.methods.PRICE)
    def price(params: Any, context: Any) -> Any:
        seen.append((params, context.meta, context.peer_info.name))
        return acme.PriceResult(cents=1)

    with asking(server, extensions=[acme], name="buyer") as client:
        sent = acme.PriceRequestParams(sku="A-1", extra={"_meta": {"com.acme/trace": 7}, "further": [1]})
        client.request(acme.methods.PRICE, sent, on_progress=lambda params: None)
    ((params, meta, name),) = seen
    assert params == acme.PriceRequestParams(sku="A-1", extra={"further": [1]})
    entries = meta if isinstance(meta, dict) else meta.extra
    assert entries["com.acme/trace"] == 7
    assert name == "buyer"


@each_revision
def test_progress_of_such_a_request_arrives_before_its_result(revision: str, acme: Any) -> None:
    with asking(shop(revision, acme), extensions=[acme]) as client:
        seen: list[Any] = []
        client.request(acme.methods.PRICE, acme.PriceRequestParams(sku="A"), on_progress=seen.append)
        assert [(each.progress, each.total) for each in seen] == [(1, 2)]


@each_revision
def test_both_sides_declare_the_identifier_with_its_settings(revision: str, acme: ModuleType) -> None:
    server = shop(revision, acme)
    of_server = serving(revision, extensions=[Extension(acme, settings={"currencies": ["EUR"]})])
    member = "extensions" if revision in STATELESS else "experimental"
    with asking(of_server, extensions=[Extension(acme, settings={"fast": True})]) as client:
        assert getattr(client.server_capabilities, member) == {"com.acme/prices": {"currencies": ["EUR"]}}
        assert getattr(client.capabilities, member) == {"com.acme/prices": {"fast": True}}
    assert getattr(server.capabilities, member) == {"com.acme/prices": {}}


@each_revision
def test_a_request_to_a_server_without_the_extension_is_not_sent(revision: str, acme: Any) -> None:
    with (
        asking(serving(revision), extensions=[acme]) as client,
        pytest.raises(NotDeclared, match=r"acme/price needs the capability '\w+\.com\.acme/prices', which the server"),
    ):
        client.request(acme.methods.PRICE, acme.PriceRequestParams(sku="A"))


@each_revision
def test_a_client_may_require_the_extension(revision: str, acme: Any) -> None:
    member = "extensions" if revision in STATELESS else "experimental"
    with asking(shop(revision, acme), extensions=[acme], require=[f"{member}.com.acme/prices"]) as client:
        assert client.connected


@each_revision
def test_a_key_needs_its_package_in_the_option(revision: str, acme: Any) -> None:
    with (
        asking(shop(revision, acme)) as client,
        pytest.raises(UsageError, match=r"acme/price is not a method of .*; pass its package in `extensions`"),
    ):
        client.request(acme.methods.PRICE, acme.PriceRequestParams(sku="A"))
    with pytest.raises(UsageError, match="pass the package of the extension that has it in `extensions`"):
        serving(revision).handler(acme.methods.PRICE)(lambda params, context: None)


@each_revision
def test_wrong_params_are_refused_on_both_sides_with_their_place(revision: str, acme: Any) -> None:
    with (
        asking(shop(revision, acme), extensions=[acme]) as client,
        pytest.raises(EncodeError, match=r"\$\.params\.sku: found 1, expected a string"),
    ):
        client.request(acme.methods.PRICE, acme.PriceRequestParams(sku=1))
    with asking(shop(revision, acme)) as client:
        data = refused(-32602, client.request_raw, "acme/price", {"sku": 1})
        assert "$.params.sku: found 1, expected a string" in data["reason"]


@each_revision
def test_params_that_are_missing_or_of_another_type_are_refused_before_they_are_sent(revision: str, acme: Any) -> None:
    server, faults = serving(revision, extensions=[acme]), []
    wrong = (None, {"sku": "A"}, 5, acme.PriceRequestParams(sku="A"))

    @server.handler(acme.methods.PRICE)
    def price(params: Any, context: Any) -> Any:
        for each in wrong:
            with pytest.raises(EncodeError) as caught:
                context.notify(acme.methods.SALE, each)
            faults.append(str(caught.value).partition(" (")[0])
        return acme.PriceResult(cents=1)

    with asking(server, extensions=[acme]) as client:
        for params in (None, {"sku": "A"}, acme.SaleNotificationParams(sku="A")):
            with pytest.raises(EncodeError, match=r"\$\.params"):
                client.request(acme.methods.PRICE, params)
        client.request(acme.methods.PRICE, wrong[-1])
    assert faults == [
        "$.params: found nothing, expected an object",
        "$.params: found a dict, expected a SaleNotificationParams",
        "$.params: found 5, expected a SaleNotificationParams",
        "$.params: found a PriceRequestParams, expected a SaleNotificationParams",
    ]


@each_handshake
def test_an_announcement_with_wrong_params_is_refused_also_without_clients(revision: str, acme: Any) -> None:
    for params in (None, {"sku": "A"}):
        with pytest.raises(EncodeError):
            serving(revision, extensions=[acme]).notify(acme.methods.SALE, params)


@each_revision
def test_a_method_without_params_needs_none(revision: str, acme: Any) -> None:
    server = serving(revision, extensions=[acme])
    for key in (acme.methods.REFRESH, acme.methods.STOP):
        server.handler(key)(lambda params, context: None)
    with asking(server, extensions=[acme]) as client:
        assert isinstance(client.request(acme.methods.REFRESH), acme.RefreshResult)
        assert isinstance(client.request(acme.methods.STOP), acme.StopResult)
        with pytest.raises(EncodeError, match=r"\$\.params: found a PriceRequestParams, expected nothing"):
            client.request(acme.methods.STOP, acme.PriceRequestParams(sku="A"))


@each_handshake
def test_a_server_notifies_the_clients_that_have_declared_the_extension(revision: str, acme: Any) -> None:
    server, sales = serving(revision, extensions=[acme]), Queue[str]()
    with asking(server) as without, asking(server, extensions=[acme]) as client:
        client.handler(acme.methods.SALE)(lambda params, context: sales.put(params.sku))
        for each in (without, client):
            # The session is open when a request has been answered.
            each.ping()
        server.notify(acme.methods.SALE, acme.SaleNotificationParams(sku="A"))
        assert sales.get(timeout=PATIENCE) == "A"


@each_stateless
def test_an_announcement_to_clients_that_cannot_subscribe_to_it_names_the_way(revision: str, acme: Any) -> None:
    server = serving(revision, extensions=[acme])
    # Also while no client is connected, so that the first try shows the mistake.
    with pytest.raises(
        UsageError, match=r"cannot subscribe to acme/sale, .*; in a handler, send it with context\.notify\(\)"
    ):
        server.notify(acme.methods.SALE, acme.SaleNotificationParams(sku="A"))


@each_revision
def test_a_request_is_not_sent_as_a_notification_nor_the_other_way_round(revision: str) -> None:
    mcp = package(revision)
    with mcp.Client.in_memory(mcp.Server("s", "1"), timeout=PATIENCE) as client:
        call = mcp.methods.CALL_TOOL
        with pytest.raises(UsageError, match=r"^tools/call is a request; send it with request\(\)$"):
            client.notify(call)
        with pytest.raises(UsageError, match=r"^notifications/cancelled is a notification; send it with notify\(\)$"):
            client.request(mcp.methods.CANCELLED)


@each_revision
def test_the_name_of_a_method_in_place_of_its_key_says_which_key_is_missing(revision: str, acme: Any) -> None:
    server: Any = shop(revision, acme)
    with pytest.raises(UsageError, match=r"acme/price is a method .*; pass its key, from `methods`, to handler\(\)"):
        server.raw_handler("acme/price")
    with asking(server, extensions=[acme]) as client:
        with pytest.raises(
            UsageError, match=r"such as `mcp.methods.CALL_TOOL` or one of an extension's `methods`, not "
        ):
            client.request("acme/price")
        with pytest.raises(
            UsageError, match=r"such as `mcp.methods.PROGRESS` or one of an extension's `methods`, not "
        ):
            client.notify("acme/sale")


@each_revision
def test_a_wrong_result_is_an_error_with_its_place(revision: str, acme: Any) -> None:
    server = serving(revision, capabilities=shop(revision, acme).capabilities)
    server.raw_handler("acme/price")(lambda params, context: {"cents": "many"})
    with (
        asking(server, extensions=[acme]) as client,
        pytest.raises(DecodeError, match=r"\$\.result\.cents: found \"many\", expected an? (integer|number)"),
    ):
        client.request(acme.methods.PRICE, acme.PriceRequestParams(sku="A"))


@each_revision
def test_a_handler_that_returns_another_type_is_an_internal_error(
    revision: str, acme: Any, caplog: pytest.LogCaptureFixture
) -> None:
    server = serving(revision, extensions=[acme])
    server.handler(acme.methods.PRICE)(lambda params, context: {"cents": 1})
    with asking(server, extensions=[acme]) as client:
        refused(-32603, client.request, acme.methods.PRICE, acme.PriceRequestParams(sku="A"))
    assert "the handler of acme/price returned a dict; expected PriceResult" in caplog.text


@each_revision
def test_a_method_of_the_extension_without_a_handler_is_not_found(revision: str, acme: Any) -> None:
    with asking(serving(revision, extensions=[acme]), extensions=[acme]) as client:
        data = refused(-32601, client.request, acme.methods.PRICE, acme.PriceRequestParams(sku="A"))
        assert data["method"] == "acme/price"


@each_revision
def test_each_side_sends_its_own_methods_only(revision: str, acme: Any) -> None:
    with asking(shop(revision, acme), extensions=[acme]) as client:
        with pytest.raises(UsageError, match="acme/approve is sent by a server, not by a client"):
            client.request(acme.methods.APPROVE, acme.PriceRequestParams(sku="A"))
        assert refused(-32601, client.request_raw, "acme/other")["method"] == "acme/other"
    with pytest.raises(UsageError):
        shop(revision, acme).handler(acme.methods.APPROVE)(lambda params, context: None)


@each_handshake
def test_a_server_asks_a_client_that_has_declared_the_extension(revision: str, acme: Any) -> None:
    server = serving(revision, extensions=[acme])

    @server.handler(acme.methods.PRICE)
    def price(params: Any, context: Any) -> Any:
        return acme.PriceResult(cents=int(context.request(acme.methods.APPROVE, params).approved))

    client = package(revision).Client.in_memory(server, extensions=[acme], timeout=PATIENCE)

    @client.handler(acme.methods.APPROVE)
    def approve(params: Any, context: Any) -> Any:
        return acme.ApproveResult(approved=params.sku == "A")

    with client:
        assert client.request(acme.methods.PRICE, acme.PriceRequestParams(sku="A")).cents == 1


@each_stateless
def test_a_server_that_sends_no_requests_says_so(revision: str, acme: Any, caplog: pytest.LogCaptureFixture) -> None:
    server = serving(revision, extensions=[acme])
    server.handler(acme.methods.PRICE)(lambda params, context: context.request(acme.methods.APPROVE, params))
    with asking(server, extensions=[acme]) as client:
        refused(-32603, client.request, acme.methods.PRICE, acme.PriceRequestParams(sku="A"))
    assert f"servers of {revision} send no acme/approve" in caplog.text


@each_revision
def test_a_notification_arrives_in_the_types_of_the_extension(revision: str, acme: Any) -> None:
    server, seen, arrived = serving(revision, extensions=[acme]), [], threading.Event()

    @server.handler(acme.methods.PRICE)
    def price(params: Any, context: Any) -> Any:
        context.notify(acme.methods.SALE, acme.SaleNotificationParams(sku=params.sku))
        return acme.PriceResult(cents=1)

    client = package(revision).Client.in_memory(server, extensions=[acme], timeout=PATIENCE)

    @client.handler(acme.methods.SALE)
    def sale(params: Any, context: Any) -> None:
        seen.append(params)
        arrived.set()

    with client:
        client.request(acme.methods.PRICE, acme.PriceRequestParams(sku="A"))
        assert arrived.wait(PATIENCE)
    assert seen == [acme.SaleNotificationParams(sku="A")]


def visited(server: Any, acme: Any) -> Queue[Any]:
    """Return the queue into which a server puts the params of the notifications that it receives."""
    arrived: Queue[Any] = Queue()

    @server.handler(acme.methods.VISIT)
    def visit(params: Any, context: Any) -> None:
        arrived.put(params)

    return arrived


@each_revision
def test_a_client_notifies_the_server(revision: str, acme: Any) -> None:
    server = serving(revision, extensions=[acme])
    arrived = visited(server, acme)
    with asking(server, extensions=[acme]) as client:
        client.notify(acme.methods.VISIT, acme.SaleNotificationParams(sku="A"))
        assert arrived.get(timeout=PATIENCE) == acme.SaleNotificationParams(sku="A")


def notify_over_http(revision: str, acme: Any, **options: Any) -> None:
    """Send a notification to a server over HTTP and check that its handler runs."""
    server = serving(revision, extensions=[acme])
    arrived = visited(server, acme)
    with endpoint(server) as wire:
        url = f"http://127.0.0.1:{wire.port}/mcp"
        with package(revision).Client.http(url, extensions=[acme], timeout=PATIENCE, **options) as client:
            client.notify(acme.methods.VISIT, acme.SaleNotificationParams(sku="A"))
            assert arrived.get(timeout=PATIENCE) == acme.SaleNotificationParams(sku="A")


@pytest.mark.parametrize("revision", [HANDSHAKE[-1], *STATELESS])
def test_a_client_notifies_the_server_over_http(revision: str, acme: Any) -> None:
    notify_over_http(revision, acme)


@each_stateless
def test_a_notification_needs_no_request_before_it(revision: str, acme: Any) -> None:
    notify_over_http(revision, acme, discover=False)


@each_stateless
def test_a_notification_is_refused_while_all_handlers_run(revision: str, acme: Any) -> None:
    server, running, end = serving(revision, extensions=[acme]), threading.Event(), threading.Event()

    @server.handler(acme.methods.VISIT)
    def visit(params: Any, context: Any) -> None:
        running.set()
        end.wait(PATIENCE)

    with endpoint(server, handlers=1) as wire:
        url = f"http://127.0.0.1:{wire.port}/mcp"
        options: Any = {"extensions": [acme], "retries": False}
        with package(revision).Client.http(url, timeout=PATIENCE, **options) as client:
            client.notify(acme.methods.VISIT, acme.SaleNotificationParams(sku="A"))
            assert running.wait(PATIENCE)
            with pytest.raises(HttpError) as caught:
                client.notify(acme.methods.VISIT, acme.SaleNotificationParams(sku="B"))
            end.set()
    assert caught.value.status == 503


@each_handshake
def test_an_announcement_reaches_the_clients_that_have_declared_the_extension(revision: str, acme: Any) -> None:
    server, seen, arrived = serving(revision, extensions=[acme]), [], threading.Event()
    client = package(revision).Client.in_memory(server, extensions=[acme], timeout=PATIENCE)

    @client.handler(acme.methods.SALE)
    def sale(params: Any, context: Any) -> None:
        seen.append(params.sku)
        arrived.set()

    with client:
        # The session is open when a request has been answered.
        client.ping()
        server.notify(acme.methods.SALE, acme.SaleNotificationParams(sku="A"))
        assert arrived.wait(PATIENCE)
    assert seen == ["A"]


@each_revision
def test_a_method_without_a_schema_is_requested_and_answered_as_json(revision: str) -> None:
    server = serving(revision)

    @server.raw_handler("other/echo")
    def echo(params: dict[str, Any], context: Any) -> dict[str, Any]:
        context.progress(1)
        return {"params": params}

    with asking(server) as client:
        seen: list[Any] = []
        assert client.request_raw("other/echo")["params"] == {}
        result = client.request_raw("other/echo", {"a": [1, None]}, on_progress=seen.append)
        assert result["params"] == {"a": [1, None]}
        assert [each.progress for each in seen] == [1]
        json.dumps(result)


@each_revision
def test_an_unknown_method_is_the_error_of_the_server(revision: str) -> None:
    with asking(serving(revision)) as client:
        assert refused(-32601, client.request_raw, "other/none", {})["method"] == "other/none"


@each_revision
@pytest.mark.parametrize(
    ("method", "params"), [("tools/call", {}), ("", {}), (None, {}), ("a/b", 1), ("a/b", {"_meta": 1})]
)
def test_a_wrong_raw_request_is_refused(revision: str, method: Any, params: Any) -> None:
    with asking(serving(revision)) as client, pytest.raises(UsageError):
        client.request_raw(method, params)


@each_revision
def test_a_method_with_a_schema_has_no_raw_handler(revision: str, acme: Any) -> None:
    server = shop(revision, acme)
    for method in ("tools/list", "acme/price", ""):
        with pytest.raises(UsageError):
            server.raw_handler(method)
    server.raw_handler("other/echo")(lambda params, context: {})
    with pytest.raises(UsageError):
        server.raw_handler("other/echo")


@each_revision
def test_a_raw_handler_returns_an_object(revision: str, caplog: pytest.LogCaptureFixture) -> None:
    server = serving(revision)
    server.raw_handler("other/echo")(lambda params, context: [])
    with asking(server) as client, pytest.raises(ResponseError):
        client.request_raw("other/echo")
    assert "the handler of other/echo returned a list; expected a dict" in caplog.text


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda acme: acme, "must be a list"),
        (lambda acme: [json], "must hold packages that mcp-codegen made from schemas of extensions, got json"),
        (lambda acme: [acme, acme], "holds com.acme/prices twice"),
        (
            lambda acme: [acme, Extension(acme, identifier="com.acme/two")],
            "declares acme/price, which .* declares, too",
        ),
        (lambda acme: [Extension(acme, identifier="prices")], "has the identifier 'prices'"),
        (lambda acme: [Extension(acme, settings=[])], "settings"),
    ],
)
def test_a_wrong_option_is_refused(acme: Any, wrong: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        serving(REVISIONS[-1], extensions=wrong(acme))
