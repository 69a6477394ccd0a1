/** """ ''' \""" {{ title }} {% raw %} ${x} `\N{DASH}` \x41 \u202e *\/ # type: ignore # fmt: off
 *
 * import os; os.system("true") ‮ ﻿
 *
 * - a list item that is long enough to be wrapped, as it has many words in it, all of them short ones
 *   1. in a list
 *
 * ```
 * code("""
 *   more
 * ```
 * ends in a quote "
 */
export interface Texts {
  /** ends in a backslash \ */
  a: "\"\"\"" | "'''" | "\\" | "\n\r\t\0" | "\u202e\u2066" | "{{ x }}" | "{% x %}" | "" | " " | "# fmt: off";
  /** "quoted" */
  b: '"';
  /** @deprecated */
  c?: "'";
  /** wordwordwordwordwordwordwordwordwordwordwordwordwordwordwordwordwordwordwordwordwordwordwordword */
  "\"\"\"\n{{ x }}": "\u{1f600}\ud83d\ude00é漢";
  d: "a literal that is long enough to fill a line of code by itself, and then some more, so that it has to be parted" | "b";
  e?: { [key: string]: "another literal that is long enough to fill a line of code by itself, and some more" | null };
  f: ("x\ny" | 1 | true | -5 | 0.5 | 1e22 | "\x00")[];
  g: -1;
  h: false;
  i?: 1.5;
  j: 1 | 2 | 3.5;
}
/** \ */
export const BACKSLASH = "\\";
/** # */
export const LONG = "a constant that is long enough to fill a line of code by itself, and then some more; yes, it is";
export const FRACTION = 0.25;
