// The rows of a kind, from the server's own Tables.
import type { Meta } from './meta';

export interface Column {
  name: string;
  type: string;
  format?: string;
  description?: string;
  priority?: number;
}

export interface Table {
  metadata?: { resourceVersion?: string; continue?: string; remainingItemCount?: number };
  columnDefinitions?: Column[] | null;
  rows?: { cells: unknown[]; object: { metadata: Meta } }[] | null;
}

/** A row keeps of an object only what the table shows, sorts and completes by. */
export interface Row {
  key: string;
  name: string;
  namespace: string;
  cells: string[];
  labels: Record<string, string>;
  created: string;
  deleting: boolean;
  /** How often the row changed since the page shows it. */
  changes: number;
  /** Whether the object is deleted: the row fades. */
  gone: boolean;
  /** What a search looks at, once there was one. */
  text?: string;
}

export const acceptTable = 'application/json;as=Table;v=v1;g=meta.k8s.io';

export function rowsOf(table: Table): Row[] {
  return (table.rows ?? []).map(({ cells, object: { metadata: m } }) => ({
    key: m.uid ?? `${m.namespace}/${m.name}`,
    name: m.name ?? '',
    namespace: m.namespace ?? '',
    cells: cells.map(textOf),
    labels: m.labels ?? {},
    created: m.creationTimestamp ?? '',
    deleting: m.deletionTimestamp !== undefined,
    changes: 0,
    gone: false,
  }));
}

export function textOf(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell);
}

/** isAge reports whether the server computed the column as an age, which would stand still between two changes. */
export function isAge(column: Column): boolean {
  return column.name === 'Age';
}
