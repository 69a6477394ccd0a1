/** A text. */
export interface Text {
  type: "text";
  text: string;
}

/** A picture, by its address. */
export interface Picture {
  type: "picture";
  url: string;
}

/** What a page consists of. */
export type Part = Text | Picture;

export interface Page {
  parts: Part[];
  cover?: Part;
}
