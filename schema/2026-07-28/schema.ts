/*
 * Model Context Protocol, revision 2026-07-28.
 *
 * This project's own transcription of the protocol schema: the facts of the official schema,
 * documented in our own words.
 */

/* Constants */

/**
 * Identifier of the protocol revision that this file describes.
 *
 * @internal
 */
export const LATEST_PROTOCOL_VERSION = "2026-07-28";

/**
 * Value of the `jsonrpc` member of every message.
 *
 * @internal
 */
export const JSONRPC_VERSION = "2.0";

/** Error code: the text received is not valid JSON. */
export const PARSE_ERROR = -32700;

/** Error code: the JSON received does not form a proper request. */
export const INVALID_REQUEST = -32600;

/** Error code: the receiver does not know or support the method. */
export const METHOD_NOT_FOUND = -32601;

/** Error code: parameters are missing, malformed or not acceptable. */
export const INVALID_PARAMS = -32602;

/** Error code: the receiver failed for a reason of its own. */
export const INTERNAL_ERROR = -32603;

/**
 * Error code: HTTP headers are absent, malformed or contradict the message.
 *
 * @since 2026-07-28
 */
export const HEADER_MISMATCH = -32020;

/**
 * Error code: the client lacks a capability that the request depends on.
 *
 * @since 2026-07-28
 */
export const MISSING_REQUIRED_CLIENT_CAPABILITY = -32021;

/**
 * Error code: the request follows a protocol revision that the server does not support.
 *
 * @since 2026-07-28
 */
export const UNSUPPORTED_PROTOCOL_VERSION = -32022;

/* JSON values */

/**
 * Any JSON value.
 *
 * @since 2026-07-28
 */
export type JSONValue = string | number | boolean | null | JSONObject | JSONArray;

/**
 * A JSON object, with values of any kind.
 *
 * @since 2026-07-28
 */
export type JSONObject = { [key: string]: JSONValue };

/**
 * A JSON array, with elements of any kind.
 *
 * @since 2026-07-28
 */
export type JSONArray = JSONValue[];

/* Metadata */

/**
 * Content of a `_meta` field: metadata by key.
 *
 * A key is a name with an optional prefix. The name consists of letters, digits and, in between,
 * hyphens, underscores and dots; it may be empty. The prefix consists of labels joined by dots and
 * ends with a slash. A label starts with a letter, ends with a letter or digit and may have hyphens
 * in between. Use a domain you own in reverse order, as in `com.example/`.
 *
 * Prefixes whose second label is `mcp` or `modelcontextprotocol` are reserved for the protocol: do
 * not interpret unknown keys of that kind.
 *
 * @since 2026-07-28
 */
export type MetaObject = Record<string, unknown>;

/**
 * Content of the `_meta` field of a request.
 *
 * @since 2026-07-28
 */
export interface RequestMetaObject extends MetaObject {
  /**
   * Token for `notifications/progress` messages about this request; absent if none are wanted.
   *
   * The receiver repeats the token in each of them, but may send none.
   */
  progressToken?: ProgressToken;
  /**
   * Revision of the protocol that the request follows, such as `2026-07-28`.
   *
   * A server that does not support it answers with `UnsupportedProtocolVersionError`. Over HTTP the
   * value must equal the `MCP-Protocol-Version` header; otherwise the server refuses the request
   * with status 400.
   */
  "io.modelcontextprotocol/protocolVersion": string;
  /**
   * Name and version of the client software, which clients should send with every request.
   *
   * They are not verified: display or log them, but do not base security or behavior on them.
   */
  "io.modelcontextprotocol/clientInfo"?: Implementation;
  /**
   * Optional features of the client, valid for this request only; empty if it has none.
   *
   * A server must not assume them for other requests.
   */
  "io.modelcontextprotocol/clientCapabilities": ClientCapabilities;
  /**
   * Lowest severity of the log messages to send for this request; if absent, none are sent.
   *
   * @deprecated Since 2026-07-28 (SEP-2577); it stays in the protocol for at least twelve months.
   */
  "io.modelcontextprotocol/logLevel"?: LoggingLevel;
}

/**
 * Content of the `_meta` field of a notification.
 *
 * @since 2026-07-28
 */
export interface NotificationMetaObject extends MetaObject {
  /**
   * Id of the request that opened the stream.
   *
   * All notifications on a `subscriptions/listen` stream have it, and no others.
   */
  "io.modelcontextprotocol/subscriptionId"?: RequestId;
}

/**
 * Content of the `_meta` field of a result.
 *
 * @since 2026-07-28
 */
export interface ResultMetaObject extends MetaObject {
  /**
   * Name and version of the server software, which servers should send with every result.
   *
   * They are not verified: display or log them, but do not base security or behavior on them.
   */
  "io.modelcontextprotocol/serverInfo"?: Implementation;
}

/* JSON-RPC messages */

/**
 * Any JSON-RPC message that client and server may exchange.
 *
 * The keys determine the kind: `method` and `id` make a request, `method` alone a notification,
 * `result` a response and `error` an error response.
 */
export type JSONRPCMessage = JSONRPCRequest | JSONRPCNotification | JSONRPCResponse;

/**
 * Identifier that ties a response to its request.
 *
 * The requester chooses a new one for every request. The number `1` and the string `"1"` differ.
 */
export type RequestId = string | number;

/**
 * Token that links progress notifications to their request.
 *
 * The requester chooses it, unique among its running requests, and puts it in the request's
 * `_meta`.
 */
export type ProgressToken = string | number;

/**
 * Base of the parameters of all requests.
 *
 * @since 2025-11-25
 */
export interface RequestParams {
  /** Metadata that every request carries: protocol revision, client capabilities and more. */
  _meta: RequestMetaObject;
}

/**
 * Base of all requests: messages that are answered by a result or an error.
 *
 * @internal
 */
export interface Request {
  method: string;
  params?: { [key: string]: any };
}

/**
 * Base of the parameters of all notifications.
 *
 * @since 2025-11-25
 */
export interface NotificationParams {
  /** Metadata about the notification, such as the subscription it belongs to. */
  _meta?: NotificationMetaObject;
}

/**
 * Base of all notifications: one-way messages that get no answer.
 *
 * @internal
 */
export interface Notification {
  method: string;
  params?: { [key: string]: any };
}

/**
 * Kind of a result, which determines its other fields.
 *
 * `complete`: the final result. `input_required`: an `InputRequiredResult`, which requests input
 * from the client first. Other strings occur where both sides have agreed on an extension.
 *
 * @since 2026-07-28
 */
export type ResultType = "complete" | "input_required" | string;

/**
 * Base of all results, the payload of a response that reports success.
 *
 * Fields beyond the declared ones are allowed.
 */
export interface Result {
  /** Metadata about the result, such as the server software that made it. */
  _meta?: ResultMetaObject;
  /**
   * Kind of the result, which determines its other fields.
   *
   * Servers of this revision always set it. Older ones leave it out; absent means `complete`.
   *
   * @since 2026-07-28
   */
  resultType: ResultType;
  [key: string]: unknown;
}

/**
 * Failure reported by an error response.
 *
 * @since 2025-11-25
 */
export interface Error {
  /** Integer that identifies the kind of failure, such as one of the error code constants. */
  code: number;
  /** Brief explanation for people, which should be a single sentence. */
  message: string;
  /** Further details: any JSON value that the sender chooses. */
  data?: unknown;
}

/** A request in its wire form, with the JSON-RPC envelope. */
export interface JSONRPCRequest extends Request {
  jsonrpc: typeof JSONRPC_VERSION;
  id: RequestId;
}

/** A notification in its wire form, with the JSON-RPC envelope but without an `id`. */
export interface JSONRPCNotification extends Notification {
  jsonrpc: typeof JSONRPC_VERSION;
}

