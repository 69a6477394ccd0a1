/*
 * Model Context Protocol, revision 2025-03-26.
 *
 * This project's own transcription of the protocol schema: the facts of the official schema,
 * documented in our own words.
 */

/* Constants */

/** Identifier of the protocol revision that this file describes. */
export const LATEST_PROTOCOL_VERSION = "2025-03-26";

/** Value of the `jsonrpc` member of every message. */
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

/* JSON-RPC messages */

/**
 * Any JSON-RPC message that client and server may exchange.
 *
 * Its keys tell the kind: `method` and `id` make a request, `method` alone a notification, `result`
 * a response and `error` an error response. A JSON array is a batch.
 */
export type JSONRPCMessage =
  | JSONRPCRequest
  | JSONRPCNotification
  | JSONRPCBatchRequest
  | JSONRPCResponse
  | JSONRPCError
  | JSONRPCBatchResponse;

/**
 * Several requests and notifications sent together as one JSON array.
 *
 * It is answered by a `JSONRPCBatchResponse`, unless it holds nothing but notifications.
 *
 * @since 2025-03-26
 */
export type JSONRPCBatchRequest = (JSONRPCRequest | JSONRPCNotification)[];

/**
 * The answers to a batch, gathered in one JSON array.
 *
 * Match every entry to its request by `id`: the order is not fixed, and notifications have no
 * entry.
 *
 * @since 2025-03-26
 */
export type JSONRPCBatchResponse = (JSONRPCResponse | JSONRPCError)[];

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

/** Base of all requests: messages that are answered by a result or an error. */
export interface Request {
  method: string;
  params?: {
    /** Metadata added by the requester, apart from the parameters of the method. */
    _meta?: {
      /**
       * Set to ask for `notifications/progress` messages about this request.
       *
       * The receiver repeats the token in each of them, but is free to send none.
       */
      progressToken?: ProgressToken;
    };
    [key: string]: unknown;
  };
}

