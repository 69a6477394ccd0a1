export type Reason = "end" | "length" | string;
export type Role = "user" | "assistant";

export interface Message {
  role: Role;
  reason?: Reason;
  priority?: 1 | 2 | 3;
}
