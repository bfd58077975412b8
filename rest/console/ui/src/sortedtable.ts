// The table of a kind in the order of the API: pages of a sorted list, which all show the revision of the first one, and a watch.
import { ApiError, send } from './api';
import type { Order } from './arrange';
import { matches } from './arrange';
import { areSorted, checkApplied } from './queries';
import { acceptTable, rowsOf } from './rows';
import type { Column, Row, Table } from './rows';
import type { RowSource, State } from './table';
import { pause, watch } from './watch';
import type { Event } from './watch';

const pageSize = 500;
/** How long after a change a table of one page is sorted again, and how long a deleted row fades. */
const patience = 1000;
const fade = 1200;

export class SortedTable implements RowSource {
  columns: Column[] = [];
  arranged: { rows: Row[] } = { rows: [] };
  state: State = 'loading';
  revision = '';
  error: unknown;
  expected = 0;
  /** How many changes there were since the rows were sorted. */
  outdated = 0;
  readonly labels = new Map<string, Set<string>>();

  private rows: Row[] = [];
  private next = '';
  private reading = false;
  private search = '';
  private readonly stop = new AbortController();
  private round = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly path: string,
    private readonly query: Record<string, string>,
    private readonly sortBy: string,
    private readonly watched: boolean,
    /** orderOf returns what the page knows of the order, once it knows the columns. */
    private readonly orderOf: (columns: Column[]) => Order,
    /** Hears that the API does not sort, or sorts by something else than the column. */
    private readonly onRefused: () => void,
    private readonly onChange: () => void,
  ) {
    void this.run();
  }

  close(): void {
    this.stop.abort();
    this.round.abort();
    clearTimeout(this.timer);
  }

  get size(): number {
    return this.rows.length;
  }

  get complete(): boolean {
    return this.next === '';
  }

  arrange(_: Order, search: string): void {
    this.search = search;
    this.show();
  }

  /** sortAgain reads the rows again. */
  sortAgain(): void {
    this.round.abort();
  }

  /** more reads the next page, if there is one. */
  more(): void {
    if (this.next === '' || this.reading || this.state === 'failed') return;
    this.page(this.next).catch((error) => {
      if (this.stop.signal.aborted) return;
      // The store has dropped the revision of the pages.
      if (error instanceof ApiError && error.code === 410) this.sortAgain();
      else this.fail(error);
    });
  }

  private async run(): Promise<void> {
    for (let failures = 0; !this.stop.signal.aborted; ) {
      this.round = new AbortController();
      const signal = this.round.signal;
      try {
        await this.page('');
        failures = 0;
        if (!this.watched) {
          this.show('still');
          await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
          continue;
        }
        await watch<Table>({
          path: this.path,
          query: this.query,
          accept: acceptTable,
          revision: this.revision,
          revisionOf: (table) => table.metadata?.resourceVersion ?? '',
          onEvents: (events) => this.take(events),
          onState: (state) => this.show(state),
          signal,
        });
      } catch (error) {
        if (this.stop.signal.aborted) return;
        this.fail(error);
        if (error instanceof ApiError && error.code < 500 && error.code !== 429) return;
        await pause(Math.min(10_000, 1000 * 2 ** failures++), this.stop.signal);
      }
    }
  }

  private async page(next: string): Promise<void> {
    this.reading = true;
    try {
      const query = { ...this.query, sortBy: this.sortBy, limit: String(pageSize), continue: next };
      const response = await send(this.path, { accept: acceptTable, query, signal: this.stop.signal });
      const table = (await response.json()) as Table;
      checkApplied(response, ['sortBy']);
      if (table.columnDefinitions) this.columns = table.columnDefinitions;
      const rows = rowsOf(table);
      if (!areSorted(rows, this.orderOf(this.columns))) return this.onRefused();
      for (const row of rows) this.learn(row);
      if (next === '') {
        this.rows = rows;
        this.outdated = 0;
        clearTimeout(this.timer);
        this.timer = undefined;
      } else this.rows = [...this.rows, ...rows];
      this.next = table.metadata?.continue ?? '';
      this.revision = table.metadata?.resourceVersion ?? '';
      this.expected = this.rows.length + (table.metadata?.remainingItemCount ?? 0);
      this.error = undefined;
      this.show(this.state === 'failed' ? 'loading' : this.state);
    } finally {
      this.reading = false;
    }
  }

  /** take changes the rows where they are. */
  private take(events: Event<Table>[]): void {
    for (const event of events) {
      if (event.type === 'BOOKMARK') continue;
      for (const row of rowsOf(event.object)) {
        this.outdated++;
        this.learn(row);
        const old = this.rows.find((r) => r.key === row.key);
        if (!old) continue;
        if (event.type === 'DELETED') {
          old.gone = true;
          setTimeout(() => {
            this.rows = this.rows.filter((r) => r !== old);
            this.show();
          }, fade);
        } else this.rows = this.rows.map((r) => (r === old ? { ...row, changes: old.changes + 1 } : r));
      }
    }
    // A table of one page costs one request to sort again.
    if (this.outdated > 0 && this.complete && this.rows.length <= pageSize) this.timer ??= setTimeout(() => this.sortAgain(), patience);
    this.show();
  }

  private learn(row: Row): void {
    for (const [key, value] of Object.entries(row.labels)) {
      let values = this.labels.get(key);
      if (!values) this.labels.set(key, (values = new Set()));
      if (values.size < 200) values.add(value);
    }
  }

  private fail(error: unknown): void {
    this.error = error;
    this.show('failed');
  }

  private show(state: State = this.state): void {
    this.state = state;
    this.arranged = { rows: this.rows.filter((row) => matches(row, this.search)) };
    if (!this.stop.signal.aborted) this.onChange();
  }
}
