/*
 * Model Context Protocol, revision 2025-11-25.
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
export const LATEST_PROTOCOL_VERSION = "2025-11-25";

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
 * Error code: the user has to visit a web page before the request can succeed.
 *
 * @internal
 * @since 2025-11-25
 */
export const URL_ELICITATION_REQUIRED = -32042;

/* JSON-RPC messages */

/**
 * Any JSON-RPC message that client and server may exchange.
 *
 * Its keys tell the kind: `method` and `id` make a request, `method` alone a notification, `result`
 * a response and `error` an error response.
 */
export type JSONRPCMessage = JSONRPCRequest | JSONRPCNotification | JSONRPCResponse;

/**
 * Identifier that ties a response to its request.
 *
 * The requester picks it, a new one for every request. The number `1` and the string `"1"` differ.
 */
export type RequestId = string | number;

/**
 * Token that links progress reports to the request they are about.
 *
 * The requester picks it, unique among its running requests, and puts it in the request's `_meta`.
 */
export type ProgressToken = string | number;

/**
 * Base of the parameters of all requests.
 *
 * @internal
 * @since 2025-11-25
 */
export interface RequestParams {
  /** Metadata added by the requester, apart from the parameters of the method. */
  _meta?: {
    /**
     * Set to ask for `notifications/progress` messages about this request.
     *
     * The receiver repeats the token in each of them, but is free to send none.
     */
    progressToken?: ProgressToken;
    [key: string]: unknown;
  };
}

/**
 * Base of the parameters of requests that can be executed as tasks.
 *
 * @internal
 * @since 2025-11-25
 */
