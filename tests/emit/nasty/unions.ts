export interface A { kind: "a"; only?: string }
export interface B { kind: "b" | "c"; only?: number }
export interface C { kind?: "d"; c?: A[] }
export type ABC = A | B | C;
export interface D { left: number }
export interface E { right: string[] }
export interface F { inner: { tag: 1; x?: string } }
export interface G { inner: { tag: 2; y?: string } }
export interface H { on: true }
export interface I { on: false }
export interface Uses {
  a: ABC; b?: ABC | null; c: ABC | ABC[] | string; d: { [key: string]: ABC }; e?: (ABC | number)[][];
  f: D | E; g?: D | E | string; h: (D | E)[]; i: F | G; j: H | I | null; k: boolean | null; l: string | number | boolean | null;
  m: string[] | number[]; n: A[] | D[]; o: { [key: string]: string } | string[]; p: { [key: string]: A } | "x" | 5;
  q: object | string; r: unknown; s?: unknown; t?: unknown[]; u: "a" | "b" | A; v: (string & {}) | "known" | null;
  w: Omit<A, "only">; x: Pick<Uses, "a" | "k">; y?: Partial<D>; z: A["only"]; aa: Required<A> | string; ab: D & { more?: A };
  ac: readonly ("x" | D | E | (D | E)[])[]; ad: { [key: string]: { [key: string]: ABC[] } } | null; ae: true | "true" | 1;
  [key: string]: unknown;
}
export interface Index { known: string; [key: string]: string | number | A | (string | A)[] }
export type Aliased = Array<ABC | D[]>;
export type MapOfUnions = Record<string, "a" | 1 | ABC | Aliased>;

/** Literals that Python takes for equal. */
export interface Equals {
  one: 1 | "p" | null;
  yes: true | "p" | null;
  ones: (1 | 2)[];
  decimals: (1.5 | 2)[];
  toggles: (true | "p")[];
}