/** Base of all notifications: one-way messages that get no answer. */
export interface Notification {
  method: string;
  params?: {
    /** Metadata added by the sender, apart from the fields the protocol defines. */
    _meta?: { [key: string]: unknown };
    [key: string]: unknown;
  };
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

/** A request in its wire form, with the JSON-RPC envelope. */
export interface JSONRPCRequest extends Request {
  jsonrpc: typeof JSONRPC_VERSION;
  id: RequestId;
}

/** A notification in its wire form, with the JSON-RPC envelope but without an `id`. */
export interface JSONRPCNotification extends Notification {
  jsonrpc: typeof JSONRPC_VERSION;
}

/**
 * A response that reports success and carries the result.
 *
 * Its `id` is that of the request.
 */
export interface JSONRPCResponse {
  jsonrpc: typeof JSONRPC_VERSION;
  id: RequestId;
  result: Result;
}

/**
 * A response that reports failure.
 *
 * Its `id` is that of the request. A tool that fails while running is reported in
 * `CallToolResult.isError` instead.
 */
export interface JSONRPCError {
  jsonrpc: typeof JSONRPC_VERSION;
  id: RequestId;
  /** What went wrong. */
  error: {
    /** Integer for the kind of failure, such as one of the error code constants. */
    code: number;
    /** Brief explanation for people, best kept to one sentence. */
    message: string;
    /** Further details, in any JSON form the sender likes. */
    data?: unknown;
  };
}

/** Result without fields of its own, which only confirms success. */
export type EmptyResult = Result;

/* Shared building blocks */

/** Speaker of a message: the user or the language model (`assistant`). */
export type Role = "user" | "assistant";

/** Names a piece of MCP software, client or server, and its version. */
export interface Implementation {
  /** Name of the software. */
  name: string;
  /** Version of the software (not of the protocol), in any format. */
  version: string;
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
}

/* Cancellation */

/**
 * Says that a request sent earlier is no longer wanted.
 *
 * Either side may send it about its own requests. The receiver should drop the work and not answer,
 * but an answer may already be on its way. `initialize` cannot be cancelled.
 */
export interface CancelledNotification extends Notification {
  method: "notifications/cancelled";
  params: {
    /** Id of the request to give up, which must be one the sender has made. */
    requestId: RequestId;
    /** Why the request is given up, for logs or for display. */
    reason?: string;
  };
}

/* Initialization */

/**
 * First request of a client: offers a protocol revision and introduces itself.
 *
 * It is answered by `InitializeResult`; the client then sends `notifications/initialized`.
 */
export interface InitializeRequest extends Request {
  method: "initialize";
  params: {
    /** Revision the client proposes: the newest one it supports. */
    protocolVersion: string;
    /** Optional features of the client. */
    capabilities: ClientCapabilities;
    /** Name and version of the client software. */
    clientInfo: Implementation;
  };
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
export interface InitializedNotification extends Notification {
  method: "notifications/initialized";
}

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
  sampling?: object;
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
}

/* Ping */

/**
 * Checks whether the other side is alive; either side may send it.
 *
 * The answer is an empty result, sent without delay. A side that stays silent may be disconnected.
 */
export interface PingRequest extends Request {
  method: "ping";
}

/* Progress */

/**
 * Reports how far the work on a request has come.
 *
 * Sent by the side that does the work, and only if the request carried a progress token.
 */
export interface ProgressNotification extends Notification {
  method: "notifications/progress";
  params: {
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
    /**
     * Text for people on the state of the work.
     *
     * @since 2025-03-26
     */
    message?: string;
  };
}

/* Pagination */

/**
 * Opaque position in a list that is read page by page.
 *
 * Hand it back unchanged; its content has a meaning only for the side that issued it.
 */
export type Cursor = string;

/** Base of requests for a list that is returned page by page. */
export interface PaginatedRequest extends Request {
  params?: {
    /** Where to continue: `nextCursor` of the page before. Leave it out to get the first page. */
    cursor?: Cursor;
  };
}

/** Base of results that hold one page of a list. */
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

/** Asks the server for the contents of a resource. */
export interface ReadResourceRequest extends Request {
  method: "resources/read";
  params: {
    /**
     * URI of the resource wanted, in any scheme the server understands.
     *
     * @format uri
     */
    uri: string;
  };
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
export interface ResourceListChangedNotification extends Notification {
  method: "notifications/resources/list_changed";
}

/**
 * Asks the server to report changes of a resource.
 *
 * It needs the capability `resources.subscribe`; reports come as `notifications/resources/updated`.
 */
export interface SubscribeRequest extends Request {
  method: "resources/subscribe";
  params: {
    /**
     * URI of the resource to watch, in any scheme the server understands.
     *
     * @format uri
     */
    uri: string;
  };
}

/** Ends a subscription made with `resources/subscribe`. */
export interface UnsubscribeRequest extends Request {
  method: "resources/unsubscribe";
  params: {
    /**
     * URI of the resource to watch no longer.
     *
     * @format uri
     */
    uri: string;
  };
}

/**
 * Sent by the server when a resource the client subscribed to has changed.
 *
 * It carries no contents: read the resource again to get them.
 */
export interface ResourceUpdatedNotification extends Notification {
  method: "notifications/resources/updated";
  params: {
    /**
     * URI of what has changed, possibly a part of the resource subscribed to.
     *
     * @format uri
     */
    uri: string;
  };
}

/** Describes a resource that can be fetched with `resources/read`. */
export interface Resource {
  /**
   * URI that identifies the resource in requests.
   *
   * @format uri
   */
  uri: string;
  /** Name of the resource, fit for display. */
  name: string;
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
}

/** Describes a family of resources whose URIs follow one pattern. */
export interface ResourceTemplate {
  /**
   * Pattern of the URIs, in the syntax of RFC 6570.
   *
   * @format uri-template
   */
  uriTemplate: string;
  /** Name of this kind of resource, fit for display. */
  name: string;
  /** What the resources are for, in words that help a language model choose. */
  description?: string;
  /** Media type that every matching resource has; absent if they differ. */
  mimeType?: string;
  /** Hints for the client on audience, importance and the like. */
  annotations?: Annotations;
}

/** Base of the contents of a resource or of one of its parts. */
export interface ResourceContents {
  /**
   * URI of the resource or part that these contents belong to.
   *
   * @format uri
   */
  uri: string;
  /** Media type of these contents, if known. */
  mimeType?: string;
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

/** Content block with text. */
export interface TextContent {
  type: "text";
  /** The text itself. */
  text: string;
  /** Hints for the client on audience, importance and the like. */
  annotations?: Annotations;
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

/** Asks the server for one of its prompts, filled in with arguments. */
export interface GetPromptRequest extends Request {
  method: "prompts/get";
  params: {
    /** Name of the prompt, as found in `prompts/list`. */
    name: string;
    /** Values to fill in, by argument name; always strings. */
    arguments?: { [key: string]: string };
  };
}

/** A prompt filled in and ready for a language model. */
export interface GetPromptResult extends Result {
  /** What the prompt is meant for. */
  description?: string;
  /** The messages to give to the model, in order. */
  messages: PromptMessage[];
}

/** Describes a prompt that can be fetched with `prompts/get`. */
export interface Prompt {
  /** Name to pass to `prompts/get`. */
  name: string;
  /** What the prompt is meant for. */
  description?: string;
  /** The arguments it takes, if any. */
  arguments?: PromptArgument[];
}

/** One argument of a prompt. */
export interface PromptArgument {
  /** Key of the argument in a `prompts/get` request. */
  name: string;
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
  content: TextContent | ImageContent | AudioContent | EmbeddedResource;
}

/**
 * Sent by the server when its list of prompts has changed.
 *
 * No subscription is needed, only the capability `prompts.listChanged`. Fetch the list again to see
 * the changes.
 */
export interface PromptListChangedNotification extends Notification {
  method: "notifications/prompts/list_changed";
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

/** Asks the server to run one of its tools. */
export interface CallToolRequest extends Request {
  method: "tools/call";
  params: {
    /** Name of the tool, as found in `tools/list`. */
    name: string;
    /** Arguments by name, if any, as the tool's `inputSchema` wants them. */
    arguments?: { [key: string]: unknown };
  };
}

/** Outcome of a tool call. */
export interface CallToolResult extends Result {
  /** Output of the tool as blocks of content, for a model or a person to read. */
  content: (TextContent | ImageContent | AudioContent | EmbeddedResource)[];
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
export interface ToolListChangedNotification extends Notification {
  method: "notifications/tools/list_changed";
}

/** Describes a tool that can be run with `tools/call`. */
export interface Tool {
  /** Name to pass to `tools/call`. */
  name: string;
  /** What the tool does, in words that help a language model choose. */
  description?: string;
  /** JSON Schema of the arguments; its top level describes an object. */
  inputSchema: {
    type: "object";
    /** Schema of each argument, by name. */
    properties?: { [key: string]: object };
    /** Names of the arguments that have to be passed. */
    required?: string[];
  };
  /**
   * Hints on how the tool behaves.
   *
   * @since 2025-03-26
   */
  annotations?: ToolAnnotations;
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

/* Logging */

/** Sets how severe log messages must be for the server to send them. */
export interface SetLevelRequest extends Request {
  method: "logging/setLevel";
  params: {
    /** Lowest severity wanted; whatever is more severe is sent as well. */
    level: LoggingLevel;
  };
}

/**
 * A log message from the server.
 *
 * As long as the client has set no level, the server decides by itself what to send.
 */
export interface LoggingMessageNotification extends Notification {
  method: "notifications/message";
  params: {
    /** Severity of the message. */
    level: LoggingLevel;
    /** Name of the logger, if it has one. */
    logger?: string;
    /** What is logged: any JSON value (null too), often a string or an object. */
    data: unknown;
  };
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
 * Asks the client to have a language model write a message.
 *
 * Sent by the server. The client picks the model. It should first show the request to the user, who
 * may refuse it.
 */
export interface CreateMessageRequest extends Request {
  method: "sampling/createMessage";
  params: {
    /** The conversation so far, oldest message first. */
    messages: SamplingMessage[];
    /** What kind of model the server would like; not binding. */
    modelPreferences?: ModelPreferences;
    /** System prompt to use; the client may change it or leave it out. */
    systemPrompt?: string;
    /**
     * Whose context the client should add to the prompt; not binding.
     *
     * `thisServer` is the server that asks, `allServers` all that are connected to the client.
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
  };
}

/**
 * The message that a language model wrote for the server.
 *
 * Sent by the client, which should first show it to the user, who may keep it from the server.
 */
export interface CreateMessageResult extends Result, SamplingMessage {
  /** Name of the model that wrote the message. */
  model: string;
  /** Why the output ended, if known; other strings than those listed may occur. */
  stopReason?: "endTurn" | "stopSequence" | "maxTokens" | string;
}

/** One message of a conversation with a language model. */
export interface SamplingMessage {
  /** Speaker of the message. */
  role: Role;
  /** What is said, as one block of content. */
  content: TextContent | ImageContent | AudioContent;
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

/** Asks the server how the value of an argument could be completed. */
export interface CompleteRequest extends Request {
  method: "completion/complete";
  params: {
    /** The prompt or resource template that the argument belongs to. */
    ref: PromptReference | ResourceReference;
    /** The argument being filled in. */
    argument: {
      /** Name of the prompt argument or template variable. */
      name: string;
      /** What has been entered so far. */
      value: string;
    };
  };
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

/** Names the resource or resource template whose variable is to be completed. */
export interface ResourceReference {
  type: "ref/resource";
  /**
   * URI, or URI pattern of a template.
   *
   * @format uri-template
   */
  uri: string;
}

/** Names the prompt whose argument is to be completed. */
export interface PromptReference {
  type: "ref/prompt";
  /** Name of the prompt, as found in `prompts/list`. */
  name: string;
}

/* Roots */

/**
 * Asks the client for its roots: the directories and files to work in.
 *
 * Sent by the server.
 */
export interface ListRootsRequest extends Request {
  method: "roots/list";
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
}

/**
 * Sent by the client when its list of roots has changed.
 *
 * The server should then send `roots/list` again.
 */
export interface RootsListChangedNotification extends Notification {
  method: "notifications/roots/list_changed";
}

/* Client messages */

/** Any request that a client sends; `method` tells which. */
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
  | ListToolsRequest;

/** Any notification that a client sends; `method` tells which. */
export type ClientNotification =
  | CancelledNotification
  | ProgressNotification
  | InitializedNotification
  | RootsListChangedNotification;

/** Any result that a client returns; the request it answers tells which. */
export type ClientResult = EmptyResult | CreateMessageResult | ListRootsResult;

/* Server messages */

/** Any request that a server sends; `method` tells which. */
export type ServerRequest = PingRequest | CreateMessageRequest | ListRootsRequest;

/** Any notification that a server sends; `method` tells which. */
export type ServerNotification =
  | CancelledNotification
  | ProgressNotification
  | LoggingMessageNotification
  | ResourceUpdatedNotification
  | ResourceListChangedNotification
  | ToolListChangedNotification
  | PromptListChangedNotification;

/** Any result that a server returns; the request it answers tells which. */
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
  | ListToolsResult;
