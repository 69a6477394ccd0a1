export interface Item {
  name: string;
}

export type Items = { [key: string]: Item };
export type Numbers = Record<string, number>;

export interface Shop {
  items: Items;
  numbers?: Numbers;
  labels?: { [key: string]: string };
  anything?: object;
  shelves: { [key: string]: Item[] };
}
