export interface Task {
  /** Absent means no name. */
  name?: string;
  /** Null means forever. */
  ttl: number | null;
  /** Null means unknown, absence that nobody asked. */
  owner?: string | null;
  data: unknown;
  more?: unknown;
}