/** Response to a request: `result` reports success, `error` a failure. */
export type JSONRPCResponse = JSONRPCResultResponse | JSONRPCErrorResponse;

/**
 * A response that reports success and carries the result.
 *
 * Its `id` is that of the request.
 *
 * @since 2025-11-25
 */
export interface JSONRPCResultResponse {
  jsonrpc: typeof JSONRPC_VERSION;
  id: RequestId;
  result: Result;
}

/**
 * A response that reports failure.
 *
 * Failures of a running tool are reported in `CallToolResult.isError` instead.
 *
 * @since 2025-11-25
 */
export interface JSONRPCErrorResponse {
  jsonrpc: typeof JSONRPC_VERSION;
  /** Id of the request; absent if it could not be read. */
  id?: RequestId;
  /** Code, message and details of the failure. */
  error: Error;
}

/** Result without fields of its own, which only confirms success. */
export type EmptyResult = Result;

/* Errors */

/**
 * Error for a message that is not valid JSON.
 *
 * @since 2026-07-28
 */
export interface ParseError extends Error {
  /** Always -32700. */
  code: typeof PARSE_ERROR;
}

/**
 * Error for a message that is JSON but not a proper JSON-RPC request.
 *
 * @since 2026-07-28
 */
export interface InvalidRequestError extends Error {
  /** Always -32600. */
  code: typeof INVALID_REQUEST;
}

/**
 * Error for a method that the server does not know or support.
 *
 * This includes methods of a capability that the server has not announced. If the client lacks a
 * capability, the error is `MissingRequiredClientCapabilityError`.
 *
 * @since 2026-07-28
 */
export interface MethodNotFoundError extends Error {
  /** Always -32601. */
  code: typeof METHOD_NOT_FOUND;
}

/**
 * Error for parameters that are missing, malformed or not acceptable.
 *
 * Examples are an unknown tool, prompt or resource, wrong arguments, and an expired cursor.
 *
 * @since 2026-07-28
 */
export interface InvalidParamsError extends Error {
  /** Always -32602. */
  code: typeof INVALID_PARAMS;
}

/**
 * Error for a failure inside the receiver.
 *
 * @since 2026-07-28
 */
export interface InternalError extends Error {
  /** Always -32603. */
  code: typeof INTERNAL_ERROR;
}

/**
 * Error response: HTTP headers are absent, malformed or contradict the message.
 *
 * The HTTP status is 400.
 *
 * @since 2026-07-28
 */
export interface HeaderMismatchError extends Omit<JSONRPCErrorResponse, "error"> {
  /** Code, message and details of the failure. */
  error: Error & {
    /** Always -32020. */
    code: typeof HEADER_MISMATCH;
  };
}

/**
 * Error response: the client lacks a capability that the request depends on.
 *
 * Over HTTP the status is 400.
 *
 * @since 2026-07-28
 */
export interface MissingRequiredClientCapabilityError extends Omit<JSONRPCErrorResponse, "error"> {
  /** The failure; its `data` holds the required capabilities. */
  error: Error & {
    /** Always -32021. */
    code: typeof MISSING_REQUIRED_CLIENT_CAPABILITY;
    /** Details of the failure. */
    data: {
      /** Capabilities that the client must announce for the request to succeed. */
      requiredCapabilities: ClientCapabilities;
    };
  };
}

/**
 * Error response: the request follows a protocol revision that the server does not support.
 *
 * Over HTTP the status is 400.
 *
 * @since 2026-07-28
 */
export interface UnsupportedProtocolVersionError extends Omit<JSONRPCErrorResponse, "error"> {
  /** The failure; its `data` lists the supported revisions. */
  error: Error & {
    /** Always -32022. */
    code: typeof UNSUPPORTED_PROTOCOL_VERSION;
    /** Details of the failure. */
    data: {
      /** Revisions the server supports; retry with one of them. */
      supported: string[];
      /** Revision of the refused request. */
      requested: string;
    };
  };
}

/* Shared building blocks */

/** Role in a conversation: the user, or the language model (`assistant`). */
export type Role = "user" | "assistant";

/**
 * Base of named things: an identifier for programs and a label for people.
 *
 * @internal
 * @since 2025-06-18
 */
export interface BaseMetadata {
  /** Identifier for programs; displayed to people only if there is no better label. */
  name: string;
  /**
   * Label for people.
   *
   * If it is absent, display `name`; for a tool, first try `annotations.title`.
   */
  title?: string;
}

/**
 * An image to display in a user interface.
 *
 * @since 2025-11-25
 */
export interface Icon {
  /**
   * Address of the image: HTTP, HTTPS, or a `data:` URI with base64 content.
   *
   * Fetch images only from the peer's own host or one you trust, and treat SVG files with care:
   * they can run scripts.
   *
   * @format uri
   */
  src: string;
  /**
   * Media type of the image, such as `image/png`. Use it if the source of the image gives no media type, or only a
   * generic one.
   */
  mimeType?: string;
  /**
   * Sizes at which to display the image, such as `48x48`, or `any` for a scalable format.
   *
   * By default any size.
   */
  sizes?: string[];
  /** Background that the image was designed for; by default both. */
  theme?: "light" | "dark";
}

/**
 * Base of objects that can have icons.
 *
 * @internal
 * @since 2025-11-25
 */
export interface Icons {
  /**
   * The icon, in one or more sizes and formats.
   *
   * A client that displays icons must support PNG and JPEG, and should support SVG and WebP.
   */
  icons?: Icon[];
}

/** Name and version of MCP software, client or server. */
export interface Implementation extends BaseMetadata, Icons {
  /** Version of the software (not of the protocol), in any format. */
  version: string;
  /**
   * Purpose of the software, for people.
   *
   * @since 2025-11-25
   */
  description?: string;
  /**
   * Web page about the software.
   *
   * @format uri
   * @since 2025-11-25
   */
  websiteUrl?: string;
}

/**
 * Hints on the use and display of an object.
 *
 * @since 2025-03-26
 */
export interface Annotations {
  /** Roles that the object is intended for. */
  audience?: Role[];
  /**
   * Importance, from 0 (optional) to 1 (required).
   *
   * @TJS-type number
   * @minimum 0
   * @maximum 1
   */
  priority?: number;
  /**
   * Time of the last change in ISO 8601 form, such as `2025-06-18T09:30:00Z`.
   *
   * @since 2025-06-18
   */
  lastModified?: string;
}

/* Cancellation */

/**
 * Parameters of `notifications/cancelled`.
 *
 * @since 2025-11-25
 */
export interface CancelledNotificationParams extends NotificationParams {
  /** Id of the cancelled request, which must be one of the client's own. */
  requestId: RequestId;
  /** Reason for the cancellation, for logs or for display. */
  reason?: string;
}

/**
 * A notification that cancels a request.
 *
 * The client may cancel its own requests. The receiver should stop the work and send no response,
 * but a response may already be on its way. Over stdio the server sends this notification too, but
 * only to end a stream opened with `subscriptions/listen`.
 */
export interface CancelledNotification extends JSONRPCNotification {
  method: "notifications/cancelled";
  params: CancelledNotificationParams;
}

/* Discovery */

/**
 * A request for the protocol revisions and features that the server supports.
 *
 * Every server must implement it. Clients need not send it, because every request names its
 * revision.
 *
 * @since 2026-07-28
 */
export interface DiscoverRequest extends JSONRPCRequest {
  method: "server/discover";
  params: RequestParams;
}

/**
 * Description of the server: supported revisions, capabilities and instructions.
 *
 * @since 2026-07-28
 */
