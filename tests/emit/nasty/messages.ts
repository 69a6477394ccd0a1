export type RequestId = string | number;
export interface Request { method: string; params?: { _meta?: { [key: string]: unknown }; [key: string]: unknown } }
export interface Notification { method: string; params?: { [key: string]: unknown } }
export interface Result { _meta?: { [key: string]: unknown }; [key: string]: unknown }
export type EmptyResult = Result;
export interface JSONRPCRequest extends Request { jsonrpc: "2.0"; id: RequestId }
export interface JSONRPCNotification extends Notification { jsonrpc: "2.0" }
export interface JSONRPCResponse { jsonrpc: "2.0"; id: RequestId; result: Result }
export interface JSONRPCError { jsonrpc: "2.0"; id: RequestId; error: { code: number; message: string; data?: unknown } }
export type JSONRPCBatchRequest = (JSONRPCRequest | JSONRPCNotification)[];
/** A method """ with a name */
export interface QuotedRequest extends Request { method: "\"\"\"\n{{ x }}"; params: { [key: string]: "a" | null } }
export interface RequestsRequest extends Request { method: "REQUESTS"; params?: { a: string; b?: { c: number } } }
export interface RequestsResult extends Result { requests: string[] }
export interface AVeryLongNameOfARequestThatNeedsALineOfCodeByItselfRequest extends JSONRPCRequest {
  method: "a/method/with/a/name/that/is/long/enough/to/fill/a/line/of/code/by/itself/and/then/some/more";
  params: AVeryLongNameOfParamsThatNeedsALineOfCodeByItselfRequestParams;
}
export interface AVeryLongNameOfParamsThatNeedsALineOfCodeByItselfRequestParams { value: unknown }
export interface AVeryLongNameOfARequestThatNeedsALineOfCodeByItselfResult extends Result { value: unknown }
export interface NoParamsRequest extends Request { method: "" }
export interface QuotedNotification extends Notification { method: "'" }
export interface AVeryLongNameOfANotificationThatNeedsALineOfCodeByItselfNotification extends JSONRPCNotification {
  method: "notifications/long"; params?: { [key: string]: string };
}
export type ClientRequest = QuotedRequest | RequestsRequest;
export type ServerRequest = NoParamsRequest | AVeryLongNameOfARequestThatNeedsALineOfCodeByItselfRequest | RequestsRequest;
export type ServerNotification = QuotedNotification | AVeryLongNameOfANotificationThatNeedsALineOfCodeByItselfNotification;
