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
 * Error code: the user must visit a web page before the request can succeed.
 *
 * @internal
 * @since 2025-11-25
 */
export const URL_ELICITATION_REQUIRED = -32042;

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
 * @internal
 * @since 2025-11-25
 */
export interface RequestParams {
  /** Metadata that the requester adds to the parameters of the method. */
  _meta?: {
    /**
     * Token for `notifications/progress` messages about this request; absent if none are wanted.
     *
     * The receiver repeats the token in each of them, but may send none.
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
   * Options for the execution of the request as a task; absent for an ordinary request.
   *
   * If present, the response is a `CreateTaskResult`, and `tasks/result` returns the result later.
   * The receiver must have announced tasks for this method in its capabilities.
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
  /** Metadata that the sender adds to the fields that the protocol defines. */
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
  /** Metadata that the sender adds to the fields that the protocol defines. */
  _meta?: { [key: string]: unknown };
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
 * Error response that requires the client to carry out URL elicitations and then retry.
 *
 * @internal
 * @since 2025-11-25
 */
export interface URLElicitationRequiredError extends Omit<JSONRPCErrorResponse, "error"> {
  /** The failure; its `data` lists the elicitations. */
  error: Error & {
    /** Always -32042. */
    code: typeof URL_ELICITATION_REQUIRED;
    /** Details of the failure. */
    data: {
      /** URL elicitations to complete before the retry, each with its own id. */
      elicitations: ElicitRequestURLParams[];
      [key: string]: unknown;
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
  /**
   * Id of the cancelled request. Only the side that sent the request may cancel it.
   *
   * Required for an ordinary request. It must not be the id of a request that is executed as a task: cancel tasks
   * with `tasks/cancel`.
   */
  requestId?: RequestId;
  /** Reason for the cancellation, for logs or for display. */
  reason?: string;
}

/**
 * A notification that cancels a request.
 *
 * Either side may cancel its own requests. The receiver should stop the work and send no response,
 * but a response may already be on its way. `initialize` cannot be cancelled, and tasks are
 * cancelled with `tasks/cancel` instead.
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
 * The first request of a client: it proposes a protocol revision and introduces the client.
 *
 * The server answers with `InitializeResult`; then the client sends `notifications/initialized`.
 */
export interface InitializeRequest extends JSONRPCRequest {
  method: "initialize";
  params: InitializeRequestParams;
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
export interface InitializedNotification extends JSONRPCNotification {
  method: "notifications/initialized";
  params?: NotificationParams;
}

/* Capabilities */

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
  sampling?: {
    /**
     * Present when the client supports values of `includeContext` other than `none`.
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
     * Present when the client can show forms.
     *
     * A client that lists neither `form` nor `url` can show forms, too.
     *
     * @since 2025-11-25
     */
    form?: object;
    /**
     * Present when the client can send the user to a web page.
     *
     * @since 2025-11-25
     */
    url?: object
  };
  /**
   * Present when the client can execute requests as tasks.
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
 * An absent field means that the feature is not supported; an empty object means that it is.
 * Further keys are allowed.
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
   * Present when the server can execute requests as tasks.
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
 * A request to check that the other side responds; either side may send it.
 *
 * The receiver answers with an empty result without delay. A side that does not answer may be
 * disconnected.
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
 * @internal
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
  params?: PaginatedRequestParams;
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
export interface ReadResourceRequestParams extends ResourceRequestParams {}

/** A request to read a resource. */
export interface ReadResourceRequest extends JSONRPCRequest {
  method: "resources/read";
  params: ReadResourceRequestParams;
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
 * A request to subscribe to changes of a resource.
 *
 * It requires the server's capability `resources.subscribe`. The server reports changes with
 * `notifications/resources/updated`.
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

/** A request to end a subscription made with `resources/subscribe`. */
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
   * URI of the changed resource, which may be a part of the resource that the client subscribed to.
   *
   * @format uri
   */
  uri: string;
}

/**
 * A notification that there is a change to a resource that the client subscribed to.
 *
 * To get the new contents, read the resource again.
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
  _meta?: { [key: string]: unknown };
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
   * Metadata that the sender adds to the fields that the protocol defines.
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
  /** Media type, such as `image/png`; not every model supports every type. */
  mimeType: string;
  /** Hints for the client, such as audience and importance. */
  annotations?: Annotations;
  /**
   * Metadata that the sender adds to the fields that the protocol defines.
   *
   * @since 2025-06-18
   */
  _meta?: { [key: string]: unknown };
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
  _meta?: { [key: string]: unknown };
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
  _meta?: { [key: string]: unknown };
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

/**
 * Parameters of `prompts/get`.
 *
 * @since 2025-11-25
 */
export interface GetPromptRequestParams extends RequestParams {
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
  _meta?: { [key: string]: unknown };
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
 * It requires no subscription, only the capability `prompts.listChanged`. To see the changes, fetch
 * the list again.
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
   * Output of the tool as a JSON object.
   *
   * It matches the tool's `outputSchema`, if the tool has one.
   *
   * @since 2025-06-18
   */
  structuredContent?: { [key: string]: unknown };
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
export interface ToolListChangedNotification extends JSONRPCNotification {
  method: "notifications/tools/list_changed";
  params?: NotificationParams;
}

/** A tool that clients can call with `tools/call`. */
export interface Tool extends BaseMetadata, Icons {
  /** Description of the tool, which helps language models to select it. */
  description?: string;
  /** JSON Schema of the arguments; its top level describes an object. */
  inputSchema: {
    /**
     * URI of the JSON Schema dialect; by default that of draft 2020-12.
     *
     * @since 2025-11-25
     */
    $schema?: string;
    type: "object";
    /** Schema of each argument, by name. */
    properties?: { [key: string]: object };
    /** Names of the required arguments. */
    required?: string[];
  };
  /**
   * Rules for the execution of the tool.
   *
   * @since 2025-11-25
   */
  execution?: ToolExecution;
  /**
   * JSON Schema of `structuredContent` in the result; its top level describes an object.
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
    type: "object";
    /** Schema of each output field, by name. */
    properties?: { [key: string]: object };
    /** Names of the required output fields. */
    required?: string[];
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
  _meta?: { [key: string]: unknown };
}

/**
 * Rules for the execution of a tool.
 *
 * @since 2025-11-25
 */
export interface ToolExecution {
  /**
   * Support for calls as tasks; by default `forbidden`.
   *
   * `forbidden`: a call must not be a task. `optional`: the caller decides. `required`: a call must
   * be a task.
   */
  taskSupport?: "forbidden" | "optional" | "required";
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

/* Tasks */

/**
 * Status of a task: running, waiting or ended.
 *
 * `working`: in progress. `input_required`: the task waits for something from the requester, such
 * as the answer to an elicitation. `completed`: done, with a result to fetch. `failed`: ended by an
 * error, or by a tool result with `isError`. `cancelled`: stopped before it was done. The last
 * three are final.
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
 * A request that is executed in the background, with its status.
 *
 * @since 2025-11-25
 */
export interface Task {
  /** Id of the task, assigned by the side that executes it. */
  taskId: string;
  /** Status of the task. */
  status: TaskStatus;
  /**
   * Explanation of the status for people, such as the cause of a failure or a summary of the
   * result.
   */
  statusMessage?: string;
  /** Time of creation in ISO 8601 form. */
  createdAt: string;
  /** Time of the last change in ISO 8601 form. */
  lastUpdatedAt: string;
  /**
   * Milliseconds from creation for which the task is kept; null means without limit.
   *
   * @nullable
   */
  ttl: number | null;
  /** Milliseconds to wait between two `tasks/get` requests; not binding. */
  pollInterval?: number;
}

/**
 * Options for the execution of a request as a task.
 *
 * @since 2025-11-25
 */
export interface TaskMetadata {
  /**
   * Milliseconds from creation for which to keep the task.
   *
   * The receiver chooses the value if it is absent, and may override it if it is present.
   */
  ttl?: number;
}

/**
 * Reference to the task that a message belongs to.
 *
 * Its key in `_meta` is `io.modelcontextprotocol/related-task`.
 *
 * @since 2025-11-25
 */
export interface RelatedTaskMetadata {
  /** Id of the task. */
  taskId: string;
}

/**
 * Result that confirms a new task; the result of the request itself is fetched later.
 *
 * @since 2025-11-25
 */
export interface CreateTaskResult extends Result {
  /** The new task. */
  task: Task;
}

/**
 * A request for the status of a task; either side may send it.
 *
 * @since 2025-11-25
 */
export interface GetTaskRequest extends JSONRPCRequest {
  method: "tasks/get";
  params: {
    /** Id of the task whose status is requested. */
    taskId: string;
  };
}

/**
 * Result of `tasks/get`: the task in its current status.
 *
 * @since 2025-11-25
 */
export type GetTaskResult = Result & Task;

/**
 * A request for the result of a task; either side may send it.
 *
 * The response is sent when the task has ended.
 *
 * @since 2025-11-25
 */
export interface GetTaskPayloadRequest extends JSONRPCRequest {
  method: "tasks/result";
  params: {
    /** Id of the task whose result is requested. */
    taskId: string;
  };
}

/**
 * Result of the original request, which was executed as a task.
 *
 * Its fields depend on that request: for `tools/call` they are those of `CallToolResult`.
 *
 * @since 2025-11-25
 */
export interface GetTaskPayloadResult extends Result {
  [key: string]: unknown;
}

/**
 * A request to stop a task; either side may send it.
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
 * Result of `tasks/cancel`: the cancelled task.
 *
 * @since 2025-11-25
 */
export type CancelTaskResult = Result & Task;

/**
 * A request for the other side's tasks, one page at a time.
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
 * A notification that the status of a task has changed.
 *
 * The side that executes the task may omit it: the other side should keep polling with `tasks/get`.
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
  /** Lowest severity to send; more severe messages are sent, too. */
  level: LoggingLevel;
}

/** A request to set the lowest severity of the log messages that the server sends. */
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
  /** Content of the log message: any JSON value (null too), often a string or an object. */
  data: unknown;
}

/**
 * A log message from the server.
 *
 * Until the client sets a level, the server decides which messages to send.
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
 * The server sends it. The client selects the model. It should first show the request to the user,
 * who may refuse it.
 */
export interface CreateMessageRequest extends JSONRPCRequest {
  method: "sampling/createMessage";
  params: CreateMessageRequestParams;
}

/**
 * A message that a language model generated for the server.
 *
 * The client should first show it to the user, who may withhold it from the server.
 */
export interface CreateMessageResult extends Result, SamplingMessage {
  /** Name of the model that wrote the message. */
  model: string;
  /**
   * Reason why the output ended, if known; strings other than those listed are allowed.
   *
   * `toolUse`: the model requests tool calls before it continues.
   */
  stopReason?: "endTurn" | "stopSequence" | "maxTokens" | "toolUse" | string;
}

/** One message of a conversation with a language model. */
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
  _meta?: { [key: string]: unknown };
}

/**
 * One block of content in a message of a sampling conversation, distinguished by `type`.
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
 * Content block in which a model requests a tool call.
 *
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
  _meta?: { [key: string]: unknown };
}

/**
 * Content block with the result of a tool call, for the model.
 *
 * @since 2025-11-25
 */
export interface ToolResultContent {
  type: "tool_result";
  /** The `id` of the `ToolUseContent` that requested the call. */
  toolUseId: string;
  /** Output of the tool as blocks of content, as in `CallToolResult`. */
  content: ContentBlock[];
  /**
   * Output of the tool as a JSON object.
   *
   * It should match the tool's `outputSchema`, if the tool has one.
   */
  structuredContent?: { [key: string]: unknown };
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
  _meta?: { [key: string]: unknown };
}

/**
 * Rule for the use of tools by a model.
 *
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
    /** Values to suggest, at most 100. */
    values: string[];
    /** Number of all matches, including those not in `values`; absent if unknown. */
    total?: number;
    /** True if there are more matches than `values` holds, even if `total` is absent. */
    hasMore?: boolean;
  };
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
 * The server sends it.
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
  _meta?: { [key: string]: unknown };
}

/**
 * A notification that the client's list of roots has changed.
 *
 * The server should then send `roots/list` again.
 */
export interface RootsListChangedNotification extends JSONRPCNotification {
  method: "notifications/roots/list_changed";
  params?: NotificationParams;
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
export interface ElicitRequestFormParams extends TaskAugmentedRequestParams {
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
export interface ElicitRequestURLParams extends TaskAugmentedRequestParams {
  /** Mode of the elicitation, here a web page. */
  mode: "url";
  /** Message to the user that explains the reason for the visit. */
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
 * A request for input from the user.
 *
 * The server sends it. Depending on `mode`, the client shows a form or suggests a web page to
 * visit; the user may refuse.
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
export interface ElicitResult extends Result {
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

/**
 * A notification that the user has completed a URL elicitation.
 *
 * The server may omit it.
 *
 * @since 2025-11-25
 */
export interface ElicitationCompleteNotification extends JSONRPCNotification {
  method: "notifications/elicitation/complete";
  params: {
    /** The `elicitationId` of the completed elicitation. */
    elicitationId: string;
  };
}

/* Client messages */

/**
 * Any request that a client sends, distinguished by `method`.
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
 * Any notification that a client sends, distinguished by `method`.
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
 * Any result that a client returns; its type follows from the request.
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
 * Any request that a server sends, distinguished by `method`.
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
  | ElicitationCompleteNotification
  | TaskStatusNotification;

/**
 * Any result that a server returns; its type follows from the request.
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