export interface DiscoverResult extends CacheableResult {
  /** Protocol revisions the server supports; later requests should name one of them. */
  supportedVersions: string[];
  /** Optional features of the server. */
  capabilities: ServerCapabilities;
  /**
   * Instructions for language models on using this server.
   *
   * A client may, for instance, add them to the system prompt.
   */
  instructions?: string;
}

/**
 * Response to `server/discover` that reports success.
 *
 * @since 2026-07-28
 */
export interface DiscoverResultResponse extends JSONRPCResultResponse {
  result: DiscoverResult;
}

/* Capabilities */

/**
 * Optional features that a client announces to the server with every request.
 *
 * An absent field means that the feature is not supported; an empty object means that it is.
 * Further keys are allowed.
 */
export interface ClientCapabilities {
  /** Features outside the protocol: settings by feature name. */
  experimental?: { [key: string]: JSONObject };
  /**
   * Present when the client answers `roots/list`.
   *
   * @deprecated Since 2026-07-28 (SEP-2577); it stays in the protocol for at least twelve months.
   */
  roots?: {};
  /**
   * Present when the client answers `sampling/createMessage`.
   *
   * @deprecated Since 2026-07-28 (SEP-2577); it stays in the protocol for at least twelve months.
   */
  sampling?: {
    /**
     * Present when the client supports values of `includeContext` other than `none`.
     *
     * @since 2025-11-25
     */
    context?: JSONObject;
    /**
     * Present when the client accepts `tools` and `toolChoice` in sampling requests.
     *
     * @since 2025-11-25
     */
    tools?: JSONObject;
  };
  /**
   * Present when the client answers `elicitation/create`.
   *
   * @since 2025-06-18
   */
  elicitation?: {
    /**
     * Present when the client can show forms.
     *
     * A client that lists neither `form` nor `url` can show forms, too.
     *
     * @since 2025-11-25
     */
    form?: JSONObject;
    /**
     * Present when the client can send the user to a web page.
     *
     * @since 2025-11-25
     */
    url?: JSONObject;
  };
  /**
   * Extensions the client supports: settings by extension name (`{}` for none).
   *
   * Names follow the rules for keys of `MetaObject`; the prefix is mandatory.
   *
   * @since 2026-07-28
   */
  extensions?: { [key: string]: JSONObject };
}

/**
 * Optional features that a server announces to the client.
 *
 * An absent field means that the feature is not supported; an empty object means that it is.
 * Further keys are allowed.
 */
export interface ServerCapabilities {
  /** Features outside the protocol: settings by feature name. */
  experimental?: { [key: string]: JSONObject };
  /**
   * Present when the server sends log messages as `notifications/message`.
   *
   * @deprecated Since 2026-07-28 (SEP-2577); it stays in the protocol for at least twelve months.
   */
  logging?: JSONObject;
  /**
   * Present when the server answers `completion/complete`.
   *
   * @since 2025-03-26
   */
  completions?: JSONObject;
  /** Present when the server offers prompts. */
  prompts?: {
    /** True if the server sends `notifications/prompts/list_changed`; by default false. */
    listChanged?: boolean;
  };
  /** Present when the server offers resources. */
  resources?: {
    /** True if a client can subscribe to changes of a resource; by default false. */
    subscribe?: boolean;
    /** True if the server sends `notifications/resources/list_changed`; by default false. */
    listChanged?: boolean;
  };
  /** Present when the server offers tools. */
  tools?: {
    /** True if the server sends `notifications/tools/list_changed`; by default false. */
    listChanged?: boolean;
  };
  /**
   * Extensions the server supports: settings by extension name (`{}` for none).
   *
   * Names follow the rules for keys of `MetaObject`; the prefix is mandatory.
   *
   * @since 2026-07-28
   */
  extensions?: { [key: string]: JSONObject };
}

/* Progress */

/**
 * Parameters of `notifications/progress`.
 *
 * @since 2025-11-25
 */
export interface ProgressNotificationParams extends NotificationParams {
  /** Token from the `_meta` of the request. */
  progressToken: ProgressToken;
  /**
   * Work done so far, in any unit; it increases with every notification.
   *
   * @TJS-type number
   */
  progress: number;
  /**
   * Total work, in the unit of `progress`; absent if unknown.
   *
   * @TJS-type number
   */
  total?: number;
  /** Description of the current step, for people. */
  message?: string;
}

/**
 * A notification of the progress of a request.
 *
 * The receiver of the request sends it, and only if the request has a progress token.
 */
export interface ProgressNotification extends JSONRPCNotification {
  method: "notifications/progress";
  params: ProgressNotificationParams;
}

/* Pagination */

/**
 * Opaque position in a paginated list.
 *
 * Send it back unchanged; only the side that issued it can interpret it.
 */
export type Cursor = string;

/**
 * Base of the parameters of requests for a paginated list.
 *
 * @since 2025-11-25
 */
export interface PaginatedRequestParams extends RequestParams {
  /** Start of the page: `nextCursor` of the previous result; by default the first page. */
  cursor?: Cursor;
}

/**
 * Base of requests for a paginated list.
 *
 * @internal
 */
export interface PaginatedRequest extends JSONRPCRequest {
  params: PaginatedRequestParams;
}

/**
 * Base of results that hold one page of a list.
 *
 * @internal
 */
export interface PaginatedResult extends Result {
  /** Cursor of the next page; absent on the last page. */
  nextCursor?: Cursor;
}

/* Caching */

/**
 * Base of results that a client may cache.
 *
 * @internal
 * @since 2026-07-28
 */
export interface CacheableResult extends Result {
  /**
   * Milliseconds for which the result stays fresh, counted from its receipt.
   *
   * 0 means that it is stale at once: the client may fetch it again whenever it needs it. Compare
   * `max-age` in HTTP.
   *
   * @minimum 0
   */
  ttlMs: number;
  /**
   * Scope in which a cached result may be shared.
   *
   * `public`: with anyone, because it contains no data of the user; proxies may cache it, too.
   * `private`: only among requests with the same authorization. Compare `Cache-Control` in HTTP.
   */
  cacheScope: "public" | "private";
}

/* Input requests */

/**
 * Any request for input that a server can make while it handles a request, distinguished by
 * `method`.
 *
 * @internal
 * @since 2026-07-28
 */
export type InputRequest = CreateMessageRequest | ListRootsRequest | ElicitRequest;

/**
 * Answer of the client to an `InputRequest`; its type follows from the request.
 *
 * @internal
 * @since 2026-07-28
 */
export type InputResponse = CreateMessageResult | ListRootsResult | ElicitResult;

/**
 * Requests for input from the client, by keys that the server chooses.
 *
 * @since 2026-07-28
 */
export interface InputRequests {
  [key: string]: InputRequest;
}

/**
 * Answers of the client, by the keys of the `InputRequests`.
 *
 * @since 2026-07-28
 */
export interface InputResponses {
  [key: string]: InputResponse;
}

/**
 * Result that requests input from the client, which the server needs to continue.
 *
 * The client sends the same request again, with the answers and the state added. `inputRequests`,
 * `requestState` or both are present.
 *
 * @since 2026-07-28
 */
export interface InputRequiredResult extends Result {
  /** Input that the client must provide before it retries the request. */
  inputRequests?: InputRequests;
  /** Opaque text that the client must return unchanged when it retries. */
  requestState?: string;
}

/**
 * Base of the parameters of requests that can be answered with an `InputRequiredResult`.
 *
 * @since 2026-07-28
 */
export interface InputResponseRequestParams extends RequestParams {
  /** Answers to the `inputRequests` of the previous result, one for each key. */
  inputResponses?: InputResponses;
  /** The `requestState` of the previous result, unchanged. */
  requestState?: string;
}

/* Subscriptions */

