interface Envelope { method: string; params?: { [key: string]: unknown } }
export interface Base { note?: string; [key: string]: unknown }
export interface Door { id: string; state: "open" | "shut" | "locked"; moved: number | null }
export interface Open extends Door { state: "open" }
export interface Locked extends Door { state: "locked"; keys: Keys }
export interface Shut extends Door { state: "shut" }
export type Keys = { [name: string]: { teeth: number } };
export type AnyDoor = Open | Locked | Shut;
export type DoorResult = Base & AnyDoor & {
  /** Which result it is. */
  mark: "door";
};
export type DoorRequest = Envelope & { method: "door/get"; params: { id: string } };
export interface OpenRequest extends Envelope { method: "door/open"; params: DoorParams }
export type DoorParams = Base & AnyDoor & { [key: string]: unknown };
export type OpenResult = Base;
export type Nothing = Record<string, never>;
export interface Window {
  size: ({ height: number } | { maxHeight?: number }) & ({ width: number } | { maxWidth?: number });
  either: { tag: "a" | "b" } & ({ tag: "a"; a: string } | { tag: "b"; b: string } | { tag: "c"; c: string });
  empty?: Nothing; list?: Record<string, never>; id?: never; gone?: never | undefined; choice?: string | never;
  [key: string]: unknown;
}
export interface Window { frame?: "wood" | "metal" }
export interface Plain extends Omit<Window, "size" | "either"> { frame?: never }
export declare const DOOR_METHOD: DoorRequest["method"];
export const OPEN_METHOD: OpenRequest["method"] = "door/open";
export interface Named { method: typeof DOOR_METHOD }
