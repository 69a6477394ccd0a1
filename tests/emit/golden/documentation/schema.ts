/**
 * Says "what" is wrong:
 * - the code,
 * - the text.
 *
 * Paths are written as C:\temp.
 * @since 2025-03-26
 */
export interface Problem {
  /**
   * How bad it is.
   * @minimum 0
   * @maximum 1
   * @TJS-type number
   */
  level?: number;
  /**
   * Where to read more.
   * @format uri
   * @deprecated Use `links`, please.
   */
  helpUrl?: string;
  /** @maxItems 3 */
  links: string[];
}

/** The worst there is. */
export const WORST = 1;