/**
 * Selection of notifications for a `subscriptions/listen` stream; no others are sent on it.
 *
 * @since 2026-07-28
 */
export interface SubscriptionFilter {
  /** True to receive `notifications/tools/list_changed`. */
  toolsListChanged?: boolean;
  /** True to receive `notifications/prompts/list_changed`. */
  promptsListChanged?: boolean;
  /** True to receive `notifications/resources/list_changed`. */
  resourcesListChanged?: boolean;
  /** URIs of the resources to receive `notifications/resources/updated` for. */
  resourceSubscriptions?: string[];
}

/**
 * Parameters of `subscriptions/listen`.
 *
 * @since 2026-07-28
 */
export interface SubscriptionsListenRequestParams extends RequestParams {
  /** Notifications that the client requests on the stream. */
  notifications: SubscriptionFilter;
}

/**
 * A request to open a stream of notifications that do not belong to a particular request.
 *
 * The client sends it, over HTTP and over stdio. The stream stays open until one side ends it.
 *
 * @since 2026-07-28
 */
export interface SubscriptionsListenRequest extends JSONRPCRequest {
  method: "subscriptions/listen";
  params: SubscriptionsListenRequestParams;
}

/**
 * Content of the `_meta` field of a `SubscriptionsListenResult`.
 *
 * @since 2026-07-28
 */
export interface SubscriptionsListenResultMetaObject extends ResultMetaObject {
  /** Id of the request that opened the stream, the same as on its notifications. */
  "io.modelcontextprotocol/subscriptionId": RequestId;
}

/**
 * Result of `subscriptions/listen`, sent when the server ends the stream.
 *
 * If the connection breaks, there is no result.
 *
 * @since 2026-07-28
 */
export interface SubscriptionsListenResult extends Result {
  /** Metadata with the id of the stream. */
  _meta: SubscriptionsListenResultMetaObject;
}

/**
 * Response to `subscriptions/listen` that reports the end of the stream.
 *
 * @since 2026-07-28
 */
export interface SubscriptionsListenResultResponse extends JSONRPCResultResponse {
  result: SubscriptionsListenResult;
}

/**
 * Parameters of `notifications/subscriptions/acknowledged`.
 *
 * @since 2026-07-28
 */
export interface SubscriptionsAcknowledgedNotificationParams extends NotificationParams {
  /** The part of the client's filter that the server supports; it sends nothing else. */
  notifications: SubscriptionFilter;
}

/**
 * A notification that the server has opened a `subscriptions/listen` stream.
 *
 * It precedes all other messages with the same subscription id. Over stdio, messages of other
 * subscriptions may come before it.
 *
 * @since 2026-07-28
 */
export interface SubscriptionsAcknowledgedNotification extends JSONRPCNotification {
  method: "notifications/subscriptions/acknowledged";
  params: SubscriptionsAcknowledgedNotificationParams;
}

/* Resources */

/** A request for the server's resources, one page at a time. */
export interface ListResourcesRequest extends PaginatedRequest {
  method: "resources/list";
}

/** One page of the server's resources. */
export interface ListResourcesResult extends PaginatedResult, CacheableResult {
  /** The resources on this page. */
  resources: Resource[];
}

/**
 * Response to `resources/list` that reports success.
 *
 * @since 2026-07-28
 */
export interface ListResourcesResultResponse extends JSONRPCResultResponse {
  result: ListResourcesResult;
}

/** A request for the server's resource templates, one page at a time. */
export interface ListResourceTemplatesRequest extends PaginatedRequest {
  method: "resources/templates/list";
}

/** One page of the server's resource templates. */
export interface ListResourceTemplatesResult extends PaginatedResult, CacheableResult {
  /** The resource templates on this page. */
  resourceTemplates: ResourceTemplate[];
}

/**
 * Response to `resources/templates/list` that reports success.
 *
 * @since 2026-07-28
 */
export interface ListResourceTemplatesResultResponse extends JSONRPCResultResponse {
  result: ListResourceTemplatesResult;
}

/**
 * Base of the parameters of requests about one resource.
 *
 * @internal
 * @since 2025-11-25
 */
export interface ResourceRequestParams extends RequestParams {
  /**
   * URI of the resource, in any scheme that the server supports.
   *
   * @format uri
   */
  uri: string;
}

/**
 * Parameters of `resources/read`.
 *
 * @since 2025-11-25
 */
export interface ReadResourceRequestParams
  extends ResourceRequestParams, InputResponseRequestParams {}

/** A request to read a resource. */
export interface ReadResourceRequest extends JSONRPCRequest {
  method: "resources/read";
  params: ReadResourceRequestParams;
}

/** The contents of a resource. */
export interface ReadResourceResult extends CacheableResult {
  /** The contents: several entries if the resource has parts (for example a directory). */
  contents: (TextResourceContents | BlobResourceContents)[];
}

/**
 * Response to `resources/read` that reports success, or requests input first.
 *
 * @since 2026-07-28
 */
export interface ReadResourceResultResponse extends JSONRPCResultResponse {
  result: ReadResourceResult | InputRequiredResult;
}

/**
 * A notification that the server's list of resources has changed.
 *
 * The server sends it on `subscriptions/listen` streams whose filter sets `resourcesListChanged`.
 * To see the changes, fetch the list again.
 */
export interface ResourceListChangedNotification extends JSONRPCNotification {
  method: "notifications/resources/list_changed";
  params?: NotificationParams;
}

/**
 * Parameters of `notifications/resources/updated`.
 *
 * @since 2025-11-25
 */
export interface ResourceUpdatedNotificationParams extends NotificationParams {
  /**
   * URI of the changed resource, which may be a part of the resource that the client subscribed to.
   *
   * @format uri
   */
  uri: string;
}

/**
 * A notification that there is a change to a resource that the client subscribed to.
 *
 * The server sends it on `subscriptions/listen` streams whose filter lists the resource. To get the
 * new contents, read the resource again.
 */
export interface ResourceUpdatedNotification extends JSONRPCNotification {
  method: "notifications/resources/updated";
  params: ResourceUpdatedNotificationParams;
}

/** A resource that clients can read with `resources/read`. */
export interface Resource extends BaseMetadata, Icons {
  /**
   * URI that identifies the resource in requests.
   *
   * @format uri
   */
  uri: string;
  /** Description of the resource, which helps language models to select it. */
  description?: string;
  /** Media type of the contents, if known. */
  mimeType?: string;
  /** Hints for the client, such as audience and importance. */
  annotations?: Annotations;
  /**
   * Number of bytes in the contents before any encoding, if known.
   *
   * It helps to display file sizes and to predict how much context the contents will occupy.
   */
  size?: number;
  /**
   * Metadata that the sender adds to the fields that the protocol defines.
   *
   * @since 2025-06-18
   */
  _meta?: MetaObject;
}

/** A family of resources whose URIs follow one pattern. */
export interface ResourceTemplate extends BaseMetadata, Icons {
  /**
   * URI template (RFC 6570) of the resources.
   *
   * @format uri-template
   */
  uriTemplate: string;
  /** Description of the resources, which helps language models to select them. */
  description?: string;
  /** Media type of all matching resources; absent if they differ. */
  mimeType?: string;
  /** Hints for the client, such as audience and importance. */
  annotations?: Annotations;
  /**
   * Metadata that the sender adds to the fields that the protocol defines.
   *
   * @since 2025-06-18
   */
  _meta?: MetaObject;
}

/**
 * Base of the contents of a resource or of one of its parts.
 *
 * @internal
 */
export interface ResourceContents {
  /**
   * URI of the resource or part that these contents belong to.
   *
   * @format uri
   */
  uri: string;
  /** Media type of these contents, if known. */
  mimeType?: string;
  /**
   * Metadata that the sender adds to the fields that the protocol defines.
   *
   * @since 2025-06-18
   */
  _meta?: MetaObject;
}

