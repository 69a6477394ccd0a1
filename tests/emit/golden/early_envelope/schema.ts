export type RequestId = string | number;
export interface Request {
  method: string;
  params?: { [key: string]: unknown };
}
export interface JSONRPCRequest extends Request {
  jsonrpc: "2.0";
  id: RequestId;
}
export interface EmptyResult {}

/** Asks whether the other side is there. */
export interface PingRequest extends Request {
  method: "ping";
}
export type ClientRequest = PingRequest;