export interface TaskAugmentedRequestParams extends RequestParams {
  /**
   * Set to have the request executed as a task; left out for an ordinary call.
   *
   * With it the first answer is a `CreateTaskResult`, and `tasks/result` fetches the real one
   * later. The receiver must have announced tasks for this method in its capabilities.
   */
  task?: TaskMetadata;
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
 * @internal
 * @since 2025-11-25
 */
export interface NotificationParams {
  /** Metadata added by the sender, apart from the fields the protocol defines. */
  _meta?: { [key: string]: unknown };
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
 * Base of all results, the payload of a response that reports success.
 *
 * Fields beyond the declared ones are allowed.
 */
export interface Result {
  /** Metadata added by the sender, apart from the fields the protocol defines. */
  _meta?: { [key: string]: unknown };
  [key: string]: unknown;
}

/**
 * What an error response says about the failure.
 *
 * @since 2025-11-25
 */
export interface Error {
  /** Integer for the kind of failure, such as one of the error code constants. */
  code: number;
  /** Brief explanation for people, best kept to one sentence. */
  message: string;
  /** Further details, in any JSON form the sender likes. */
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

/** Answer to a request: with `result` if it succeeded, with `error` if not. */
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
 * A tool that fails while running is reported in `CallToolResult.isError` instead.
 *
 * @since 2025-11-25
 */
export interface JSONRPCErrorResponse {
  jsonrpc: typeof JSONRPC_VERSION;
  /** Id of the request; absent if it could not be read. */
  id?: RequestId;
  /** What went wrong. */
  error: Error;
}

/** Result without fields of its own, which only confirms success. */
export type EmptyResult = Result;

/* Errors */

/**
 * Error response that asks the client to carry out URL elicitations and then try again.
 *
 * @internal
 * @since 2025-11-25
 */
export interface URLElicitationRequiredError extends Omit<JSONRPCErrorResponse, "error"> {
  /** The failure; its `data` holds the elicitations. */
  error: Error & {
    /** Always -32042. */
    code: typeof URL_ELICITATION_REQUIRED;
    /** What has to be done before the next try. */
    data: {
      /** The web pages to send the user to, each with its own id. */
      elicitations: ElicitRequestURLParams[];
      [key: string]: unknown;
    };
  };
}

/* Shared building blocks */

/** Speaker of a message: the user or the language model (`assistant`). */
export type Role = "user" | "assistant";

/**
 * Base of named things: an identifier for programs and a label for people.
 *
 * @internal
 * @since 2025-06-18
 */
export interface BaseMetadata {
  /** Identifier used by programs; shown to people only when there is no better label. */
  name: string;
  /**
   * Label for people.
   *
   * Without it show `name`, or for a tool first `annotations.title` if that is set.
   */
  title?: string;
}

/**
 * An image that stands for something in a user interface.
 *
 * @since 2025-11-25
 */
export interface Icon {
  /**
   * Where the image is: an HTTP or HTTPS address, or base64 content in a `data:` URI.
   *
   * Trust matters: fetch images only from the peer's own host or one you trust, and keep in mind
   * that SVG files can run scripts.
   *
   * @format uri
   */
  src: string;
  /** Media type to assume when the image comes with none or a vague one, such as `image/png`. */
  mimeType?: string;
  /**
   * Sizes the image is good for, such as `48x48`, or `any` for one that scales.
   *
   * Absent means that all sizes are fine.
   */
  sizes?: string[];
  /** Background the image was drawn for; absent if it fits both. */
  theme?: "light" | "dark";
}

/**
 * Base of things that can be shown with an icon.
 *
 * @internal
 * @since 2025-11-25
 */
export interface Icons {
  /**
   * Images to choose an icon from.
   *
   * A client that shows icons has to support PNG and JPEG, and should support SVG and WebP.
   */
  icons?: Icon[];
}

/** Names a piece of MCP software, client or server, and its version. */
export interface Implementation extends BaseMetadata, Icons {
  /** Version of the software (not of the protocol), in any format. */
  version: string;
  /**
   * What the software is for, in words for people.
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
 * Hints on how to use or show the object they belong to.
 *
 * @since 2025-03-26
 */
export interface Annotations {
  /** Whom the object is meant for, possibly both roles. */
  audience?: Role[];
  /**
   * Importance, from 0 (can be left out) to 1 (cannot be done without).
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
  /**
   * Id of the request to give up, which must be one the sender has made.
   *
   * It is always set for an ordinary request, and never that of a task: use `tasks/cancel` for
   * those.
   */
  requestId?: RequestId;
  /** Why the request is given up, for logs or for display. */
  reason?: string;
}

/**
 * Says that a request sent earlier is no longer wanted.
 *
 * Either side may send it about its own requests. The receiver should drop the work and not answer,
 * but an answer may already be on its way. `initialize` cannot be cancelled, and tasks are stopped
 * with `tasks/cancel` instead.
 */
export interface CancelledNotification extends JSONRPCNotification {
  method: "notifications/cancelled";
  params: CancelledNotificationParams;
}

/* Initialization */

/**
 * Parameters of `initialize`.
 *
 * @since 2025-11-25
 */
export interface InitializeRequestParams extends RequestParams {
  /** Revision the client proposes: the newest one it supports. */
  protocolVersion: string;
  /** Optional features of the client. */
  capabilities: ClientCapabilities;
  /** Name and version of the client software. */
  clientInfo: Implementation;
}

/**
 * First request of a client: offers a protocol revision and introduces itself.
 *
 * It is answered by `InitializeResult`; the client then sends `notifications/initialized`.
 */
export interface InitializeRequest extends JSONRPCRequest {
  method: "initialize";
  params: InitializeRequestParams;
}

/** Answer to `initialize`: settles the revision and introduces the server. */
export interface InitializeResult extends Result {
  /**
   * Revision the server has settled on, which can differ from the one proposed.
   *
   * A client that does not support it has to disconnect.
   */
  protocolVersion: string;
  /** Optional features of the server. */
  capabilities: ServerCapabilities;
  /** Name and version of the server software. */
  serverInfo: Implementation;
  /**
   * Advice on using this server, written for a language model.
   *
   * A client may, for instance, make it part of the system prompt.
   */
  instructions?: string;
}

/**
 * Sent by the client when it has accepted the answer to `initialize`.
 *
 * Normal operation starts with it.
 */
export interface InitializedNotification extends JSONRPCNotification {
  method: "notifications/initialized";
  params?: NotificationParams;
}

/* Capabilities */

/**
 * Optional features that a client announces to the server.
 *
 * An absent field means not supported; an empty object counts as present. Further keys are allowed.
 */
export interface ClientCapabilities {
  /** Features outside the protocol: settings by feature name. */
  experimental?: { [key: string]: object };
  /** Present when the client answers `roots/list`. */
  roots?: {
    /** True if the client sends `notifications/roots/list_changed`; absent counts as false. */
    listChanged?: boolean;
  };
  /** Present when the client answers `sampling/createMessage`. */
  sampling?: {
    /**
     * Present when the client honors values of `includeContext` other than `none`.
     *
     * @since 2025-11-25
     */
    context?: object;
    /**
     * Present when the client accepts `tools` and `toolChoice` in sampling requests.
     *
     * @since 2025-11-25
     */
    tools?: object;
  };
  /**
   * Present when the client answers `elicitation/create`.
   *
   * @since 2025-06-18
   */
  elicitation?: {
    /**
     * Present when the client shows forms; so it does if neither mode is listed.
     *
     * @since 2025-11-25
     */
    form?: object;
    /**
     * Present when the client sends users to web pages.
     *
     * @since 2025-11-25
     */
    url?: object
  };
  /**
   * Present when the client executes requests as tasks.
   *
   * @since 2025-11-25
   */
  tasks?: {
    /** Present when the client answers `tasks/list`. */
    list?: object;
    /** Present when the client answers `tasks/cancel`. */
    cancel?: object;
    /** The requests that can be executed as tasks, grouped by area. */
    requests?: {
      /** Sampling requests that can be executed as tasks. */
      sampling?: {
        /** Present when `sampling/createMessage` can be executed as a task. */
        createMessage?: object;
      };
      /** Elicitation requests that can be executed as tasks. */
      elicitation?: {
        /** Present when `elicitation/create` can be executed as a task. */
        create?: object;
      };
    };
  };
}

/**
 * Optional features that a server announces to the client.
 *
 * An absent field means not supported; an empty object counts as present. Further keys are allowed.
 */
export interface ServerCapabilities {
  /** Features outside the protocol: settings by feature name. */
  experimental?: { [key: string]: object };
  /** Present when the server sends log messages as `notifications/message`. */
  logging?: object;
  /**
   * Present when the server answers `completion/complete`.
   *
   * @since 2025-03-26
   */
  completions?: object;
  /** Present when the server has prompts to offer. */
  prompts?: {
    /** True if the server sends `notifications/prompts/list_changed`; absent counts as false. */
    listChanged?: boolean;
  };
  /** Present when the server has resources to offer. */
  resources?: {
    /** True if a client can subscribe to changes of a resource; absent counts as false. */
    subscribe?: boolean;
    /** True if the server sends `notifications/resources/list_changed`; absent counts as false. */
    listChanged?: boolean;
  };
  /** Present when the server has tools to offer. */
  tools?: {
    /** True if the server sends `notifications/tools/list_changed`; absent counts as false. */
    listChanged?: boolean;
  };
  /**
   * Present when the server executes requests as tasks.
   *
   * @since 2025-11-25
   */
  tasks?: {
    /** Present when the server answers `tasks/list`. */
    list?: object;
    /** Present when the server answers `tasks/cancel`. */
    cancel?: object;
    /** The requests that can be executed as tasks, grouped by area. */
    requests?: {
      /** Tool requests that can be executed as tasks. */
      tools?: {
        /** Present when `tools/call` can be executed as a task. */
        call?: object;
      };
    };
  };
}

/* Ping */

/**
 * Checks whether the other side is alive; either side may send it.
 *
 * The answer is an empty result, sent without delay. A side that stays silent may be disconnected.
 */
export interface PingRequest extends JSONRPCRequest {
  method: "ping";
  params?: RequestParams;
}

/* Progress */

/**
 * Parameters of `notifications/progress`.
 *
 * @since 2025-11-25
 */
export interface ProgressNotificationParams extends NotificationParams {
  /** Token from the `_meta` of the request being worked on. */
  progressToken: ProgressToken;
  /**
   * Work done so far, in any unit; it grows from report to report.
   *
   * @TJS-type number
   */
  progress: number;
  /**
   * Work to do in all, in the unit of `progress`; absent if unknown.
   *
   * @TJS-type number
   */
  total?: number;
  /** Text for people on the state of the work. */
  message?: string;
}

/**
 * Reports how far the work on a request has come.
 *
 * Sent by the side that does the work, and only if the request carried a progress token.
 */
export interface ProgressNotification extends JSONRPCNotification {
  method: "notifications/progress";
  params: ProgressNotificationParams;
}

/* Pagination */

/**
 * Opaque position in a list that is read page by page.
 *
 * Hand it back unchanged; its content has a meaning only for the side that issued it.
 */
export type Cursor = string;

/**
 * Base of the parameters of requests for a list that is returned page by page.
 *
 * @internal
 * @since 2025-11-25
 */
export interface PaginatedRequestParams extends RequestParams {
  /** Where to continue: `nextCursor` of the page before. Leave it out to get the first page. */
  cursor?: Cursor;
}

/**
 * Base of requests for a list that is returned page by page.
 *
 * @internal
 */
export interface PaginatedRequest extends JSONRPCRequest {
  params?: PaginatedRequestParams;
}

/**
 * Base of results that hold one page of a list.
 *
 * @internal
 */
export interface PaginatedResult extends Result {
  /** Cursor to ask for the next page with; absent on the last page. */
  nextCursor?: Cursor;
}

/* Resources */

/** Asks the server for its resources, page by page. */
export interface ListResourcesRequest extends PaginatedRequest {
  method: "resources/list";
}

/** One page of the server's resources. */
export interface ListResourcesResult extends PaginatedResult {
  /** The resources on this page. */
  resources: Resource[];
}

/** Asks the server for its resource templates, page by page. */
export interface ListResourceTemplatesRequest extends PaginatedRequest {
  method: "resources/templates/list";
}

/** One page of the server's resource templates. */
export interface ListResourceTemplatesResult extends PaginatedResult {
  /** The resource templates on this page. */
  resourceTemplates: ResourceTemplate[];
}

/**
 * Base of the parameters of requests about one resource.
 *
 * @internal
 * @since 2025-11-25
 */
export interface ResourceRequestParams extends RequestParams {
  /**
   * URI of the resource concerned, in any scheme the server understands.
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
export interface ReadResourceRequestParams extends ResourceRequestParams {}

/** Asks the server for the contents of a resource. */
export interface ReadResourceRequest extends JSONRPCRequest {
  method: "resources/read";
  params: ReadResourceRequestParams;
}

/** The contents of a resource. */
export interface ReadResourceResult extends Result {
  /** The contents, in several entries if the resource has parts (say, a directory). */
  contents: (TextResourceContents | BlobResourceContents)[];
}

/**
 * Sent by the server when its list of resources has changed.
 *
 * No subscription is needed, only the capability `resources.listChanged`. Fetch the list again to
 * see the changes.
 */
export interface ResourceListChangedNotification extends JSONRPCNotification {
  method: "notifications/resources/list_changed";
  params?: NotificationParams;
}

/**
 * Parameters of `resources/subscribe`.
 *
 * @since 2025-11-25
 */
export interface SubscribeRequestParams extends ResourceRequestParams {}

/**
 * Asks the server to report changes of a resource.
 *
 * It needs the capability `resources.subscribe`; reports come as `notifications/resources/updated`.
 */
export interface SubscribeRequest extends JSONRPCRequest {
  method: "resources/subscribe";
  params: SubscribeRequestParams;
}

/**
 * Parameters of `resources/unsubscribe`.
 *
 * @since 2025-11-25
 */
export interface UnsubscribeRequestParams extends ResourceRequestParams {}

/** Ends a subscription made with `resources/subscribe`. */
export interface UnsubscribeRequest extends JSONRPCRequest {
  method: "resources/unsubscribe";
  params: UnsubscribeRequestParams;
}

/**
 * Parameters of `notifications/resources/updated`.
 *
 * @since 2025-11-25
 */
export interface ResourceUpdatedNotificationParams extends NotificationParams {
  /**
   * URI of what has changed, possibly a part of the resource subscribed to.
   *
   * @format uri
   */
  uri: string;
}

/**
 * Sent by the server when a resource the client subscribed to has changed.
 *
 * It carries no contents: read the resource again to get them.
 */
export interface ResourceUpdatedNotification extends JSONRPCNotification {
  method: "notifications/resources/updated";
  params: ResourceUpdatedNotificationParams;
}

/** Describes a resource that can be fetched with `resources/read`. */
export interface Resource extends BaseMetadata, Icons {
  /**
   * URI that identifies the resource in requests.
   *
   * @format uri
   */
  uri: string;
  /** What the resource holds, in words that help a language model choose. */
  description?: string;
  /** Media type of the contents, if known. */
  mimeType?: string;
  /** Hints for the client on audience, importance and the like. */
  annotations?: Annotations;
  /**
   * Number of bytes in the contents before any encoding, if known.
   *
   * It helps to show file sizes and to foresee how much context will be taken up.
   */
  size?: number;
  /**
   * Metadata added by the sender, apart from the fields the protocol defines.
   *
   * @since 2025-06-18
   */
  _meta?: { [key: string]: unknown };
}

/** Describes a family of resources whose URIs follow one pattern. */
export interface ResourceTemplate extends BaseMetadata, Icons {
  /**
   * Pattern of the URIs, in the syntax of RFC 6570.
   *
   * @format uri-template
   */
  uriTemplate: string;
  /** What the resources are for, in words that help a language model choose. */
  description?: string;
  /** Media type that every matching resource has; absent if they differ. */
  mimeType?: string;
  /** Hints for the client on audience, importance and the like. */
  annotations?: Annotations;
  /**
   * Metadata added by the sender, apart from the fields the protocol defines.
   *
   * @since 2025-06-18
   */
  _meta?: { [key: string]: unknown };
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
   * Metadata added by the sender, apart from the fields the protocol defines.
   *
   * @since 2025-06-18
   */
  _meta?: { [key: string]: unknown };
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
 * One block of content in a prompt message or a tool result.
 *
 * The `type` field tells which.
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
  /** Hints for the client on audience, importance and the like. */
  annotations?: Annotations;
  /**
   * Metadata added by the sender, apart from the fields the protocol defines.
   *
   * @since 2025-06-18
   */
  _meta?: { [key: string]: unknown };
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
  /** Media type, such as `image/png`; not every model takes every type. */
  mimeType: string;
  /** Hints for the client on audience, importance and the like. */
  annotations?: Annotations;
  /**
   * Metadata added by the sender, apart from the fields the protocol defines.
   *
   * @since 2025-06-18
   */
  _meta?: { [key: string]: unknown };
}

/**
 * Content block with sound.
 *
 * @since 2025-03-26
 */
export interface AudioContent {
  type: "audio";
  /**
   * The sound file, encoded as base64.
   *
   * @format byte
   */
  data: string;
  /** Media type, such as `audio/wav`; not every model takes every type. */
  mimeType: string;
  /** Hints for the client on audience, importance and the like. */
  annotations?: Annotations;
  /**
   * Metadata added by the sender, apart from the fields the protocol defines.
   *
   * @since 2025-06-18
   */
  _meta?: { [key: string]: unknown };
}

/**
 * Content block that points to a resource without including its contents.
 *
 * The resource can be read by its URI even if `resources/list` does not mention it.
 *
 * @since 2025-06-18
 */
export interface ResourceLink extends Resource {
  type: "resource_link";
}

/**
 * Content block that includes the contents of a resource.
 *
 * The client decides how to show it to people and how to pass it to a model.
 */
export interface EmbeddedResource {
  type: "resource";
  /** The contents, as text or as binary data. */
  resource: TextResourceContents | BlobResourceContents;
  /** Hints for the client on audience, importance and the like. */
  annotations?: Annotations;
  /**
   * Metadata added by the sender, apart from the fields the protocol defines.
   *
   * @since 2025-06-18
   */
  _meta?: { [key: string]: unknown };
}

/* Prompts */

/** Asks the server for its prompts, page by page. */
export interface ListPromptsRequest extends PaginatedRequest {
  method: "prompts/list";
}

/** One page of the server's prompts. */
export interface ListPromptsResult extends PaginatedResult {
  /** The prompts on this page. */
  prompts: Prompt[];
}

/**
 * Parameters of `prompts/get`.
 *
 * @since 2025-11-25
 */
export interface GetPromptRequestParams extends RequestParams {
  /** Name of the prompt, as found in `prompts/list`. */
  name: string;
  /** Values to fill in, by argument name; always strings. */
  arguments?: { [key: string]: string };
}

/** Asks the server for one of its prompts, filled in with arguments. */
export interface GetPromptRequest extends JSONRPCRequest {
  method: "prompts/get";
  params: GetPromptRequestParams;
}

/** A prompt filled in and ready for a language model. */
export interface GetPromptResult extends Result {
  /** What the prompt is meant for. */
  description?: string;
  /** The messages to give to the model, in order. */
  messages: PromptMessage[];
}

/** Describes a prompt that can be fetched with `prompts/get`. */
export interface Prompt extends BaseMetadata, Icons {
  /** What the prompt is meant for. */
  description?: string;
  /** The arguments it takes, if any. */
  arguments?: PromptArgument[];
  /**
   * Metadata added by the sender, apart from the fields the protocol defines.
   *
   * @since 2025-06-18
   */
  _meta?: { [key: string]: unknown };
}

/** One argument of a prompt. */
export interface PromptArgument extends BaseMetadata {
  /** What to pass for it, in words for people. */
  description?: string;
  /** True if it has to be passed; absent counts as false. */
  required?: boolean;
}

/**
 * One message of a prompt that has been filled in.
 *
 * Unlike a `SamplingMessage`, it may hold resources.
 */
export interface PromptMessage {
  /** Speaker of the message. */
  role: Role;
  /** What is said, as one block of content. */
  content: ContentBlock;
}

/**
 * Sent by the server when its list of prompts has changed.
 *
 * No subscription is needed, only the capability `prompts.listChanged`. Fetch the list again to see
 * the changes.
 */
export interface PromptListChangedNotification extends JSONRPCNotification {
  method: "notifications/prompts/list_changed";
  params?: NotificationParams;
}

/* Tools */

/** Asks the server for its tools, page by page. */
export interface ListToolsRequest extends PaginatedRequest {
  method: "tools/list";
}

/** One page of the server's tools. */
export interface ListToolsResult extends PaginatedResult {
  /** The tools on this page. */
  tools: Tool[];
}

/**
 * Parameters of `tools/call`.
 *
 * @since 2025-11-25
 */
export interface CallToolRequestParams extends TaskAugmentedRequestParams {
  /** Name of the tool, as found in `tools/list`. */
  name: string;
  /** Arguments by name, if any, as the tool's `inputSchema` wants them. */
  arguments?: { [key: string]: unknown };
}

/** Asks the server to run one of its tools. */
export interface CallToolRequest extends JSONRPCRequest {
  method: "tools/call";
  params: CallToolRequestParams;
}

/** Outcome of a tool call. */
export interface CallToolResult extends Result {
  /** Output of the tool as blocks of content, for a model or a person to read. */
  content: ContentBlock[];
  /**
   * Output of the tool as a JSON object.
   *
   * It follows the tool's `outputSchema` if there is one.
   *
   * @since 2025-06-18
   */
  structuredContent?: { [key: string]: unknown };
  /**
   * True if the tool failed; absent counts as false.
   *
   * Failures while a tool runs belong here, where a model can see them and try again. A call that
   * cannot even start, say of an unknown tool, is answered by a JSON-RPC error.
   */
  isError?: boolean;
}

/**
 * Sent by the server when its list of tools has changed.
 *
 * No subscription is needed, only the capability `tools.listChanged`. Fetch the list again to see
 * the changes.
 */
export interface ToolListChangedNotification extends JSONRPCNotification {
  method: "notifications/tools/list_changed";
  params?: NotificationParams;
}

/** Describes a tool that can be run with `tools/call`. */
export interface Tool extends BaseMetadata, Icons {
  /** What the tool does, in words that help a language model choose. */
  description?: string;
  /** JSON Schema of the arguments; its top level describes an object. */
  inputSchema: {
    /**
     * URI of the JSON Schema dialect in use; absent means draft 2020-12.
     *
     * @since 2025-11-25
     */
    $schema?: string;
    type: "object";
    /** Schema of each argument, by name. */
    properties?: { [key: string]: object };
    /** Names of the arguments that have to be passed. */
    required?: string[];
  };
  /**
   * How calls of the tool may be executed.
   *
   * @since 2025-11-25
   */
  execution?: ToolExecution;
  /**
   * JSON Schema of `structuredContent` in the result; its top level describes an object.
   *
   * It is absent if the tool does not declare its structured output.
   *
   * @since 2025-06-18
   */
  outputSchema?: {
    /**
     * URI of the JSON Schema dialect in use; absent means draft 2020-12.
     *
     * @since 2025-11-25
     */
    $schema?: string;
    type: "object";
    /** Schema of each output field, by name. */
    properties?: { [key: string]: object };
    /** Names of the output fields that are always there. */
    required?: string[];
  };
  /**
   * Hints on how the tool behaves.
   *
   * They may hold a label too: show `title` of the tool, else `title` of the hints, else `name`.
   *
   * @since 2025-03-26
   */
  annotations?: ToolAnnotations;
  /**
   * Metadata added by the sender, apart from the fields the protocol defines.
   *
   * @since 2025-06-18
   */
  _meta?: { [key: string]: unknown };
}

/**
 * Says how calls of a tool may be executed.
 *
 * @since 2025-11-25
 */
export interface ToolExecution {
  /**
   * Whether a call may be made as a task; absent counts as `forbidden`.
   *
   * `forbidden`: it must not. `optional`: the caller decides. `required`: it must.
   */
  taskSupport?: "forbidden" | "optional" | "required";
}

/**
 * Hints on how a tool behaves.
 *
 * Nothing in it is certain to be true, not even the title. Do not rely on it for a decision to run
 * a tool of a server you do not trust.
 *
 * @since 2025-03-26
 */
export interface ToolAnnotations {
  /** Label of the tool, for people. */
  title?: string;
  /** True if the tool changes nothing around it; absent counts as false. */
  readOnlyHint?: boolean;
  /**
   * True if the tool may overwrite or delete, false if it only adds; absent counts as true.
   *
   * It has no meaning when `readOnlyHint` is true.
   */
  destructiveHint?: boolean;
  /**
   * True if repeating a call unchanged has no further effect; absent counts as false.
   *
   * It has no meaning when `readOnlyHint` is true.
   */
  idempotentHint?: boolean;
  /**
   * True if the tool deals with things outside a fixed domain; absent counts as true.
   *
   * Searching the web is open in this sense, a private notebook is not.
   */
  openWorldHint?: boolean;
}

/* Tasks */

/**
 * How far a task has got.
 *
 * `working`: in progress. `input_required`: waits for something from the requester, such as the
 * answer to an elicitation. `completed`: done, with a result to fetch. `failed`: ended by an error,
 * or by a tool result with `isError`. `cancelled`: stopped before it was done. The last three are
 * final.
 *
 * @since 2025-11-25
 */
export type TaskStatus =
  | "working"
  | "input_required"
  | "completed"
  | "failed"
  | "cancelled";

/**
 * A request that is executed in the background, and how far it has got.
 *
 * @since 2025-11-25
 */
export interface Task {
  /** Id of the task, picked by the side that executes it. */
  taskId: string;
  /** How far the task has got. */
  status: TaskStatus;
  /** Text for people on the status, such as why the task failed or what came of it. */
  statusMessage?: string;
  /** Time of creation in ISO 8601 form. */
  createdAt: string;
  /** Time of the last change in ISO 8601 form. */
  lastUpdatedAt: string;
  /**
   * How long the task is kept, in milliseconds from its creation; null means forever.
   *
   * @nullable
   */
  ttl: number | null;
  /** How many milliseconds to wait between one `tasks/get` and the next; not binding. */
  pollInterval?: number;
}

/**
 * Asks for a request to be executed as a task, and on what terms.
 *
 * @since 2025-11-25
 */
export interface TaskMetadata {
  /**
   * How long to keep the task, in milliseconds from its creation.
   *
   * The receiver decides if it is absent, and may keep the task for another time anyway.
   */
  ttl?: number;
}

/**
 * Names the task that a message has to do with.
 *
 * It goes into `_meta`, with `io.modelcontextprotocol/related-task` as its key.
 *
 * @since 2025-11-25
 */
export interface RelatedTaskMetadata {
  /** Id of the task. */
  taskId: string;
}

/**
 * First answer to a request executed as a task; the real one is fetched later.
 *
 * @since 2025-11-25
 */
export interface CreateTaskResult extends Result {
  /** The new task. */
  task: Task;
}

/**
 * Asks how far a task has got; either side may send it.
 *
 * @since 2025-11-25
 */
export interface GetTaskRequest extends JSONRPCRequest {
  method: "tasks/get";
  params: {
    /** Id of the task to report on. */
    taskId: string;
  };
}

/**
 * State of a task, in answer to `tasks/get`.
 *
 * @since 2025-11-25
 */
export type GetTaskResult = Result & Task;

/**
 * Asks for the outcome of a task; either side may send it.
 *
 * The answer comes when the task has ended.
 *
 * @since 2025-11-25
 */
export interface GetTaskPayloadRequest extends JSONRPCRequest {
  method: "tasks/result";
  params: {
    /** Id of the task whose outcome is wanted. */
    taskId: string;
  };
}

/**
 * Outcome of a task: the result that the request would have had without a task.
 *
 * All of its fields depend on that request; after `tools/call` they are those of `CallToolResult`.
 *
 * @since 2025-11-25
 */
export interface GetTaskPayloadResult extends Result {
  [key: string]: unknown;
}

/**
 * Asks for a task to be stopped; either side may send it.
 *
 * @since 2025-11-25
 */
export interface CancelTaskRequest extends JSONRPCRequest {
  method: "tasks/cancel";
  params: {
    /** Id of the task to stop. */
    taskId: string;
  };
}

/**
 * State of a task that was stopped, in answer to `tasks/cancel`.
 *
 * @since 2025-11-25
 */
export type CancelTaskResult = Result & Task;

/**
 * Asks the other side for its tasks, page by page.
 *
 * @since 2025-11-25
 */
export interface ListTasksRequest extends PaginatedRequest {
  method: "tasks/list";
}

/**
 * One page of tasks.
 *
 * @since 2025-11-25
 */
export interface ListTasksResult extends PaginatedResult {
  /** The tasks on this page. */
  tasks: Task[];
}

/**
 * Parameters of `notifications/tasks/status`: the whole task in its new state.
 *
 * @since 2025-11-25
 */
export type TaskStatusNotificationParams = NotificationParams & Task;

/**
 * Sent by the side that executes a task when its status has changed.
 *
 * It is optional: the other side should keep asking with `tasks/get`.
 *
 * @since 2025-11-25
 */
export interface TaskStatusNotification extends JSONRPCNotification {
  method: "notifications/tasks/status";
  params: TaskStatusNotificationParams;
}

/* Logging */

/**
 * Parameters of `logging/setLevel`.
 *
 * @since 2025-11-25
 */
export interface SetLevelRequestParams extends RequestParams {
  /** Lowest severity wanted; whatever is more severe is sent as well. */
  level: LoggingLevel;
}

/** Sets how severe log messages must be for the server to send them. */
export interface SetLevelRequest extends JSONRPCRequest {
  method: "logging/setLevel";
  params: SetLevelRequestParams;
}

/**
 * Parameters of `notifications/message`.
 *
 * @since 2025-11-25
 */
export interface LoggingMessageNotificationParams extends NotificationParams {
  /** Severity of the message. */
  level: LoggingLevel;
  /** Name of the logger, if it has one. */
  logger?: string;
  /** What is logged: any JSON value (null too), often a string or an object. */
  data: unknown;
}

/**
 * A log message from the server.
 *
 * As long as the client has set no level, the server decides by itself what to send.
 */
export interface LoggingMessageNotification extends JSONRPCNotification {
  method: "notifications/message";
  params: LoggingMessageNotificationParams;
}

/**
 * Severity of a log message, rising from `debug` to `emergency`.
 *
 * Names and order are those of syslog (RFC 5424).
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
 * @since 2025-11-25
 */
export interface CreateMessageRequestParams extends TaskAugmentedRequestParams {
  /** The conversation so far, oldest message first. */
  messages: SamplingMessage[];
  /** What kind of model the server would like; not binding. */
  modelPreferences?: ModelPreferences;
  /** System prompt to use; the client may change it or leave it out. */
  systemPrompt?: string;
  /**
   * Whose context the client should add to the prompt; not binding.
   *
   * `thisServer` is the server that asks, `allServers` all that are connected to the client; both
   * may be dropped from the protocol, and are only for clients with the capability
   * `sampling.context`. Absent counts as `none`.
   */
  includeContext?: "none" | "thisServer" | "allServers";
  /**
   * Sampling temperature: the higher, the more varied the output.
   *
   * @TJS-type number
   */
  temperature?: number;
  /** Upper limit of tokens to generate; the client may stay below it. */
  maxTokens: number;
  /** Strings that end the output as soon as the model writes one of them. */
  stopSequences?: string[];
  /** Settings handed on to the provider of the model, in that provider's own form. */
  metadata?: object;
  /**
   * Tools the model may use.
   *
   * Only for clients with the capability `sampling.tools`; others answer with an error.
   */
  tools?: Tool[];
  /**
   * Whether the model has to use the tools; absent leaves it to the model.
   *
   * Only for clients with the capability `sampling.tools`; others answer with an error.
   */
  toolChoice?: ToolChoice;
}

/**
 * Asks the client to have a language model write a message.
 *
 * Sent by the server. The client picks the model. It should first show the request to the user, who
 * may refuse it.
 */
export interface CreateMessageRequest extends JSONRPCRequest {
  method: "sampling/createMessage";
  params: CreateMessageRequestParams;
}

/**
 * The message that a language model wrote for the server.
 *
 * Sent by the client, which should first show it to the user, who may keep it from the server.
 */
export interface CreateMessageResult extends Result, SamplingMessage {
  /** Name of the model that wrote the message. */
  model: string;
  /**
   * Why the output ended, if known; other strings than those listed may occur.
   *
   * `toolUse` says that the model wants tools to be called before it goes on.
   */
  stopReason?: "endTurn" | "stopSequence" | "maxTokens" | "toolUse" | string;
}

/** One message of a conversation with a language model. */
export interface SamplingMessage {
  /** Speaker of the message. */
  role: Role;
  /** What is said, as one block of content or a list of them. */
  content: SamplingMessageContentBlock | SamplingMessageContentBlock[];
  /**
   * Metadata added by the sender, apart from the fields the protocol defines.
   *
   * @since 2025-11-25
   */
  _meta?: { [key: string]: unknown };
}

/**
 * One block of content in a message of a sampling conversation.
 *
 * The `type` field tells which.
 *
 * @since 2025-11-25
 */
export type SamplingMessageContentBlock =
  | TextContent
  | ImageContent
  | AudioContent
  | ToolUseContent
  | ToolResultContent;

/**
 * Content block in which a model asks for a tool to be called.
 *
 * @since 2025-11-25
 */
export interface ToolUseContent {
  type: "tool_use";
  /** Id of this call, to which the `toolUseId` of its outcome refers. */
  id: string;
  /** Name of the tool to run. */
  name: string;
  /** Arguments by name, as the tool's `inputSchema` wants them. */
  input: { [key: string]: unknown };
  /**
   * Metadata added by the sender, apart from the fields the protocol defines.
   *
   * Repeat it whenever the block is sent again, for the sake of caching.
   */
  _meta?: { [key: string]: unknown };
}

/**
 * Content block that hands the outcome of a tool call back to the model.
 *
 * @since 2025-11-25
 */
export interface ToolResultContent {
  type: "tool_result";
  /** The `id` of the `ToolUseContent` that asked for the call. */
  toolUseId: string;
  /** Output of the tool as blocks of content, as in `CallToolResult`. */
  content: ContentBlock[];
  /**
   * Output of the tool as a JSON object.
   *
   * It should follow the tool's `outputSchema` if there is one.
   */
  structuredContent?: { [key: string]: unknown };
  /** True if the tool failed, as `content` should explain; absent counts as false. */
  isError?: boolean;
  /**
   * Metadata added by the sender, apart from the fields the protocol defines.
   *
   * Repeat it whenever the block is sent again, for the sake of caching.
   */
  _meta?: { [key: string]: unknown };
}

/**
 * Says whether a model has to use tools.
 *
 * @since 2025-11-25
 */
export interface ToolChoice {
  /**
   * How free the model is; absent counts as `auto`.
   *
   * `auto`: it decides by itself. `required`: it has to use at least one tool. `none`: it must do
   * without.
   */
  mode?: "auto" | "required" | "none";
}

/**
 * What a server would like of the model used for sampling.
 *
 * All of it is advice: the client decides how to weigh it, or whether to follow it at all.
 */
export interface ModelPreferences {
  /**
   * Models wanted, in order: the first that can be met wins.
   *
   * They go before the three priorities, which may settle a choice between several matches.
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
   * Weight of a quick answer, from 0 (none) to 1 (decisive).
   *
   * @TJS-type number
   * @minimum 0
   * @maximum 1
   */
  speedPriority?: number;
  /**
   * Weight of an able model, from 0 (none) to 1 (decisive).
   *
   * @TJS-type number
   * @minimum 0
   * @maximum 1
   */
  intelligencePriority?: number;
}

/**
 * One wish for a model.
 *
 * Further keys may occur; what they mean is left to the client.
 */
export interface ModelHint {
  /**
   * Part of a model's name, such as `sonnet`; every model whose name contains it matches.
   *
   * The client may take a comparable model of another make instead.
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
    /** What has been entered so far. */
    value: string;
  };
  /** What else is known already. */
  context?: {
    /** Values chosen for other arguments or variables, by name. */
    arguments?: { [key: string]: string };
  };
}

/** Asks the server how the value of an argument could be completed. */
export interface CompleteRequest extends JSONRPCRequest {
  method: "completion/complete";
  params: CompleteRequestParams;
}

/** Completions for the value of an argument. */
export interface CompleteResult extends Result {
  /** The completions, and how complete the list is. */
  completion: {
    /** Values to suggest, at most 100. */
    values: string[];
    /** Number of matches, counting those left out here; absent if unknown. */
    total?: number;
    /** True if matches were left out, with or without a `total` to say how many. */
    hasMore?: boolean;
  };
}

/**
 * Names the resource or resource template whose variable is to be completed.
 *
 * @since 2025-06-18
 */
export interface ResourceTemplateReference {
  type: "ref/resource";
  /**
   * URI, or URI pattern of a template.
   *
   * @format uri-template
   */
  uri: string;
}

/** Names the prompt whose argument is to be completed. */
export interface PromptReference extends BaseMetadata {
  type: "ref/prompt";
}

/* Roots */

/**
 * Asks the client for its roots: the directories and files to work in.
 *
 * Sent by the server.
 */
export interface ListRootsRequest extends JSONRPCRequest {
  method: "roots/list";
  params?: RequestParams;
}

/** The roots of the client. */
export interface ListRootsResult extends Result {
  /** All roots of the client. */
  roots: Root[];
}

/** A directory or file in which the server may work. */
export interface Root {
  /**
   * Location of the root; so far always a `file://` URI.
   *
   * @format uri
   */
  uri: string;
  /** Label for people, also useful to speak of the root elsewhere. */
  name?: string;
  /**
   * Metadata added by the sender, apart from the fields the protocol defines.
   *
   * @since 2025-06-18
   */
  _meta?: { [key: string]: unknown };
}

/**
 * Sent by the client when its list of roots has changed.
 *
 * The server should then send `roots/list` again.
 */
export interface RootsListChangedNotification extends JSONRPCNotification {
  method: "notifications/roots/list_changed";
  params?: NotificationParams;
}

/* Elicitation */

/**
 * Parameters of `elicitation/create`, for a form or for a web page.
 *
 * The `mode` field tells which; a form may leave it out.
 *
 * @since 2025-11-25
 */
export type ElicitRequestParams = ElicitRequestFormParams | ElicitRequestURLParams;

/**
 * Parameters of `elicitation/create` for a form shown by the client.
 *
 * Passwords and other secrets must not be asked for in this way; the URL mode is for those.
 *
 * @since 2025-11-25
 */
export interface ElicitRequestFormParams extends TaskAugmentedRequestParams {
  /** Says that a form is meant, which is also the case if it is absent. */
  mode?: "form";
  /** Text for the user that says what is wanted. */
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
    /** Names of the fields that have to be filled in. */
    required?: string[];
  };
}

/**
 * Parameters of `elicitation/create` for a web page the user is asked to visit.
 *
 * What is entered there goes past the client, so this way suits secrets.
 *
 * @since 2025-11-25
 */
export interface ElicitRequestURLParams extends TaskAugmentedRequestParams {
  /** Says that a web page is meant. */
  mode: "url";
  /** Text for the user that says why the page should be visited. */
  message: string;
  /** Id of the elicitation, unique within the server; opaque to the client. */
  elicitationId: string;
  /**
   * Address of the page to visit.
   *
   * @format uri
   */
  url: string;
}

/**
 * Asks the client to get some information from the user.
 *
 * Sent by the server. The client shows a form or proposes a web page to visit, depending on `mode`;
 * the user may refuse.
 *
 * @since 2025-06-18
 */
export interface ElicitRequest extends JSONRPCRequest {
  method: "elicitation/create";
  params: ElicitRequestParams;
}

/**
 * Schema of one form field: text, number, yes or no, or a choice.
 *
 * The `type` field tells which, and a string schema with `enum` or `oneOf` is a choice, as is every
 * array.
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
  /** Least number of characters. */
  minLength?: number;
  /** Greatest number of characters. */
  maxLength?: number;
  /** Form the text must have, as named by JSON Schema. */
  format?: "email" | "uri" | "date" | "date-time";
  /**
   * Value the field starts with.
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
   * Least value allowed.
   *
   * @TJS-type number
   */
  minimum?: number;
  /**
   * Greatest value allowed.
   *
   * @TJS-type number
   */
  maximum?: number;
  /**
   * Value the field starts with.
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
  /** Value the field starts with. */
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
 * Schema of a form field for a choice of one from values that serve as their own labels.
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
  /** Value the field starts with. */
  default?: string;
}

/**
 * Schema of a form field for a choice of one from values with labels.
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
  /** Value the field starts with. */
  default?: string;
}

/**
 * Schema of a form field for a choice of several, with or without labels.
 *
 * @since 2025-11-25
 */
export type MultiSelectEnumSchema = UntitledMultiSelectEnumSchema | TitledMultiSelectEnumSchema;

/**
 * Schema of a form field for a choice of several from values that serve as their own labels.
 *
 * @since 2025-11-25
 */
export interface UntitledMultiSelectEnumSchema {
  type: "array";
  /** Label of the field, for people. */
  title?: string;
  /** Explanation of the field, for people. */
  description?: string;
  /** Least number of values to choose. */
  minItems?: number;
  /** Greatest number of values to choose. */
  maxItems?: number;
  /** Schema of each value chosen. */
  items: {
    type: "string";
    /** The values to choose from. */
    enum: string[];
  };
  /** Values the field starts with. */
  default?: string[];
}

/**
 * Schema of a form field for a choice of several from values with labels.
 *
 * @since 2025-11-25
 */
export interface TitledMultiSelectEnumSchema {
  type: "array";
  /** Label of the field, for people. */
  title?: string;
  /** Explanation of the field, for people. */
  description?: string;
  /** Least number of values to choose. */
  minItems?: number;
  /** Greatest number of values to choose. */
  maxItems?: number;
  /** Schema of each value chosen. */
  items: {
    /** The values to choose from, with their labels. */
    anyOf: Array<{
      /** The value itself. */
      const: string;
      /** Label of the value, for people. */
      title: string;
    }>;
  };
  /** Values the field starts with. */
  default?: string[];
}

/**
 * Old schema of a form field for a choice of one from values with labels.
 *
 * It will go away; use `TitledSingleSelectEnumSchema` in new code.
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
  /** Value the field starts with. */
  default?: string;
}

