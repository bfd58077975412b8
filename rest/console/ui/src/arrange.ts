// Sorting and searching rows. A change moves only the rows that changed: 10,000 rows are not sorted again for each.
import type { Row } from './rows';

/** What to sort by: a column's index, or the namespace. */
export interface Order {
  by: number | 'namespace' | 'created';
  descending: boolean;
}

/** natural returns a text whose order by code units is the order that people expect: without case, and with numbers by their value.
 * A collator gives nearly the same order, and takes ten times as long for each comparison. */
function natural(text: string): string {
  return text.toLowerCase().replace(/\d+/g, (digits) => digits.padStart(16, '0'));
}

interface Keys {
  by: string | number;
  namespace: string;
  name: string;
}

export class Arranged {
  rows: Row[] = [];
  private readonly keys = new Map<Row, Keys>();

  constructor(
    private readonly order: Order,
    private readonly search: string,
  ) {}

  /** replace takes rows out and puts others in. */
  replace(out: Set<Row>, added: Iterable<Row>): void {
    const kept = out.size === 0 ? this.rows : this.rows.filter((row) => !out.has(row));
    for (const row of out) this.keys.delete(row);
    const wanted = [...added].filter((row) => matches(row, this.search)).sort(this.compare);
    this.rows = merge(kept, wanted, this.compare);
  }

  private readonly compare = (a: Row, b: Row): number => {
    const x = this.keysOf(a);
    const y = this.keysOf(b);
    const order = inOrder(x.by, y.by);
    if (order !== 0) return this.order.descending ? -order : order;
    return inOrder(x.namespace, y.namespace) || inOrder(x.name, y.name);
  };

  private keysOf(row: Row): Keys {
    let keys = this.keys.get(row);
    if (keys === undefined) {
      const by = keyOf(row, this.order.by);
      keys = { by: typeof by === 'number' ? by : natural(by), namespace: row.namespace, name: natural(row.name) };
      this.keys.set(row, keys);
    }
    return keys;
  }
}

/** inOrder compares two keys. Numbers come before texts. */
function inOrder(x: string | number, y: string | number): number {
  if (typeof x !== typeof y) return typeof x === 'number' ? -1 : 1;
  return x < y ? -1 : x > y ? 1 : 0;
}

function keyOf(row: Row, by: Order['by']): string | number {
  if (by === 'namespace') return row.namespace;
  if (by === 'created') return -Date.parse(row.created);
  return comparable(row.cells[by] ?? '');
}

const units: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400, y: 31_536_000 };

/** comparable returns a number for a number or a duration such as 5d3h, and any other text as it is. */
export function comparable(text: string): string | number {
  if (text !== '' && !Number.isNaN(Number(text))) return Number(text);
  if (/^(\d+[smhdy])+$/.test(text)) {
    return [...text.matchAll(/(\d+)([smhdy])/g)].reduce((sum, [, n, unit]) => sum + Number(n) * (units[unit ?? ''] ?? 0), 0);
  }
  return text;
}

/** matches reports whether each word of a search is in a cell, the namespace or a label. */
export function matches(row: Row, search: string): boolean {
  if (search === '') return true;
  if (row.text === undefined) {
    const labels = Object.entries(row.labels).map(([key, value]) => `${key}=${value}`);
    row.text = [row.namespace, row.name, ...row.cells, ...labels].join('\n').toLowerCase();
  }
  const text = row.text;
  return search.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

/** merge puts the sorted rows of b into the sorted rows of a. Few rows come into many, so it looks for the place of each by halves. */
function merge(a: Row[], b: Row[], compare: (x: Row, y: Row) => number): Row[] {
  if (b.length === 0) return a;
  const parts: Row[][] = [];
  let done = 0;
  for (const row of b) {
    let [low, high] = [done, a.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(a[middle]!, row) <= 0) low = middle + 1;
      else high = middle;
    }
    parts.push(a.slice(done, low), [row]);
    done = low;
  }
  parts.push(a.slice(done));
  return parts.flat();
}