/** Contents of a resource as text. */
export interface TextResourceContents extends ResourceContents {
  /** The text itself; binary data belongs in `BlobResourceContents`. */
  text: string;
}

/** Contents of a resource as binary data. */
export interface BlobResourceContents extends ResourceContents {
  /**
   * The bytes, encoded as base64.
   *
   * @format byte
   */
  blob: string;
}

/* Content blocks */

/**
 * One block of content in a prompt message or a tool result, distinguished by `type`.
 *
 * @since 2025-06-18
 */
export type ContentBlock =
  TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

/** Content block with text. */
export interface TextContent {
  type: "text";
  /** The text itself. */
  text: string;
  /** Hints for the client, such as audience and importance. */
  annotations?: Annotations;
  /**
   * Metadata that the sender adds to the fields that the protocol defines.
   *
   * @since 2025-06-18
   */
  _meta?: MetaObject;
}

/** Content block with an image. */
export interface ImageContent {
  type: "image";
  /**
   * The image file, encoded as base64.
   *
   * @format byte
   */
  data: string;
  /** Media type, such as `image/png`; not every model supports every type. */
  mimeType: string;
  /** Hints for the client, such as audience and importance. */
  annotations?: Annotations;
  /**
   * Metadata that the sender adds to the fields that the protocol defines.
   *
   * @since 2025-06-18
   */
  _meta?: MetaObject;
}

/**
 * Content block with audio.
 *
 * @since 2025-03-26
 */
export interface AudioContent {
  type: "audio";
  /**
   * The audio file, encoded as base64.
   *
   * @format byte
   */
  data: string;
  /** Media type, such as `audio/wav`; not every model supports every type. */
  mimeType: string;
  /** Hints for the client, such as audience and importance. */
  annotations?: Annotations;
  /**
   * Metadata that the sender adds to the fields that the protocol defines.
   *
   * @since 2025-06-18
   */
  _meta?: MetaObject;
}

/**
 * Content block that points to a resource without including its contents.
 *
 * The resource can be read by its URI even if `resources/list` does not list it.
 *
 * @since 2025-06-18
 */
export interface ResourceLink extends Resource {
  type: "resource_link";
}

/**
 * Content block that includes the contents of a resource.
 *
 * The client decides how to display it to people and how to pass it to a model.
 */
export interface EmbeddedResource {
  type: "resource";
  /** The contents, as text or as binary data. */
  resource: TextResourceContents | BlobResourceContents;
  /** Hints for the client, such as audience and importance. */
  annotations?: Annotations;
  /**
   * Metadata that the sender adds to the fields that the protocol defines.
   *
   * @since 2025-06-18
   */
  _meta?: MetaObject;
}

/* Prompts */

/** A request for the server's prompts, one page at a time. */
export interface ListPromptsRequest extends PaginatedRequest {
  method: "prompts/list";
}

/** One page of the server's prompts. */
export interface ListPromptsResult extends PaginatedResult, CacheableResult {
  /** The prompts on this page. */
  prompts: Prompt[];
}

/**
 * Response to `prompts/list` that reports success.
 *
 * @since 2026-07-28
 */
export interface ListPromptsResultResponse extends JSONRPCResultResponse {
  result: ListPromptsResult;
}

/**
 * Parameters of `prompts/get`.
 *
 * @since 2025-11-25
 */
export interface GetPromptRequestParams extends InputResponseRequestParams {
  /** Name of the prompt, as listed by `prompts/list`. */
  name: string;
  /** Arguments of the prompt by name; all values are strings. */
  arguments?: { [key: string]: string };
}

/** A request for one of the server's prompts, filled in with arguments. */
export interface GetPromptRequest extends JSONRPCRequest {
  method: "prompts/get";
  params: GetPromptRequestParams;
}

/** A prompt that is filled in and ready for a language model. */
export interface GetPromptResult extends Result {
  /** Purpose of the prompt. */
  description?: string;
  /** Messages to pass to the model, in order. */
  messages: PromptMessage[];
}

/**
 * Response to `prompts/get` that reports success, or requests input first.
 *
 * @since 2026-07-28
 */
export interface GetPromptResultResponse extends JSONRPCResultResponse {
  result: GetPromptResult | InputRequiredResult;
}

/** A prompt that clients can fetch with `prompts/get`. */
export interface Prompt extends BaseMetadata, Icons {
  /** Purpose of the prompt. */
  description?: string;
  /** Arguments of the prompt, if it has any. */
  arguments?: PromptArgument[];
  /**
   * Metadata that the sender adds to the fields that the protocol defines.
   *
   * @since 2025-06-18
   */
  _meta?: MetaObject;
}

/** One argument of a prompt. */
export interface PromptArgument extends BaseMetadata {
  /** Description of the argument, for people. */
  description?: string;
  /** True if the argument is required; by default false. */
  required?: boolean;
}

/**
 * One message of a prompt that has been filled in.
 *
 * Unlike a `SamplingMessage`, it may contain resources.
 */
export interface PromptMessage {
  /** Role of the message's author. */
  role: Role;
  /** Content of the message, as a single block. */
  content: ContentBlock;
}

/**
 * A notification that the server's list of prompts has changed.
 *
 * The server sends it on `subscriptions/listen` streams whose filter sets `promptsListChanged`. To
 * see the changes, fetch the list again.
 */
export interface PromptListChangedNotification extends JSONRPCNotification {
  method: "notifications/prompts/list_changed";
  params?: NotificationParams;
}

/* Tools */

/** A request for the server's tools, one page at a time. */
export interface ListToolsRequest extends PaginatedRequest {
  method: "tools/list";
}

/** One page of the server's tools. */
export interface ListToolsResult extends PaginatedResult, CacheableResult {
  /** The tools on this page. */
  tools: Tool[];
}

/**
 * Response to `tools/list` that reports success.
 *
 * @since 2026-07-28
 */
export interface ListToolsResultResponse extends JSONRPCResultResponse {
  result: ListToolsResult;
}

/**
 * Parameters of `tools/call`.
 *
 * @since 2025-11-25
 */
export interface CallToolRequestParams extends InputResponseRequestParams {
  /** Name of the tool, as listed by `tools/list`. */
  name: string;
  /** Arguments by name, if any, as the tool's `inputSchema` requires them. */
  arguments?: { [key: string]: unknown };
}

/** A request to call one of the server's tools. */
export interface CallToolRequest extends JSONRPCRequest {
  method: "tools/call";
  params: CallToolRequestParams;
}

/** Outcome of a tool call. */
export interface CallToolResult extends Result {
  /** Output of the tool as blocks of content, for a model or a person to read. */
  content: ContentBlock[];
  /**
   * Output of the tool as any JSON value, including null.
   *
   * It matches the tool's `outputSchema`, if the tool has one.
   *
   * @since 2025-06-18
   */
  structuredContent?: unknown;
  /**
   * True if the tool failed; by default false.
   *
   * Failures of a running tool are reported here, so that a model can see them and retry. A call
   * that cannot start, such as a call of an unknown tool, is answered with a JSON-RPC error.
   */
  isError?: boolean;
}

/**
 * Response to `tools/call` that reports success, or requests input first.
 *
 * @since 2026-07-28
 */
export interface CallToolResultResponse extends JSONRPCResultResponse {
  result: CallToolResult | InputRequiredResult;
}

/**
 * A notification that the server's list of tools has changed.
 *
 * The server sends it on `subscriptions/listen` streams whose filter sets `toolsListChanged`. To
 * see the changes, fetch the list again.
 */
export interface ToolListChangedNotification extends JSONRPCNotification {
  method: "notifications/tools/list_changed";
  params?: NotificationParams;
}

