/*
 * Model Context Protocol, revision 2024-11-05.
 *
 * This project's own transcription of the protocol schema: the facts of the official schema,
 * documented in our own words.
 */

/* Constants */

/** Identifier of the protocol revision that this file describes. */
export const LATEST_PROTOCOL_VERSION = "2024-11-05";

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
 * The keys determine the kind: `method` and `id` make a request, `method` alone a notification,
 * `result` a response and `error` an error response.
 */
export type JSONRPCMessage = JSONRPCRequest | JSONRPCNotification | JSONRPCResponse | JSONRPCError;

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

/** Base of all requests: messages that are answered by a result or an error. */
export interface Request {
  method: string;
  params?: {
    /** Metadata that the requester adds to the parameters of the method. */
    _meta?: {
      /**
       * Token for `notifications/progress` messages about this request; absent if none are wanted.
       *
       * The receiver repeats the token in each of them, but may send none.
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
    /** Metadata that the sender adds to the fields that the protocol defines. */
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
  /** Metadata that the sender adds to the fields that the protocol defines. */
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
 * Its `id` is that of the request. Failures of a running tool are reported in
 * `CallToolResult.isError` instead.
 */
export interface JSONRPCError {
  jsonrpc: typeof JSONRPC_VERSION;
  id: RequestId;
  /** Code, message and details of the failure. */
  error: {
    /** Integer that identifies the kind of failure, such as one of the error code constants. */
    code: number;
    /** Brief explanation for people, which should be a single sentence. */
    message: string;
    /** Further details: any JSON value that the sender chooses. */
    data?: unknown;
  };
}

/** Result without fields of its own, which only confirms success. */
export type EmptyResult = Result;

/* Shared building blocks */

/** Role in a conversation: the user, or the language model (`assistant`). */
export type Role = "user" | "assistant";

/** Name and version of MCP software, client or server. */
export interface Implementation {
  /** Name of the software. */
  name: string;
  /** Version of the software (not of the protocol), in any format. */
  version: string;
}

/** Base of objects that can have hints for the client. */
export interface Annotated {
  /** Hints on the use and display of an object. */
  annotations?: {
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
  };
}

/* Cancellation */

/**
 * A notification that cancels a request.
 *
 * Either side may cancel its own requests. The receiver should stop the work and send no response,
 * but a response may already be on its way. `initialize` cannot be cancelled.
 */
export interface CancelledNotification extends Notification {
  method: "notifications/cancelled";
  params: {
    /** Id of the cancelled request. Only the side that sent the request may cancel it. */
    requestId: RequestId;
    /** Reason for the cancellation, for logs or for display. */
    reason?: string;
  };
}

/* Initialization */

/**
 * The first request of a client: it proposes a protocol revision and introduces the client.
 *
 * The server answers with `InitializeResult`; then the client sends `notifications/initialized`.
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

/** Result of `initialize`: the selected revision and a description of the server. */
export interface InitializeResult extends Result {
  /**
   * Revision that the server selected; it may differ from the proposed one.
   *
   * A client that does not support it must disconnect.
   */
  protocolVersion: string;
  /** Optional features of the server. */
  capabilities: ServerCapabilities;
  /** Name and version of the server software. */
  serverInfo: Implementation;
  /**
   * Instructions for language models on using this server.
   *
   * A client may, for instance, add them to the system prompt.
   */
  instructions?: string;
}

/**
 * A notification that the client has accepted the result of `initialize`.
 *
 * Normal operation starts with it.
 */
export interface InitializedNotification extends Notification {
  method: "notifications/initialized";
}

/**
 * Optional features that a client announces to the server.
 *
 * An absent field means that the feature is not supported; an empty object means that it is.
 * Further keys are allowed.
 */
export interface ClientCapabilities {
  /** Features outside the protocol: settings by feature name. */
  experimental?: { [key: string]: object };
  /** Present when the client answers `roots/list`. */
  roots?: {
    /** True if the client sends `notifications/roots/list_changed`; by default false. */
    listChanged?: boolean;
  };
  /** Present when the client answers `sampling/createMessage`. */
  sampling?: object;
}

/**
 * Optional features that a server announces to the client.
 *
 * An absent field means that the feature is not supported; an empty object means that it is.
 * Further keys are allowed.
 */
export interface ServerCapabilities {
  /** Features outside the protocol: settings by feature name. */
  experimental?: { [key: string]: object };
  /** Present when the server sends log messages as `notifications/message`. */
  logging?: object;
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
}

/* Ping */

/**
 * A request to check that the other side responds; either side may send it.
 *
 * The receiver answers with an empty result without delay. A side that does not answer may be
 * disconnected.
 */
export interface PingRequest extends Request {
  method: "ping";
}

/* Progress */

/**
 * A notification of the progress of a request.
 *
 * The receiver of the request sends it, and only if the request has a progress token.
 */
export interface ProgressNotification extends Notification {
  method: "notifications/progress";
  params: {
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
  };
}

/* Pagination */

/**
 * Opaque position in a paginated list.
 *
 * Send it back unchanged; only the side that issued it can interpret it.
 */
export type Cursor = string;

/** Base of requests for a paginated list. */
export interface PaginatedRequest extends Request {
  params?: {
    /** Start of the page: `nextCursor` of the previous result; by default the first page. */
    cursor?: Cursor;
  };
}

/** Base of results that hold one page of a list. */
export interface PaginatedResult extends Result {
  /** Cursor of the next page; absent on the last page. */
  nextCursor?: Cursor;
}

/* Resources */

/** A request for the server's resources, one page at a time. */
export interface ListResourcesRequest extends PaginatedRequest {
  method: "resources/list";
}

/** One page of the server's resources. */
export interface ListResourcesResult extends PaginatedResult {
  /** The resources on this page. */
  resources: Resource[];
}

/** A request for the server's resource templates, one page at a time. */
export interface ListResourceTemplatesRequest extends PaginatedRequest {
  method: "resources/templates/list";
}

/** One page of the server's resource templates. */
export interface ListResourceTemplatesResult extends PaginatedResult {
  /** The resource templates on this page. */
  resourceTemplates: ResourceTemplate[];
}

/** A request to read a resource. */
export interface ReadResourceRequest extends Request {
  method: "resources/read";
  params: {
    /**
     * URI of the requested resource, in any scheme that the server supports.
     *
     * @format uri
     */
    uri: string;
  };
}

/** The contents of a resource. */
export interface ReadResourceResult extends Result {
  /** The contents: several entries if the resource has parts (for example a directory). */
  contents: (TextResourceContents | BlobResourceContents)[];
}

/**
 * A notification that the server's list of resources has changed.
 *
 * It requires no subscription, only the capability `resources.listChanged`. To see the changes,
 * fetch the list again.
 */
export interface ResourceListChangedNotification extends Notification {
  method: "notifications/resources/list_changed";
}

/**
 * A request to subscribe to changes of a resource.
 *
 * It requires the server's capability `resources.subscribe`. The server reports changes with
 * `notifications/resources/updated`.
 */
export interface SubscribeRequest extends Request {
  method: "resources/subscribe";
  params: {
    /**
     * URI of the resource to watch, in any scheme that the server supports.
     *
     * @format uri
     */
    uri: string;
  };
}

/** A request to end a subscription made with `resources/subscribe`. */
export interface UnsubscribeRequest extends Request {
  method: "resources/unsubscribe";
  params: {
    /**
     * URI of the resource to stop watching.
     *
     * @format uri
     */
    uri: string;
  };
}

/**
 * A notification that there is a change to a resource that the client subscribed to.
 *
 * To get the new contents, read the resource again.
 */
export interface ResourceUpdatedNotification extends Notification {
  method: "notifications/resources/updated";
  params: {
    /**
     * URI of the changed resource, which may be a part of the resource that the client subscribed to.
     *
     * @format uri
     */
    uri: string;
  };
}

/** A resource that clients can read with `resources/read`. */
export interface Resource extends Annotated {
  /**
   * URI that identifies the resource in requests.
   *
   * @format uri
   */
  uri: string;
  /** Name of the resource, for display. */
  name: string;
  /** Description of the resource, which helps language models to select it. */
  description?: string;
  /** Media type of the contents, if known. */
  mimeType?: string;
  /**
   * Number of bytes in the contents before any encoding, if known.
   *
   * It helps to display file sizes and to predict how much context the contents will occupy.
   */
  size?: number;
}

/** A family of resources whose URIs follow one pattern. */
export interface ResourceTemplate extends Annotated {
  /**
   * URI template (RFC 6570) of the resources.
   *
   * @format uri-template
   */
  uriTemplate: string;
  /** Name of the resource template, for display. */
  name: string;
  /** Description of the resources, which helps language models to select them. */
  description?: string;
  /** Media type of all matching resources; absent if they differ. */
  mimeType?: string;
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
export interface TextContent extends Annotated {
  type: "text";
  /** The text itself. */
  text: string;
}

/** Content block with an image. */
export interface ImageContent extends Annotated {
  type: "image";
  /**
   * The image file, encoded as base64.
   *
   * @format byte
   */
  data: string;
  /** Media type, such as `image/png`; not every model supports every type. */
  mimeType: string;
}

/**
 * Content block that includes the contents of a resource.
 *
 * The client decides how to display it to people and how to pass it to a model.
 */
export interface EmbeddedResource extends Annotated {
  type: "resource";
  /** The contents, as text or as binary data. */
  resource: TextResourceContents | BlobResourceContents;
}

/* Prompts */

/** A request for the server's prompts, one page at a time. */
export interface ListPromptsRequest extends PaginatedRequest {
  method: "prompts/list";
}

/** One page of the server's prompts. */
export interface ListPromptsResult extends PaginatedResult {
  /** The prompts on this page. */
  prompts: Prompt[];
}

/** A request for one of the server's prompts, filled in with arguments. */
export interface GetPromptRequest extends Request {
  method: "prompts/get";
  params: {
    /** Name of the prompt, as listed by `prompts/list`. */
    name: string;
    /** Arguments of the prompt by name; all values are strings. */
    arguments?: { [key: string]: string };
  };
}

/** A prompt that is filled in and ready for a language model. */
export interface GetPromptResult extends Result {
  /** Purpose of the prompt. */
  description?: string;
  /** Messages to pass to the model, in order. */
  messages: PromptMessage[];
}

/** A prompt that clients can fetch with `prompts/get`. */
export interface Prompt {
  /** Name to pass to `prompts/get`. */
  name: string;
  /** Purpose of the prompt. */
  description?: string;
  /** Arguments of the prompt, if it has any. */
  arguments?: PromptArgument[];
}

/** One argument of a prompt. */
export interface PromptArgument {
  /** Key of the argument in a `prompts/get` request. */
  name: string;
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
  content: TextContent | ImageContent | EmbeddedResource;
}

/**
 * A notification that the server's list of prompts has changed.
 *
 * It requires no subscription, only the capability `prompts.listChanged`. To see the changes, fetch
 * the list again.
 */
export interface PromptListChangedNotification extends Notification {
  method: "notifications/prompts/list_changed";
}

/* Tools */

/** A request for the server's tools, one page at a time. */
export interface ListToolsRequest extends PaginatedRequest {
  method: "tools/list";
}

/** One page of the server's tools. */
export interface ListToolsResult extends PaginatedResult {
  /** The tools on this page. */
  tools: Tool[];
}

/** A request to call one of the server's tools. */
export interface CallToolRequest extends Request {
  method: "tools/call";
  params: {
    /** Name of the tool, as listed by `tools/list`. */
    name: string;
    /** Arguments by name, if any, as the tool's `inputSchema` requires them. */
    arguments?: { [key: string]: unknown };
  };
}

/** Outcome of a tool call. */
export interface CallToolResult extends Result {
  /** Output of the tool as blocks of content, for a model or a person to read. */
  content: (TextContent | ImageContent | EmbeddedResource)[];
  /**
   * True if the tool failed; by default false.
   *
   * Failures of a running tool are reported here, so that a model can see them and retry. A call
   * that cannot start, such as a call of an unknown tool, is answered with a JSON-RPC error.
   */
  isError?: boolean;
}

/**
 * A notification that the server's list of tools has changed.
 *
 * It requires no subscription, only the capability `tools.listChanged`. To see the changes, fetch
 * the list again.
 */
export interface ToolListChangedNotification extends Notification {
  method: "notifications/tools/list_changed";
}

/** A tool that clients can call with `tools/call`. */
export interface Tool {
  /** Name to pass to `tools/call`. */
  name: string;
  /** Description of the tool, which helps language models to select it. */
  description?: string;
  /** JSON Schema of the arguments; its top level describes an object. */
  inputSchema: {
    type: "object";
    /** Schema of each argument, by name. */
    properties?: { [key: string]: object };
    /** Names of the required arguments. */
    required?: string[];
  };
}

/* Logging */

/** A request to set the lowest severity of the log messages that the server sends. */
export interface SetLevelRequest extends Request {
  method: "logging/setLevel";
  params: {
    /** Lowest severity to send; more severe messages are sent, too. */
    level: LoggingLevel;
  };
}

/**
 * A log message from the server.
 *
 * Until the client sets a level, the server decides which messages to send.
 */
export interface LoggingMessageNotification extends Notification {
  method: "notifications/message";
  params: {
    /** Severity of the message. */
    level: LoggingLevel;
    /** Name of the logger, if it has one. */
    logger?: string;
    /** Content of the log message: any JSON value (null too), often a string or an object. */
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
 * A request to generate a message with a language model of the client.
 *
 * The server sends it. The client selects the model. It should first show the request to the user,
 * who may refuse it.
 */
export interface CreateMessageRequest extends Request {
  method: "sampling/createMessage";
  params: {
    /** The conversation so far, oldest message first. */
    messages: SamplingMessage[];
    /** Preferences of the server for the model; not binding. */
    modelPreferences?: ModelPreferences;
    /** System prompt to use; the client may change it or leave it out. */
    systemPrompt?: string;
    /**
     * Servers whose context the client should add to the prompt; not binding.
     *
     * `thisServer`: the requesting server. `allServers`: all servers connected to the client.
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
    metadata?: object;
  };
}

/**
 * A message that a language model generated for the server.
 *
 * The client should first show it to the user, who may withhold it from the server.
 */
export interface CreateMessageResult extends Result, SamplingMessage {
  /** Name of the model that wrote the message. */
  model: string;
  /** Reason why the output ended, if known; strings other than those listed are allowed. */
  stopReason?: "endTurn" | "stopSequence" | "maxTokens" | string;
}

/** One message of a conversation with a language model. */
export interface SamplingMessage {
  /** Role of the message's author. */
  role: Role;
  /** Content of the message, as a single block. */
  content: TextContent | ImageContent;
}

/**
 * Preferences of a server for the model used for sampling.
 *
 * They are not binding: the client decides how to weigh them and may ignore them.
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

/** A request for completions of an argument's value. */
export interface CompleteRequest extends Request {
  method: "completion/complete";
  params: {
    /** The prompt or resource template that the argument belongs to. */
    ref: PromptReference | ResourceReference;
    /** The argument being filled in. */
    argument: {
      /** Name of the prompt argument or template variable. */
      name: string;
      /** Text entered so far. */
      value: string;
    };
  };
}

/** Completions for the value of an argument. */
export interface CompleteResult extends Result {
  /** The completions and their total number. */
  completion: {
    /** Values to suggest, at most 100. */
    values: string[];
    /** Number of all matches, including those not in `values`; absent if unknown. */
    total?: number;
    /** True if there are more matches than `values` holds, even if `total` is absent. */
    hasMore?: boolean;
  };
}

/** Reference to the resource or resource template whose variable to complete. */
export interface ResourceReference {
  type: "ref/resource";
  /**
   * URI of the resource, or URI template.
   *
   * @format uri-template
   */
  uri: string;
}

/** Reference to the prompt whose argument to complete. */
export interface PromptReference {
  type: "ref/prompt";
  /** Name of the prompt, as listed by `prompts/list`. */
  name: string;
}

/* Roots */

/**
 * A request for the client's roots: the directories and files to work in.
 *
 * The server sends it.
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
   * Location of the root; currently always a `file://` URI.
   *
   * @format uri
   */
  uri: string;
  /** Name of the root, for display and for references to it. */
  name?: string;
}

/**
 * A notification that the client's list of roots has changed.
 *
 * The server should then send `roots/list` again.
 */
export interface RootsListChangedNotification extends Notification {
  method: "notifications/roots/list_changed";
}

/* Client messages */

/** Any request that a client sends, distinguished by `method`. */
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

/** Any notification that a client sends, distinguished by `method`. */
export type ClientNotification =
  | CancelledNotification
  | ProgressNotification
  | InitializedNotification
  | RootsListChangedNotification;

/** Any result that a client returns; its type follows from the request. */
export type ClientResult = EmptyResult | CreateMessageResult | ListRootsResult;

/* Server messages */

/** Any request that a server sends, distinguished by `method`. */
export type ServerRequest = PingRequest | CreateMessageRequest | ListRootsRequest;

/** Any notification that a server sends, distinguished by `method`. */
export type ServerNotification =
  | CancelledNotification
  | ProgressNotification
  | LoggingMessageNotification
  | ResourceUpdatedNotification
  | ResourceListChangedNotification
  | ToolListChangedNotification
  | PromptListChangedNotification;

/** Any result that a server returns; its type follows from the request. */
export type ServerResult =
  | EmptyResult
  | InitializeResult
  | CompleteResult
  | GetPromptResult
  | ListPromptsResult
  | ListResourcesResult
  | ListResourceTemplatesResult
  | ReadResourceResult
  | CallToolResult
  | ListToolsResult;