/**
 * What the user made of an elicitation request.
 *
 * @since 2025-06-18
 */
export interface ElicitResult extends Result {
  /**
   * What the user did.
   *
   * `accept`: sent the form off, or agreed to visit the page. `decline`: refused outright.
   * `cancel`: closed it without deciding.
   */
  action: "accept" | "decline" | "cancel";
  /** The values entered, by field name; only there if a form was accepted. */
  content?: { [key: string]: string | number | boolean | string[] };
}

/**
 * Sent by the server when the user is done with a web page it asked to have visited.
 *
 * It is optional.
 *
 * @since 2025-11-25
 */
export interface ElicitationCompleteNotification extends JSONRPCNotification {
  method: "notifications/elicitation/complete";
  params: {
    /** The `elicitationId` of the elicitation that has ended. */
    elicitationId: string;
  };
}

/* Client messages */

/**
 * Any request that a client sends; `method` tells which.
 *
 * @internal
 */
export type ClientRequest =
  | PingRequest
  | InitializeRequest
  | CompleteRequest
  | SetLevelRequest
  | GetPromptRequest
  | ListPromptsRequest
  | ListResourcesRequest
  | ListResourceTemplatesRequest
  | ReadResourceRequest
  | SubscribeRequest
  | UnsubscribeRequest
  | CallToolRequest
  | ListToolsRequest
  | GetTaskRequest
  | GetTaskPayloadRequest
  | ListTasksRequest
  | CancelTaskRequest;

