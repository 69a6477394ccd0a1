"""Packages of extensions, generated from schemas of one's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from checkout import REVISIONS
from mcp_bindgen.cli.own_package import imported
from mcp_bindgen.generate import SchemaFile

SCHEMA = """
import type { JSONRPCNotification, JSONRPCRequest, Result } from "core";

export const EXTENSION_ID = "com.acme/prices";

export interface PriceRequestParams { sku: string; currency?: "EUR" | "USD"; }
export interface PriceRequest extends JSONRPCRequest { method: "acme/price"; params: PriceRequestParams; }
export interface PriceResult extends Result { cents: number; }

export interface RefreshRequest extends JSONRPCRequest { method: "acme/refresh"; }
export interface RefreshResult extends Result {}

export interface StopRequest { jsonrpc: "2.0"; id: string | number; method: "acme/stop"; }
export interface StopResult extends Result {}

export interface ApproveRequest extends JSONRPCRequest { method: "acme/approve"; params: PriceRequestParams; }
export interface ApproveResult extends Result { approved: boolean; }

export interface SaleNotificationParams { sku: string; }
export interface SaleNotification extends JSONRPCNotification { method: "acme/sale"; params: SaleNotificationParams; }

export interface VisitNotification extends JSONRPCNotification { method: "acme/visit"; params: SaleNotificationParams; }

export type ClientRequest = PriceRequest | RefreshRequest | StopRequest;
export type ServerResult = PriceResult | RefreshResult | StopResult;
export type ServerRequest = ApproveRequest;
export type ClientResult = ApproveResult;
export type ClientNotification = VisitNotification;
export type ServerNotification = SaleNotification;
"""


@pytest.fixture(params=[REVISIONS[0], REVISIONS[-1]], scope="module")
def acme(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """Return the package of an extension whose schema imports from the oldest and from the newest revision."""
    schema = tmp_path_factory.mktemp("schema") / "acme.ts"
    schema.write_text(SCHEMA, encoding="utf-8")
    with imported(SchemaFile(Path(schema), "acme", {"core": request.param})) as package:
        yield package
