"""Small schemas in, changes out: what the tests of the comparison share."""

from __future__ import annotations

from mcp_bindgen import diff
from mcp_bindgen.ir.protocol import Protocol
from mcp_bindgen.resolve.overrides import Overrides
from mcp_bindgen.resolve.protocol import resolve_protocol
from mcp_bindgen.syntax.declarations import read_schema

FRAME = """
export interface Request { method: string; params?: { [key: string]: unknown } }
export interface Notification { method: string; params?: { [key: string]: unknown } }
export interface Result { _meta?: { [key: string]: unknown }; [key: string]: unknown }
export type EmptyResult = Result;
export interface JSONRPCRequest extends Request { jsonrpc: "2.0"; id: string }
export interface JSONRPCNotification extends Notification { jsonrpc: "2.0" }
export interface GetRequest extends JSONRPCRequest { method: "widgets/get"; params: GetRequestParams }
export interface GetRequestParams { in: In }
export interface GetResult extends Result { out: Out }
export interface TellNotification extends JSONRPCNotification { method: "notifications/tell"; params: TellNotificationParams }
export interface TellNotificationParams { told: Told }
export type ClientRequest = GetRequest;
export type ClientNotification = TellNotification;
export type ServerNotification = TellNotification;
"""
"""``In`` is sent by the client, ``Out`` by the server, ``Told`` by both."""

DEFAULTS = {
    "In": "export interface In { i: string }",
    "Out": "export interface Out { o: string }",
    "Told": "export interface Told { t: string }",
}


def resolve(text: str, *, overrides: Overrides | None = None, revision: str = "acme") -> Protocol:
    module = read_schema(text.encode(), f"{revision}.ts")
    return resolve_protocol(module, revision=revision, overrides=overrides or Overrides())


def framed(text: str) -> str:
    """A whole schema: the frame, what the text declares, and what it leaves out of that which the frame refers to."""
    missing = [
        declaration
        for name, declaration in DEFAULTS.items()
        if f"interface {name} " not in text and f"type {name} " not in text
    ]
    return "\n".join([FRAME, text, *missing])


def compare(old: str, new: str, *, docs: bool = False) -> diff.Difference:
    """The difference of two schemas, of which each text is framed."""
    return diff.compare(resolve(framed(old)), resolve(framed(new)), docs=docs)


def line(change: diff.Change) -> str:
    """A change in one line: ``kind subject member rule client>server server>client api``.

    The verdicts are those of an old client with a new server, and of a new client with an old server.
    """
    verdicts = change.verdicts
    words = [change.kind, change.subject, *([change.member] if change.member else []), change.rule]
    levels = f"{verdicts.old_client_new_server}/{verdicts.new_client_old_server}/{verdicts.api}"
    return " ".join([*words, levels, "+".join(change.sent_by) or "nobody"])


def lines(old: str, new: str) -> list[str]:
    """The difference of two framed texts, a line for each change."""
    return [line(change) for change in compare(old, new).changes]


def only(difference: diff.Difference) -> diff.Change:
    """The one change that there is."""
    (change,) = difference.changes
    return change