/** A tool that clients can call with `tools/call`. */
export interface Tool extends BaseMetadata, Icons {
  /** Description of the tool, which helps language models to select it. */
  description?: string;
  /**
   * JSON Schema of the arguments; its top level describes an object.
   *
   * Besides `type`, every keyword of JSON Schema is allowed. The value of a property with
   * `x-mcp-header` is repeated in an HTTP header.
   */
  inputSchema: {
    /**
     * URI of the JSON Schema dialect; by default that of draft 2020-12.
     *
     * @since 2025-11-25
     */
    $schema?: string;
    type: "object";
    [key: string]: unknown
  };
  /**
   * JSON Schema of `structuredContent` in the result, which may be of any type.
   *
   * Absent if the tool does not declare its structured output.
   *
   * @since 2025-06-18
   */
  outputSchema?: {
    /**
     * URI of the JSON Schema dialect; by default that of draft 2020-12.
     *
     * @since 2025-11-25
     */
    $schema?: string;
    [key: string]: unknown
  };
  /**
   * Hints on the behavior of the tool.
   *
   * The label to display is `title` of the tool, else `title` of the hints, else `name`.
   *
   * @since 2025-03-26
   */
  annotations?: ToolAnnotations;
  /**
   * Metadata that the sender adds to the fields that the protocol defines.
   *
   * @since 2025-06-18
   */
  _meta?: MetaObject;
}

/**
 * Hints on the behavior of a tool.
 *
 * None of them is guaranteed to be true, not even the title. Do not base the decision to call a
 * tool on them unless you trust its server.
 *
 * @since 2025-03-26
 */
export interface ToolAnnotations {
  /** Label of the tool, for people. */
  title?: string;
  /** True if the tool only reads and changes nothing; by default false. */
  readOnlyHint?: boolean;
  /**
   * True if the tool may overwrite or delete data, false if it only adds; by default true.
   *
   * Without effect if `readOnlyHint` is true.
   */
  destructiveHint?: boolean;
  /**
   * True if repeated calls with the same arguments have no further effect; by default false.
   *
   * Without effect if `readOnlyHint` is true.
   */
  idempotentHint?: boolean;
  /**
   * True if the tool interacts with the outside world, false if its domain is closed; by default
   * true.
   *
   * A web search is open in this sense; a private notebook is closed.
   */
  openWorldHint?: boolean;
}

/* Logging */

/**
 * Parameters of `notifications/message`.
 *
 * @deprecated Since 2026-07-28 (SEP-2577); it stays in the protocol for at least twelve months.
 * @since 2025-11-25
 */
export interface LoggingMessageNotificationParams extends NotificationParams {
  /** Severity of the message. */
  level: LoggingLevel;
  /** Name of the logger, if it has one. */
  logger?: string;
  /** Content of the log message: any JSON value (null too), often a string or an object. */
  data: unknown;
}

/**
 * A log message from the server.
 *
 * It is sent only for a request whose `_meta` sets a log level.
 *
 * @deprecated Since 2026-07-28 (SEP-2577); it stays in the protocol for at least twelve months.
 */
export interface LoggingMessageNotification extends JSONRPCNotification {
  method: "notifications/message";
  params: LoggingMessageNotificationParams;
}

/**
 * Severity of a log message, rising from `debug` to `emergency`.
 *
 * Names and order are those of syslog (RFC 5424).
 *
 * @deprecated Since 2026-07-28 (SEP-2577); it stays in the protocol for at least twelve months.
 */
export type LoggingLevel =
  | "debug"
  | "info"
  | "notice"
  | "warning"
  | "error"
  | "critical"
  | "alert"
  | "emergency";

/* Sampling */

/**
 * Parameters of `sampling/createMessage`.
 *
 * @deprecated Since 2026-07-28 (SEP-2577); it stays in the protocol for at least twelve months.
 * @since 2025-11-25
 */
export interface CreateMessageRequestParams {
  /** The conversation so far, oldest message first. */
  messages: SamplingMessage[];
  /** Preferences of the server for the model; not binding. */
  modelPreferences?: ModelPreferences;
  /** System prompt to use; the client may change it or leave it out. */
  systemPrompt?: string;
  /**
   * Servers whose context the client should add to the prompt, by default `none`; not binding.
   *
   * `thisServer`: the requesting server. `allServers`: all servers connected to the client. Both
   * may be removed from the protocol, and are only for clients with the capability
   * `sampling.context`.
   *
   * @deprecated Since 2025-11-25 for `thisServer` and `allServers`, by SEP-2596; they will be
   * removed with sampling (SEP-2577) or earlier. Use `none` or omit the field.
   */
  includeContext?: "none" | "thisServer" | "allServers";
  /**
   * Sampling temperature: the higher, the more varied the output.
   *
   * @TJS-type number
   */
  temperature?: number;
  /** Maximum number of tokens to generate; the client may generate fewer. */
  maxTokens: number;
  /** Strings that end the output as soon as the model generates one of them. */
  stopSequences?: string[];
  /** Settings for the provider of the model, in the provider's own format. */
  metadata?: JSONObject;
  /**
   * Tools that the model may call.
   *
   * Only for clients with the capability `sampling.tools`; others answer with an error.
   */
  tools?: Tool[];
  /**
   * Rule for the use of the tools; by default the model decides.
   *
   * Only for clients with the capability `sampling.tools`; others answer with an error.
   */
  toolChoice?: ToolChoice;
}

/**
 * A request to generate a message with a language model of the client.
 *
 * It is sent as an entry of `InputRequests`, not as a message of its own. The client selects the
 * model. It should first show the request to the user, who may refuse it.
 *
 * @deprecated Since 2026-07-28 (SEP-2577); it stays in the protocol for at least twelve months.
 */
export interface CreateMessageRequest {
  method: "sampling/createMessage";
  params: CreateMessageRequestParams;
}

/**
 * A message that a language model generated for the server.
 *
 * The client should first show it to the user, who may withhold it from the server.
 *
 * @deprecated Since 2026-07-28 (SEP-2577); it stays in the protocol for at least twelve months.
 */
export interface CreateMessageResult extends SamplingMessage {
  /** Name of the model that wrote the message. */
  model: string;
  /**
   * Reason why the output ended, if known; strings other than those listed are allowed.
   *
   * `toolUse`: the model requests tool calls before it continues.
   */
  stopReason?: "endTurn" | "stopSequence" | "maxTokens" | "toolUse" | string;
}

/**
 * One message of a conversation with a language model.
 *
 * @deprecated Since 2026-07-28 (SEP-2577); it stays in the protocol for at least twelve months.
 */
export interface SamplingMessage {
  /** Role of the message's author. */
  role: Role;
  /** Content of the message, as a single block or a list of blocks. */
  content: SamplingMessageContentBlock | SamplingMessageContentBlock[];
  /**
   * Metadata that the sender adds to the fields that the protocol defines.
   *
   * @since 2025-11-25
   */
  _meta?: MetaObject;
}

/**
 * One block of content in a message of a sampling conversation, distinguished by `type`.
 *
 * @deprecated Since 2026-07-28 (SEP-2577); it stays in the protocol for at least twelve months.
 * @since 2025-11-25
 */
export type SamplingMessageContentBlock =
  | TextContent
  | ImageContent
  | AudioContent
  | ToolUseContent
  | ToolResultContent;

/**
 * Content block in which a model requests a tool call.
 *
 * @deprecated Since 2026-07-28 (SEP-2577); it stays in the protocol for at least twelve months.
 * @since 2025-11-25
 */
