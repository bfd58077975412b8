// The live view of one object: one read, then one watch. Both ask for a Table whose row has the whole object, so that the page knows the
// columns of the server without another request.
import { ApiError, getJSON } from './api';
import type { Thing } from './meta';
import { pathOf } from './route';
import type { Place } from './route';
import { acceptTable, isAge, textOf } from './rows';
import type { Column, Table } from './rows';
import type { State } from './table';
import { pause, watch } from './watch';

/** A cell of the object's row in a table. */
export interface Cell {
  title: string;
  about: string;
  text: string;
}

export interface Shown {
  object?: Thing;
  /** The columns of the server without the wide ones and those that every object has. */
  cells?: Cell[];
  state: State | 'deleted';
  revision: string;
  error?: unknown;
}

/** An answer is a Table, or the object itself from a server that makes none of this kind. */
type Answer = Thing | TableOfObject;
type TableOfObject = Table & { apiVersion: string; kind: 'Table'; rows: { cells: unknown[]; object: Thing }[] };

const ask = { accept: `${acceptTable},application/json`, query: { includeObject: 'Object' } };

/** follow reports the object at place until the signal. */
export async function follow(place: Place, watched: boolean, signal: AbortSignal, report: (shown: Shown) => void): Promise<void> {
  let shown: Shown = { state: 'loading', revision: '' };
  const show = (change: Partial<Shown>) => {
    shown = { ...shown, ...change };
    if (!signal.aborted) report(shown);
  };
  let columns: Column[] = [];
  const read = (answer: Answer): Pick<Shown, 'object' | 'cells'> => {
    if (!isTable(answer)) return { object: answer };
    // Only the first event of a watch names the columns.
    columns = answer.columnDefinitions ?? columns;
    const [row] = answer.rows;
    return row ? { object: row.object, cells: cellsOf(columns, row.cells) } : {};
  };
  for (let failures = 0; !signal.aborted; ) {
    try {
      const { object, cells } = read(await getJSON<Answer>(pathOf(place), { ...ask, signal }));
      if (!object) throw new Error('the API answers a Table without a row');
      failures = 0;
      show({ object, cells, revision: object.metadata?.resourceVersion ?? '', state: watched ? shown.state : 'still', error: undefined });
      if (!watched) return;
      await watch<Answer>({
        path: pathOf({ ...place, name: '' }),
        query: { ...ask.query, fieldSelector: `metadata.name=${place.name}` },
        accept: ask.accept,
        revision: shown.revision,
        revisionOf: (seen) => seen.metadata?.resourceVersion ?? '',
        onEvents: (events) => {
          const last = events.filter((e) => e.type !== 'BOOKMARK').pop();
          for (const e of events) if (isTable(e.object)) columns = e.object.columnDefinitions ?? columns;
          if (last) show(last.type === 'DELETED' ? { state: 'deleted' } : { ...read(last.object), state: 'live' });
        },
        onState: (state, revision) => shown.state !== 'deleted' && show({ state, revision }),
        signal,
      });
    } catch (error) {
      if (signal.aborted) return;
      const gone = error instanceof ApiError && error.code === 404 && shown.object !== undefined;
      show(gone ? { state: 'deleted' } : { state: 'failed', error });
      if (error instanceof ApiError && error.code < 500 && error.code !== 429) return;
      await pause(Math.min(10_000, 1000 * 2 ** failures++), signal);
    }
  }
}

function isTable(answer: Answer): answer is TableOfObject {
  return answer.kind === 'Table' && (answer.apiVersion ?? '').startsWith('meta.k8s.io/');
}

function cellsOf(columns: Column[], cells: unknown[]): Cell[] {
  return columns.flatMap((column, i): Cell[] => {
    if ((column.priority ?? 0) > 0 || column.format === 'name' || column.name === 'Name' || isAge(column)) return [];
    return [{ title: column.name, about: column.description ?? '', text: textOf(cells[i]) }];
  });
}
