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
/** Asks for things. */
export interface ListThingsRequest extends Request { method: "things/list"; params: { kind: "a" | "b"; cursor?: string } }
export interface ListThingsResult extends Result { things: string[]; nextCursor?: string }
export interface FormParams { mode?: "form"; /** What to ask.
  * At length. */ question: string; default?: string | null }
/** Sends the user to a page. */
export interface PageParams { mode: "page"; url: string; timeout?: number; retries?: number }
/** Asks the user. */
export interface AskRequest extends Request { method: "asking/often"; params: FormParams | PageParams }
export interface AskResult extends Result { answer: string }
export type ClientRequest = InitializeRequest | PingRequest | ListThingsRequest;
export type ServerRequest = PingRequest | AskRequest;