export interface ToolUseContent {
  type: "tool_use";
  /** Id of the tool call; its result refers to it as `toolUseId`. */
  id: string;
  /** Name of the requested tool. */
  name: string;
  /** Arguments by name, as the tool's `inputSchema` requires them. */
  input: { [key: string]: unknown };
  /**
   * Metadata that the sender adds to the fields that the protocol defines.
   *
   * The client should keep it when it sends the block again, so that caches work.
   */
  _meta?: MetaObject;
}

/**
 * Content block with the result of a tool call, for the model.
 *
 * @deprecated Since 2026-07-28 (SEP-2577); it stays in the protocol for at least twelve months.
 * @since 2025-11-25
 */
export interface ToolResultContent {
  type: "tool_result";
  /** The `id` of the `ToolUseContent` that requested the call. */
  toolUseId: string;
  /** Output of the tool as blocks of content, as in `CallToolResult`. */
  content: ContentBlock[];
  /**
   * Output of the tool as any JSON value, including null.
   *
   * It should match the tool's `outputSchema`, if the tool has one.
   */
  structuredContent?: unknown;
  /**
   * True if the tool failed; by default false.
   *
   * The `content` should then explain the failure.
   */
  isError?: boolean;
  /**
   * Metadata that the sender adds to the fields that the protocol defines.
   *
   * The client should keep it when it sends the block again, so that caches work.
   */
  _meta?: MetaObject;
}

/**
 * Rule for the use of tools by a model.
 *
 * @deprecated Since 2026-07-28 (SEP-2577); it stays in the protocol for at least twelve months.
 * @since 2025-11-25
 */
export interface ToolChoice {
  /**
   * Freedom of the model to use tools; by default `auto`.
   *
   * `auto`: the model decides. `required`: it must call at least one tool. `none`: it must not call
   * any.
   */
  mode?: "auto" | "required" | "none";
}

/**
 * Preferences of a server for the model used for sampling.
 *
 * They are not binding: the client decides how to weigh them and may ignore them.
 *
 * @deprecated Since 2026-07-28 (SEP-2577); it stays in the protocol for at least twelve months.
 */
export interface ModelPreferences {
  /**
   * Preferred models in order; the first that the client can match wins.
   *
   * They should take precedence over the three priorities, which may decide between several
   * matches.
   */
  hints?: ModelHint[];
  /**
   * Weight of a low price, from 0 (none) to 1 (decisive).
   *
   * @TJS-type number
   * @minimum 0
   * @maximum 1
   */
  costPriority?: number;
  /**
   * Weight of a quick response, from 0 (none) to 1 (decisive).
   *
   * @TJS-type number
   * @minimum 0
   * @maximum 1
   */
  speedPriority?: number;
  /**
   * Weight of a capable model, from 0 (none) to 1 (decisive).
   *
   * @TJS-type number
   * @minimum 0
   * @maximum 1
   */
  intelligencePriority?: number;
}

/**
 * A preferred model.
 *
 * Further keys are allowed; the client decides what they mean.
 *
 * @deprecated Since 2026-07-28 (SEP-2577); it stays in the protocol for at least twelve months.
 */
export interface ModelHint {
  /**
   * Part of a model's name, such as `sonnet`; every model whose name contains it matches.
   *
   * The client may select a comparable model of another provider instead.
   */
  name?: string;
}

/* Completion */

/**
 * Parameters of `completion/complete`.
 *
 * @since 2025-11-25
 */
export interface CompleteRequestParams extends RequestParams {
  /** The prompt or resource template that the argument belongs to. */
  ref: PromptReference | ResourceTemplateReference;
  /** The argument being filled in. */
  argument: {
    /** Name of the prompt argument or template variable. */
    name: string;
    /** Text entered so far. */
    value: string;
  };
  /** Further input for the completion. */
  context?: {
    /** Values chosen for other arguments or variables, by name. */
    arguments?: { [key: string]: string };
  };
}

/** A request for completions of an argument's value. */
export interface CompleteRequest extends JSONRPCRequest {
  method: "completion/complete";
  params: CompleteRequestParams;
}

/** Completions for the value of an argument. */
export interface CompleteResult extends Result {
  /** The completions and their total number. */
  completion: {
    /**
     * Values to suggest, at most 100.
     *
     * @maxItems 100
     */
    values: string[];
    /** Number of all matches, including those not in `values`; absent if unknown. */
    total?: number;
    /** True if there are more matches than `values` holds, even if `total` is absent. */
    hasMore?: boolean;
  };
}

/**
 * Response to `completion/complete` that reports success.
 *
 * @since 2026-07-28
 */
export interface CompleteResultResponse extends JSONRPCResultResponse {
  result: CompleteResult;
}

/**
 * Reference to the resource or resource template whose variable to complete.
 *
 * @since 2025-06-18
 */
export interface ResourceTemplateReference {
  type: "ref/resource";
  /**
   * URI of the resource, or URI template.
   *
   * @format uri-template
   */
  uri: string;
}

/** Reference to the prompt whose argument to complete. */
export interface PromptReference extends BaseMetadata {
  type: "ref/prompt";
}

/* Roots */

/**
 * A request for the client's roots: the directories and files to work in.
 *
 * It is sent as an entry of `InputRequests`, not as a message of its own.
 *
 * @deprecated Since 2026-07-28 (SEP-2577); it stays in the protocol for at least twelve months.
 */
export interface ListRootsRequest {
  method: "roots/list";
  params?: {
    /** Metadata that the requester adds to the parameters of the method. */
    _meta?: MetaObject;
  };
}

/**
 * The roots of the client.
 *
 * @deprecated Since 2026-07-28 (SEP-2577); it stays in the protocol for at least twelve months.
 */
export interface ListRootsResult {
  /** All roots of the client. */
  roots: Root[];
}

/**
 * A directory or file in which the server may work.
 *
 * @deprecated Since 2026-07-28 (SEP-2577); it stays in the protocol for at least twelve months.
 */
export interface Root {
  /**
   * Location of the root; currently always a `file://` URI.
   *
   * @format uri
   */
  uri: string;
  /** Name of the root, for display and for references to it. */
  name?: string;
  /**
   * Metadata that the sender adds to the fields that the protocol defines.
   *
   * @since 2025-06-18
   */
  _meta?: MetaObject;
}

/* Elicitation */

/**
 * Parameters of `elicitation/create`, for a form or for a web page, distinguished by `mode`.
 *
 * For a form `mode` may be absent.
 *
 * @since 2025-11-25
 */
export type ElicitRequestParams = ElicitRequestFormParams | ElicitRequestURLParams;

/**
 * Parameters of `elicitation/create` for a form shown by the client.
 *
 * Forms must not request passwords or other secrets; the URL mode is for those.
 *
 * @since 2025-11-25
 */
export interface ElicitRequestFormParams {
  /** Mode of the elicitation, here a form; may be absent. */
  mode?: "form";
  /** Message to the user that describes the requested input. */
  message: string;
  /** JSON Schema of the form: one flat object of simple fields. */
  requestedSchema: {
    /** URI of the JSON Schema dialect in use. */
    $schema?: string;
    type: "object";
    /** Schema of each form field, by name. */
    properties: {
      [key: string]: PrimitiveSchemaDefinition;
    };
    /** Names of the required fields. */
    required?: string[];
  };
}

/**
 * Parameters of `elicitation/create` for a web page that the user should visit.
 *
 * The client does not see what the user enters there, so this mode is suitable for secrets.
 *
 * @since 2025-11-25
 */
export interface ElicitRequestURLParams {
  /** Mode of the elicitation, here a web page. */
  mode: "url";
  /** Message to the user that explains the reason for the visit. */
  message: string;
  /**
   * Address of the page to visit.
   *
   * @format uri
   */
  url: string;
}

