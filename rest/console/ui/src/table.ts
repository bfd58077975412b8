// The live table of one kind: pages of a list, then one watch from the list's revision.
import { ApiError, getJSON } from './api';
import { Arranged } from './arrange';
import type { Order } from './arrange';
import { acceptTable, rowsOf } from './rows';
import type { Column, Row, Table } from './rows';
import { pause, watch } from './watch';
import type { Event } from './watch';

export type State = 'loading' | 'live' | 'hidden' | 'lost' | 'still' | 'failed';

/** What the view of a table shows. */
export interface RowSource {
  columns: Column[];
  readonly arranged: { rows: Row[] };
  readonly state: State;
  readonly revision: string;
  readonly error: unknown;
  /** How many objects exist as far as the page knows, and how many it has read. */
  readonly expected: number;
  readonly size: number;
  /** Labels seen, for completion. */
  readonly labels: Map<string, Set<string>>;
  arrange(order: Order, search: string): void;
  close(): void;
}

const pageSize = 500;
/** How long the page gathers changes before it shows them, and how long a deleted row fades. */
const gather = 100;
const fade = 1200;

export class LiveTable implements RowSource {
  columns: Column[] = [];
  arranged: Arranged;
  state: State = 'loading';
  revision = '';
  error: unknown;
  expected = 0;
  readonly labels = new Map<string, Set<string>>();

  private readonly rows = new Map<string, Row>();
  private readonly out = new Set<Row>();
  private readonly added = new Set<Row>();
  private readonly stop = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly path: string,
    private readonly query: Record<string, string>,
    private readonly watched: boolean,
    order: Order,
    search: string,
    private readonly onChange: () => void,
  ) {
    this.arranged = new Arranged(order, search);
    void this.run();
  }

  close(): void {
    this.stop.abort();
    clearTimeout(this.timer);
  }

  get size(): number {
    return this.rows.size;
  }

  arrange(order: Order, search: string): void {
    this.arranged = new Arranged(order, search);
    this.out.clear();
    this.added.clear();
    this.arranged.replace(new Set(), this.rows.values());
    this.onChange();
  }

  private async run(): Promise<void> {
    const signal = this.stop.signal;
    for (let failures = 0; !signal.aborted; ) {
      try {
        await this.list();
        failures = 0;
        if (!this.watched) return this.show('still');
        await watch<Table>({
          path: this.path,
          query: this.query,
          accept: acceptTable,
          revision: this.revision,
          revisionOf: (table) => table.metadata?.resourceVersion ?? '',
          onEvents: (events) => this.take(events),
          onState: (state, revision) => {
            this.revision = revision;
            this.show(state);
          },
          signal,
        });
      } catch (error) {
        if (signal.aborted) return;
        this.error = error;
        this.show('failed');
        if (error instanceof ApiError && error.code < 500 && error.code !== 429) return;
        await pause(Math.min(10_000, 1000 * 2 ** failures++), signal);
      }
    }
  }

  /** list reads all pages. Each is shown when it comes. */
  private async list(): Promise<void> {
    this.show(this.rows.size === 0 ? 'loading' : this.state);
    const seen = new Set<string>();
    for (let next = ''; ; ) {
      let table: Table;
      try {
        const query = { ...this.query, limit: String(pageSize), continue: next };
        table = await getJSON<Table>(this.path, { accept: acceptTable, query, signal: this.stop.signal });
      } catch (error) {
        if (next === '' || !(error instanceof ApiError) || error.code !== 410) throw error;
        seen.clear();
        next = '';
        continue;
      }
      // Each page tells the columns. The same ones again must not arrange the table anew.
      const { columnDefinitions } = table;
      if (columnDefinitions && JSON.stringify(columnDefinitions) !== JSON.stringify(this.columns)) this.columns = columnDefinitions;
      for (const row of rowsOf(table)) {
        seen.add(row.key);
        this.put(row, false);
      }
      this.error = undefined;
      this.revision = table.metadata?.resourceVersion ?? '';
      this.expected = seen.size + (table.metadata?.remainingItemCount ?? 0);
      this.flush();
      next = table.metadata?.continue ?? '';
      if (next === '') break;
    }
    for (const [key, row] of this.rows) if (!seen.has(key)) this.remove(row);
    this.flush();
  }

  private take(events: Event<Table>[]): void {
    for (const event of events) {
      this.revision = event.object.metadata?.resourceVersion ?? this.revision;
      if (event.type === 'BOOKMARK') continue;
      for (const row of rowsOf(event.object)) {
        if (event.type !== 'DELETED') this.put(row, true);
        else this.remove(this.rows.get(row.key));
      }
    }
    this.timer ??= setTimeout(() => this.flush(), gather);
  }

  private put(row: Row, flash: boolean): void {
    const old = this.rows.get(row.key);
    if (old) {
      this.takeOut(old);
      row.changes = old.changes;
    }
    if (flash) row.changes++;
    this.rows.set(row.key, row);
    this.added.add(row);
    for (const [key, value] of Object.entries(row.labels)) {
      let values = this.labels.get(key);
      if (!values) this.labels.set(key, (values = new Set()));
      if (values.size < 200) values.add(value);
    }
  }

  private remove(row: Row | undefined): void {
    if (!row) return;
    this.rows.delete(row.key);
    row.gone = true;
    setTimeout(() => {
      this.takeOut(row);
      this.timer ??= setTimeout(() => this.flush(), gather);
    }, fade);
  }

  private takeOut(row: Row): void {
    if (!this.added.delete(row)) this.out.add(row);
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.arranged.replace(this.out, this.added);
    this.out.clear();
    this.added.clear();
    if (!this.stop.signal.aborted) this.onChange();
  }

  private show(state: State): void {
    this.state = state;
    if (!this.stop.signal.aborted) this.onChange();
  }
}