/**
 * Any notification that a client sends; `method` tells which.
 *
 * @internal
 */
export type ClientNotification =
  | CancelledNotification
  | ProgressNotification
  | InitializedNotification
  | RootsListChangedNotification
  | TaskStatusNotification;

/**
 * Any result that a client returns; the request it answers tells which.
 *
 * @internal
 */
export type ClientResult =
  | EmptyResult
  | CreateMessageResult
  | ListRootsResult
  | ElicitResult
  | GetTaskResult
  | GetTaskPayloadResult
  | ListTasksResult
  | CancelTaskResult;

/* Server messages */

/**
 * Any request that a server sends; `method` tells which.
 *
 * @internal
 */
export type ServerRequest =
  | PingRequest
  | CreateMessageRequest
  | ListRootsRequest
  | ElicitRequest
  | GetTaskRequest
  | GetTaskPayloadRequest
  | ListTasksRequest
  | CancelTaskRequest;

/**
 * Any notification that a server sends; `method` tells which.
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
  | ElicitationCompleteNotification
  | TaskStatusNotification;

/**
 * Any result that a server returns; the request it answers tells which.
 *
 * @internal
 */
export type ServerResult =
  | EmptyResult
  | InitializeResult
  | CompleteResult
  | GetPromptResult
  | ListPromptsResult
  | ListResourceTemplatesResult
  | ListResourcesResult
  | ReadResourceResult
  | CallToolResult
  | ListToolsResult
  | GetTaskResult
  | GetTaskPayloadResult
  | ListTasksResult
  | CancelTaskResult;