/**
 * A request for input from the user.
 *
 * It is sent as an entry of `InputRequests`, not as a message of its own. Depending on `mode`, the
 * client shows a form or suggests a web page to visit; the user may refuse.
 *
 * @since 2025-06-18
 */
export interface ElicitRequest {
  method: "elicitation/create";
  params: ElicitRequestParams;
}

/**
 * Schema of one form field: text, number, yes or no, or a choice.
 *
 * The kind follows from `type`. A string with `enum` or `oneOf` is a choice, and so is every array.
 *
 * @since 2025-06-18
 */
export type PrimitiveSchemaDefinition = StringSchema | NumberSchema | BooleanSchema | EnumSchema;

/**
 * Schema of a form field for text.
 *
 * @since 2025-06-18
 */
export interface StringSchema {
  type: "string";
  /** Label of the field, for people. */
  title?: string;
  /** Explanation of the field, for people. */
  description?: string;
  /** Minimum number of characters. */
  minLength?: number;
  /** Maximum number of characters. */
  maxLength?: number;
  /** Format of the text, as named by JSON Schema. */
  format?: "email" | "uri" | "date" | "date-time";
  /**
   * Initial value of the field.
   *
   * @since 2025-11-25
   */
  default?: string;
}

/**
 * Schema of a form field for a number.
 *
 * @since 2025-06-18
 */
export interface NumberSchema {
  /** Kind of number: `integer` allows whole numbers only. */
  type: "number" | "integer";
  /** Label of the field, for people. */
  title?: string;
  /** Explanation of the field, for people. */
  description?: string;
  /**
   * Minimum value.
   *
   * @TJS-type number
   */
  minimum?: number;
  /**
   * Maximum value.
   *
   * @TJS-type number
   */
  maximum?: number;
  /**
   * Initial value of the field.
   *
   * @TJS-type number
   * @since 2025-11-25
   */
  default?: number;
}

/**
 * Schema of a form field for yes or no.
 *
 * @since 2025-06-18
 */
export interface BooleanSchema {
  type: "boolean";
  /** Label of the field, for people. */
  title?: string;
  /** Explanation of the field, for people. */
  description?: string;
  /** Initial value of the field. */
  default?: boolean;
}

/**
 * Schema of a form field for a choice of one or several from fixed values.
 *
 * @since 2025-06-18
 */
export type EnumSchema = SingleSelectEnumSchema | MultiSelectEnumSchema | LegacyTitledEnumSchema;

/**
 * Schema of a form field for a choice of one, with or without labels.
 *
 * @since 2025-11-25
 */
export type SingleSelectEnumSchema = UntitledSingleSelectEnumSchema | TitledSingleSelectEnumSchema;

/**
 * Schema of a form field in which the user chooses one of several values, which serve as their own labels.
 *
 * @since 2025-11-25
 */
export interface UntitledSingleSelectEnumSchema {
  type: "string";
  /** Label of the field, for people. */
  title?: string;
  /** Explanation of the field, for people. */
  description?: string;
  /** The values to choose from. */
  enum: string[];
  /** Initial value of the field. */
  default?: string;
}

/**
 * Schema of a form field in which the user chooses one of several values with labels.
 *
 * @since 2025-11-25
 */
export interface TitledSingleSelectEnumSchema {
  type: "string";
  /** Label of the field, for people. */
  title?: string;
  /** Explanation of the field, for people. */
  description?: string;
  /** The values to choose from, with their labels. */
  oneOf: Array<{
    /** The value itself. */
    const: string;
    /** Label of the value, for people. */
    title: string;
  }>;
  /** Initial value of the field. */
  default?: string;
}

/**
 * Schema of a form field for a choice of several, with or without labels.
 *
 * @since 2025-11-25
 */
export type MultiSelectEnumSchema = UntitledMultiSelectEnumSchema | TitledMultiSelectEnumSchema;

/**
 * Schema of a form field in which the user can choose several values, which serve as their own labels.
 *
 * @since 2025-11-25
 */
export interface UntitledMultiSelectEnumSchema {
  type: "array";
  /** Label of the field, for people. */
  title?: string;
  /** Explanation of the field, for people. */
  description?: string;
  /** Minimum number of values to choose. */
  minItems?: number;
  /** Maximum number of values to choose. */
  maxItems?: number;
  /** Schema of each chosen value. */
  items: {
    type: "string";
    /** The values to choose from. */
    enum: string[];
  };
  /** Initial values of the field. */
  default?: string[];
}

/**
 * Schema of a form field in which the user can choose several values with labels.
 *
 * @since 2025-11-25
 */
export interface TitledMultiSelectEnumSchema {
  type: "array";
  /** Label of the field, for people. */
  title?: string;
  /** Explanation of the field, for people. */
  description?: string;
  /** Minimum number of values to choose. */
  minItems?: number;
  /** Maximum number of values to choose. */
  maxItems?: number;
  /** Schema of each chosen value. */
  items: {
    /** The values to choose from, with their labels. */
    anyOf: Array<{
      /** The value itself. */
      const: string;
      /** Label of the value, for people. */
      title: string;
    }>;
  };
  /** Initial values of the field. */
  default?: string[];
}

/**
 * Legacy schema of a form field in which the user chooses one of several values with labels.
 *
 * It will be removed; use `TitledSingleSelectEnumSchema` in new code.
 *
 * @since 2025-11-25
 */
export interface LegacyTitledEnumSchema {
  type: "string";
  /** Label of the field, for people. */
  title?: string;
  /** Explanation of the field, for people. */
  description?: string;
  /** The values to choose from. */
  enum: string[];
  /**
   * Labels for the values in `enum`, in the same order.
   *
   * JSON Schema itself has no such keyword.
   */
  enumNames?: string[];
  /** Initial value of the field. */
  default?: string;
}

/**
 * Outcome of an elicitation request.
 *
 * @since 2025-06-18
 */
export interface ElicitResult {
  /**
   * Action of the user.
   *
   * `accept`: submitted the form, or agreed to visit the page. `decline`: refused explicitly.
   * `cancel`: closed it without a decision.
   */
  action: "accept" | "decline" | "cancel";
  /** Submitted values by field name; only present if a form was accepted. */
  content?: { [key: string]: string | number | boolean | string[] };
}

/* Client messages */

/**
 * Any request that a client sends, distinguished by `method`.
 *
 * @internal
 */
export type ClientRequest =
  | DiscoverRequest
  | CompleteRequest
  | GetPromptRequest
  | ListPromptsRequest
  | ListResourcesRequest
  | ListResourceTemplatesRequest
  | ReadResourceRequest
  | SubscriptionsListenRequest
  | CallToolRequest
  | ListToolsRequest;

/**
 * The only notification that a client sends.
 *
 * @internal
 */
export type ClientNotification = CancelledNotification;

/**
 * The only result that a client returns; answers to input requests are `InputResponses`.
 *
 * @internal
 */
export type ClientResult = EmptyResult;

/* Server messages */

/**
 * Any notification that a server sends, distinguished by `method`.
 *
 * @internal
 */
export type ServerNotification =
  | CancelledNotification
  | ProgressNotification
  | LoggingMessageNotification
  | ResourceUpdatedNotification
  | ResourceListChangedNotification
  | ToolListChangedNotification
  | PromptListChangedNotification
  | SubscriptionsAcknowledgedNotification;

/**
 * Any result that a server returns; its type follows from the request.
 *
 * @internal
 */
export type ServerResult =
  | EmptyResult
  | DiscoverResult
  | CompleteResult
  | GetPromptResult
  | ListPromptsResult
  | ListResourceTemplatesResult
  | ListResourcesResult
  | ReadResourceResult
  | SubscriptionsListenResult
  | CallToolResult
  | ListToolsResult
  | InputRequiredResult;
