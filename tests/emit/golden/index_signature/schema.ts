export interface Answer {
  ok: boolean;
  [key: string]: boolean;
}

export interface Result {
  _meta?: object;
  [key: string]: unknown;
}
