export type Tree = string | Tree[];
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type Literals = "it's" | "\"both\" 'quotes'\n" | Literals[] | { [key: string]: Literals | "\\" };
export type Even = number | Odd[];
export type Odd = { [key: string]: Even };
export type Wrapped = Tree | null;
export type Direct = Direct[];
export interface Map { [key: string]: Map | Leaf[] | "end" }
export interface Leaf { leaf: true; tree?: Tree; map: Map; self?: Leaf; more: Leaf[]; json?: Json; wrapped?: Wrapped }
export type Inline = { again?: Inline; other: { back: Inline }[] } | string;
export interface Person { friends: Person[]; best?: Person | null; by: { [key: string]: Person }; even: Even | Odd; d: Direct }

/** A second name for a type that contains itself; it comes first in the order of names. */
export type AnotherNameOfFolders = Folders;
export type Folders = { [name: string]: Folders };
