export interface Request { method: string; params?: { _meta?: { progressToken?: string; [key: string]: unknown } } }
export interface Notification { method: string; params?: { [key: string]: unknown } }
export interface Result { _meta?: { [key: string]: unknown } }
export type EmptyResult = Result;
export interface JSONRPCRequest extends Request { jsonrpc: "2.0"; id: string }
export interface JSONRPCNotification extends Notification { jsonrpc: "2.0" }
export interface JSONRPCResponse { jsonrpc: "2.0"; id: string; result: Result }
export interface JSONRPCError { jsonrpc: "2.0"; id: string; error: { code: number; message: string; data?: unknown } }
export interface Implementation { name: string; version: string }
export interface ClientCapabilities { asking?: { often?: boolean } }
export interface ServerCapabilities { things?: {} }
export interface CancelledNotification extends Notification {
  method: "notifications/cancelled"; params: { requestId: string; reason?: string };
}
export interface ProgressNotification extends Notification {
  method: "notifications/progress"; params: { progressToken: string; progress: number; total?: number };
}
export interface InitializedNotification extends Notification { method: "notifications/initialized" }
export interface InitializeRequest extends Request {
  method: "initialize"; params: { protocolVersion: string; capabilities: ClientCapabilities; clientInfo: Implementation };
}
export interface InitializeResult extends Result {
  protocolVersion: string; capabilities: ServerCapabilities; serverInfo: Implementation; instructions?: string;
}
export interface PingRequest extends Request { method: "ping" }
export interface RequestRequest extends Request { method: "request" }
export interface ListRequest extends JSONRPCRequest { method: "list"; params: { _meta?: { token: string }; items: string[]; dict: { [key: string]: string[] } } }
export interface ImportRequest extends Request { method: "import"; params?: { self?: string; class?: "\"\"\""; timeout_?: number } }
export interface ShadowRequest extends Request {
  method: "shadow";
  params: {
    self: string; timeout: number; meta: string; types: string; methods: number[]; method_support: boolean; params?: string;
    on_progress?: null; result: string | null; "extra": string; cursor?: string;
  };
}
export interface MapRequest extends Request { method: "map"; params: { [key: string]: string } }
export interface NoneRequest { jsonrpc: "2.0"; id: string; method: "none" }
export interface Kinds { kind: "a"; a: string }
export interface KindsToo { kind: "b"; task?: { ttl: number }; input?: null | string }
export interface KindsRequest extends Request { method: "kinds"; params?: Kinds | KindsToo }
export interface KindsBRequest extends Request { method: "kinds/b"; params: { a: string } | { b: string } }
export interface EachRequest extends Request { method: "each"; params?: { cursor?: string; task?: { [key: string]: unknown }; filter: string } }
export interface EachResult extends Result { things: (string | Kinds | null)[]; nextCursor?: string }
export interface EachPageRequest extends Request { method: "each/page"; params?: { cursor?: string } }
export interface CreateTaskResult extends Result { task: string }
export interface AVeryLongNameOfARequestThatNeedsALineOfCodeByItselfRequest extends JSONRPCRequest {
  method: "a/method/with/a/name/that/is/long/enough/to/fill/a/line/of/code/by/itself/and/then/some/more";
  params: AVeryLongNameOfParamsThatNeedsALineOfCodeByItselfRequestParams;
}
export interface AVeryLongNameOfParamsThatNeedsALineOfCodeByItselfRequestParams {
  /** """ \ {{ x }} */ value: "one literal that is long" | "another literal that is long" | "and a third that is longer still";
  _meta?: { [key: string]: string };
  more?: AVeryLongNameOfParamsThatNeedsALineOfCodeByItselfRequestParams | JSONRPCError | string;
}
export interface AVeryLongNameOfARequestThatNeedsALineOfCodeByItselfResult extends Result { value: unknown }
export type ClientRequest = RequestRequest | ListRequest | ImportRequest | ShadowRequest | MapRequest | NoneRequest | KindsRequest
  | KindsBRequest | EachRequest | EachPageRequest | AVeryLongNameOfARequestThatNeedsALineOfCodeByItselfRequest;
export type ServerRequest = ClientRequest;
