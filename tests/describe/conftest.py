"""Small schemas to describe."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from mcp_bindgen.ir.protocol import Protocol
from mcp_bindgen.resolve.protocol import resolve_protocol
from mcp_bindgen.syntax.declarations import read_schema

Resolve = Callable[[str], Protocol]


@pytest.fixture
def resolve() -> Resolve:
    """Reads and resolves the text of a schema."""

    def call(text: str) -> Protocol:
        return resolve_protocol(read_schema(text.encode(), "schema.ts"), revision="2001-01-01")

    return call


WIDGETS = """\
export const MAX_WIDGETS = -5;

/** Any message. */
export type JSONRPCMessage = ListWidgetsRequest | WidgetsChangedNotification;

/**
 * A widget.
 *
 * @deprecated Use a gadget.
 */
export interface Widget {
  /** Which one. */
  id: WidgetId;
  size?: "large" | "small";
  /** How it is made. */
  options?: {
    /** Its hue. */
    color: string;
    /** @deprecated */
    old?: number;
  };
  parts?: Widget[];
  mood?: Mood;
  /**
   * @TJS-type number
   * @minimum 0
   * @maximum 1
   */
  weight?: number;
  /** @maxItems 3 */
  links?: string[];
  /** @format byte */
  data?: string;
  "odd/key"?: unknown;
  note?: string | null;
}

export interface Big extends Widget {
  size: "large";
  [key: string]: unknown;
}

export type WidgetId = number | string;
export type Mood = "good" | "bad" | string;
export type Same = Big;
export type Pair = Widget & { second: boolean };
export type Ids = WidgetId[];

export interface ListWidgetsRequest {
  jsonrpc: "2.0";
  id: WidgetId;
  method: "widgets/list";
  params?: { cursor?: string };
}

export interface ListWidgetsResult {
  widgets: Widget[];
}

export interface WidgetsChangedNotification {
  jsonrpc: "2.0";
  method: "notifications/widgets/changed";
}

export type ClientRequest = ListWidgetsRequest;
export type ServerNotification = WidgetsChangedNotification;
"""


@pytest.fixture
def widgets(resolve: Resolve) -> Protocol:
    """A schema with a bit of everything."""
    return resolve(WIDGETS)
