// Names that the emitted code needs for itself, or that are no identifiers.
export interface Any { list: string[]; str: Literal; dict?: { [key: string]: Any }; type: "any" }
export interface Literal { self: string; extra?: number; class: None; import?: True; lambda: boolean; type: "literal" }
export interface None { None?: string; True: boolean; __class__?: string; __init__: string; __slots__?: number }
export interface Record { "$schema": string; "_meta"?: object; "x-y": number; "io.example/thing": string; "⑴": string }
export interface Union { a: Any | Literal; b?: (Any | Literal)[]; int: number; float: "x"; object: object; Any: Any }
export type Optional = Any | null;
export type list = string[];
export type str = "a" | "b";
export type types = list | str;
export type VALUES = "a" | "b" | "c";
export type Unset = { [key: string]: VALUES };
export const UNSET = "unset";
export const ClassVar = 1;
export const Final = true;
export interface Message { converter: Client; d: str; o: list; v: types; k: Unset; e: VALUES; n: number; cls: Optional }
export interface Client { type: "client"; types?: types; new?: string; checks?: string; d?: typeof UNSET; Json: unknown }
export interface tool { tool: tool | null; new?: string }
export interface AVeryLongNameOfATypeThatIsStillAcceptedAsItHasLessThanAHundredAndTwentyCharacters {
  aVeryLongNameOfAPropertyThatFillsALineOfCodeNearlyAllByItselfAndThenSomeMore: Any;
  another?: { aVeryLongNameOfAPropertyInIt: "a" | "b" };
}
export interface True { "ünïcödé"?: None; "名前": string; "a b": number; "1st"?: string; "0": string; }
