/** A file's name, or what is in a folder. */
export type Tree = string | Tree[];

/** Folders by name. */
export interface Forest {
  [key: string]: Tree | Forest;
}

export interface Disk {
  root?: Tree | null;
  others: Forest;
}
