import { Component } from 'preact';
import { useCallback, useEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import { useMay } from './access';
import { age, useNow } from './age';
import type { Order } from './arrange';
import { Completing } from './completing';
import type { Kind } from './discovery';
import { Facets } from './facets';
import { Failure } from './failure';
import { pastVerbs } from './history';
import { useKeys } from './keys';
import { completeQuery, sortByOf } from './queries';
import { RestoreDialog } from './restore';
import { go, hrefOf, pathOf, withSettings } from './route';
import type { Place } from './route';
import { isAge } from './rows';
import type { Column, Row } from './rows';
import { schemaOf, sortsLists } from './schema';
import { completeSelector } from './selectors';
import { SortedTable } from './sortedtable';
import { StateLine } from './stateline';
import { LiveTable } from './table';
import type { RowSource } from './table';
import { reveal, useWindow } from './window';

const rowHeight = 30;

interface Props {
  kind: Kind;
  place: Place;
  query: URLSearchParams;
}

interface ShownColumn {
  title: string;
  about: string;
  by: Order['by'];
  text: (row: Row, now: number) => string;
  numeric: boolean;
}

/** TableView shows the objects of a kind, live. */
export function TableView({ kind, place, query }: Props) {
  const labels = query.get('labelSelector') ?? '';
  const fields = query.get('fieldSelector') ?? '';
  const asked = query.get('fieldQuery') ?? '';
  const search = query.get('q') ?? '';
  const sort = query.get('sort') ?? '';
  const wide = query.get('wide') !== null;
  const counts = query.get('counts') !== null;
  const set = (changes: Record<string, string>) => go(hrefOf(place, withSettings(query, changes)), true);

  const [, changed] = useReducer((n: number) => n + 1, 0);
  const [round, setRound] = useState(0);
  const [table, setTable] = useState<RowSource>();
  const { selectable, queried } = useFields(kind);
  const selectors: Record<string, string> = { labelSelector: labels, fieldSelector: fields, fieldQuery: queried ? asked : '' };
  // The sort that the API has refused: it is the page's own then.
  const [refused, setRefused] = useState<string>();
  const sortBy = queried && refused !== sort ? sortByOf(sort, selectable.keys()) : '';
  // What depends on queries waits until the page knows whether the API has them.
  const ready = queried !== undefined || (asked === '' && sort === '');
  useEffect(() => {
    if (!ready) return;
    // However often the table changes, it is rendered at most once a frame. A hidden page has no frames, and shows nothing to anybody.
    let frame = 0;
    const render = () => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        changed(0);
      });
    };
    const path = pathOf(place);
    const watched = kind.verbs.includes('watch');
    const orderIn = (columns: Column[]) => orderOf(sort, shownColumns(columns, kind.namespaced && place.namespace === '', true));
    const next: RowSource =
      sortBy === ''
        ? new LiveTable(path, selectors, watched, { by: 0, descending: false }, search, render)
        : new SortedTable(path, selectors, sortBy, watched, orderIn, () => setRefused(sort), render);
    // The heads stay, and with them the focus, until the new rows are there.
    next.columns = table?.columns ?? [];
    setTable(next);
    return () => {
      next.close();
      cancelAnimationFrame(frame);
    };
  }, [place.namespace, labels, fields, selectors['fieldQuery'], sortBy, ready, round]);

  const columns = table?.columns ?? [];
  const shown = useMemo(() => shownColumns(columns, kind.namespaced && place.namespace === '', wide), [columns, place.namespace, wide]);
  const order = useMemo(() => orderOf(sort, shown), [sort, shown]);
  useEffect(() => table?.arrange(order, search), [table, order, search]);

  const mayCreate = useMay(place, kind.verbs.includes('create') ? ['create'] : []).has('create');
  const create = () => go(hrefOf(place, new URLSearchParams({ new: '1' })));
  const [restoring, setRestoring] = useState(false);
  const mayRestore = useMay(place, pastVerbs(kind)).has('create/undo');
  const now = useNow();
  const scroller = useRef<HTMLDivElement>(null);
  const searchField = useRef<HTMLInputElement>(null);
  const at = useRef(-1);
  const cursor = at.current;
  const rows = table?.arranged.rows ?? [];
  const { first, end } = useWindow(scroller, rows.length, rowHeight);
  const move = (step: number) => {
    at.current = Math.max(0, Math.min(rows.length - 1, at.current + step));
    if (scroller.current) reveal(scroller.current, at.current, rowHeight, rowHeight + 2);
    changed(0);
  };
  const hrefOfRow = useCallback(
    (row: Row) => hrefOf({ ...place, namespace: kind.namespaced ? row.namespace : '', name: row.name }),
    [place.namespace, kind],
  );
  const open = () => {
    const row = rows[at.current];
    if (row) go(hrefOfRow(row));
  };
  useKeys({
    '/': () => searchField.current?.focus(),
    j: () => move(1),
    k: () => move(-1),
    Enter: open,
    w: () => set({ wide: wide ? '' : '1' }),
    f: () => countable.length > 0 && set({ counts: counts ? '' : '1' }),
    c: () => mayCreate && create(),
    Escape: () => searchField.current?.blur(),
  });
  const tableKeys = (event: KeyboardEvent) => {
    const page = Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 1;
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -rows.length, End: rows.length };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    move(step);
  };
  const widths = useWidths(shown, rows);
  const completeLabels = (text: string) => completeSelector(text, table?.labels ?? new Map());
  const completeFields = (text: string) => completeSelector(text, selectable);
  const queryable = () => {
    const all = new Map<string, Iterable<string>>([...selectable, ['metadata.creationTimestamp', []]]);
    for (const [key, values] of table?.labels ?? []) all.set(`metadata.labels.${key}`, values);
    return all;
  };
  const countable = queried ? [...selectable.keys()].filter((field) => !field.startsWith('metadata.')) : [];
  const sorted = table instanceof SortedTable ? table : undefined;
  useEffect(() => {
    if (end + 100 > rows.length) sorted?.more();
  }, [sorted, end, rows.length]);

  return (
    <div class="table-view">
      <h1 class="visually-hidden">{kind.kind}</h1>
      <div class="bar">
        <input
          ref={searchField}
          type="search"
          aria-label="Search the rows"
          placeholder="Search  /"
          value={search}
          onInput={(e) => set({ q: e.currentTarget.value })}
          onKeyDown={(e) => e.key === 'Enter' && (e.currentTarget.blur(), move(at.current < 0 ? 1 : 0))}
        />
        <Completing
          id="labels"
          label="Label selector"
          placeholder="labels: key=value"
          value={labels}
          suggest={completeLabels}
          onCommit={(text) => set({ labelSelector: text })}
        />
        {(!queried || fields !== '') && (
          <Completing
            id="fields"
            label="Field selector"
            placeholder="fields: path=value"
            value={fields}
            suggest={completeFields}
            onCommit={(text) => set({ fieldSelector: text })}
          />
        )}
        {queried && (
          <Completing
            id="query"
            label="Query of fields"
            placeholder="query: path>=value"
            value={asked}
            suggest={(text) => completeQuery(text, queryable())}
            onCommit={(text) => set({ fieldQuery: text })}
          />
        )}
        <div class="switch">
          <button aria-pressed={wide} title="All columns of the API (w)" onClick={() => set({ wide: wide ? '' : '1' })}>
            Wide
          </button>
          {countable.length > 0 && (
            <button aria-pressed={counts} title="How many objects have which values (f)" onClick={() => set({ counts: counts ? '' : '1' })}>
              Counts
            </button>
          )}
        </div>
        {kind.versions.length > 1 && (
          <select
            aria-label="Version"
            value={kind.version}
            onChange={(e) => go(hrefOf({ ...place, version: e.currentTarget.value }, query))}
          >
            {kind.versions.map((version) => (
              <option key={version}>{version}</option>
            ))}
          </select>
        )}
        {mayRestore && (
          <button title="Restore a deleted object by its name" onClick={() => setRestoring(true)}>
            Restore
          </button>
        )}
        {mayCreate && (
          <button class="primary" title="Create an object (c)" onClick={create}>
            Create
          </button>
        )}
      </div>
      {queried === false && asked !== '' && <p class="note bar">The API has no queries: the page shows all objects, without the query {asked}.</p>}
      {counts && countable.length > 0 && (
        <Facets
          path={pathOf(place)}
          selectors={selectors}
          fields={countable}
          revision={table?.revision ?? ''}
          onQuery={(text) => set({ fieldQuery: text })}
        />
      )}
      {restoring && <RestoreDialog kind={kind} place={place} onClose={() => setRestoring(false)} />}
      {table?.state === 'failed' && <Failure error={table.error} again={() => setRound(round + 1)} />}
      <div class="scroller" ref={scroller}>
        <table
          role="grid"
          tabIndex={0}
          aria-label={`${kind.kind}, ${rows.length} rows`}
          aria-rowcount={rows.length + 1}
          onKeyDown={tableKeys}
          {...(cursor >= first && cursor < end ? { 'aria-activedescendant': `row-${cursor}` } : {})}
        >
          <colgroup>
            {widths.map((width) => (
              <col style={{ width: `${width}ch` }} />
            ))}
          </colgroup>
          <thead>
            <tr aria-rowindex={1}>
              {shown.map((column) => (
                <Heading key={column.title} column={column} order={order} onSort={(next) => set({ sort: next })} />
              ))}
            </tr>
          </thead>
          <tbody>
            {first > 0 && <Space rows={first} columns={shown.length} />}
            {rows.slice(first, end).map((row, i) => (
              <TableRow key={row.key} row={row} look={classOf(row)} i={first + i} selected={first + i === cursor} columns={shown} now={now} hrefOf={hrefOfRow} />
            ))}
            {end < rows.length && <Space rows={rows.length - end} columns={shown.length} />}
          </tbody>
        </table>
        {rows.length === 0 && table && table.state !== 'failed' && table.state !== 'loading' && (
          <p class="note">{search !== '' || labels !== '' || fields !== '' || asked !== '' ? 'No object matches.' : `There are no ${kind.resource} here.`}</p>
        )}
      </div>
      {table && (
        <StateLine state={table.state} revision={sorted ? '' : table.revision}>
          {countText(rows.length, table)}
          {sorted && sorted.revision !== '' && <span class="sorted"> · sorted by the API at revision {sorted.revision}</span>}
          {sorted && sorted.outdated > 0 && (
            <button class="link" onClick={() => sorted.sortAgain()}>
              {sorted.outdated.toLocaleString('en')} changes since: sort again
            </button>
          )}
        </StateLine>
      )}
    </div>
  );
}

interface RowProps {
  row: Row;
  look: string;
  i: number;
  selected: boolean;
  columns: ShownColumn[];
  now: number;
  hrefOf: (row: Row) => string;
}

/** TableRow renders only what changed: a table of many changes has few changed rows at a time. */
class TableRow extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    return (Object.keys(next) as (keyof RowProps)[]).some((key) => next[key] !== this.props[key]);
  }

  override render({ row, look, i, selected, columns, now, hrefOf }: RowProps) {
    const href = hrefOf(row);
    return (
      <tr
        id={`row-${i}`}
        aria-rowindex={i + 2}
        aria-selected={selected}
        class={look}
        onClick={(e) => !(e.target as HTMLElement).closest('a') && !getSelection()?.toString() && go(href)}
      >
        {columns.map((column) => (
          <td key={column.title} class={column.numeric ? 'number' : undefined}>
            {column.by === 0 ? (
              <a href={href} tabIndex={-1}>
                {column.text(row, now)}
              </a>
            ) : (
              <Cell text={column.text(row, now)} />
            )}
          </td>
        ))}
      </tr>
    );
  }
}

function Heading({ column, order, onSort }: { column: ShownColumn; order: Order; onSort: (sort: string) => void }) {
  const sorted = order.by === column.by;
  const next = sorted && !order.descending ? `-${column.title}` : column.title;
  return (
    <th aria-sort={sorted ? (order.descending ? 'descending' : 'ascending') : 'none'} class={column.numeric ? 'number' : undefined}>
      <button title={column.about} tabIndex={-1} onClick={() => onSort(next)}>
        {column.title}
        {sorted && <span aria-hidden="true">{order.descending ? ' ↓' : ' ↑'}</span>}
      </button>
    </th>
  );
}

function Space({ rows, columns }: { rows: number; columns: number }) {
  return (
    <tr class="space" aria-hidden="true">
      <td colSpan={columns} style={{ height: `${rows * rowHeight}px` }} />
    </tr>
  );
}

/** Cell marks the three values of a condition, without judging them: whether True is good, the kind knows. */
export function Cell({ text }: { text: string }) {
  if (text !== 'True' && text !== 'False' && text !== 'Unknown') return <>{text}</>;
  return <span class={`mark ${text.toLowerCase()}`}>{text}</span>;
}

function classOf(row: Row): string {
  const flash = row.changes === 0 ? '' : row.changes % 2 === 0 ? 'flash-even' : 'flash-odd';
  return [flash, row.gone ? 'gone' : '', row.deleting ? 'deleting' : ''].filter(Boolean).join(' ');
}

function shownColumns(columns: Column[], namespace: boolean, wide: boolean): ShownColumn[] {
  const shown = columns.flatMap((column, i): ShownColumn[] => {
    if (!wide && (column.priority ?? 0) > 0) return [];
    const about = column.description ?? '';
    const numeric = column.type === 'integer' || column.type === 'number';
    // The server's age is that of the moment of its answer.
    if (isAge(column)) return [{ title: column.name, about, by: 'created', text: (row, now) => age(row.created, now), numeric }];
    return [{ title: column.name, about, by: i, text: (row) => row.cells[i] ?? '', numeric }];
  });
  if (namespace) shown.splice(1, 0, { title: 'Namespace', about: 'The namespace of the object.', by: 'namespace', text: (row) => row.namespace, numeric: false });
  return shown;
}

function orderOf(sort: string, shown: ShownColumn[]): Order {
  const title = sort.replace(/^-/, '');
  return { by: shown.find((column) => column.title === title)?.by ?? 0, descending: sort.startsWith('-') };
}

/** useWidths returns the columns' widths in characters, from a sample of the rows, anew when the table has grown fourfold. */
function useWidths(shown: ShownColumn[], rows: Row[]): number[] {
  const size = Math.floor(Math.log2(rows.length + 1) / 2);
  return useMemo(() => {
    const step = Math.max(1, Math.floor(rows.length / 200));
    const sample = rows.filter((_, i) => i % step === 0);
    const now = Date.now();
    return shown.map((column) => {
      const longest = sample.reduce((most, row) => Math.max(most, column.text(row, now).length), column.title.length + 2);
      return Math.min(48, Math.max(6, longest)) + 3;
    });
  }, [shown, size]);
}

interface Fields {
  selectable: Map<string, string[]>;
  /** Whether the API has queries. Undefined until the page knows. */
  queried?: boolean;
}

/** useFields returns the fields by which the API selects objects of a kind. */
function useFields(kind: Kind): Fields {
  const [fields, setFields] = useState<Fields>({ selectable: new Map([['metadata.name', []]]) });
  useEffect(() => {
    void Promise.all([schemaOf(kind), sortsLists(kind)]).then(([schema, queried]) =>
      setFields((old) => ({ selectable: schema?.selectable(kind.namespaced) ?? old.selectable, queried })),
    );
  }, [kind]);
  return fields;
}

function countText(rows: number, table: RowSource): string {
  const number = (n: number) => n.toLocaleString('en');
  if (table instanceof SortedTable && !table.complete) return `${number(table.size)} read, and there are more`;
  if (table.state === 'loading' && table.expected > table.size) return `${number(table.size)} of ${number(table.expected)} read`;
  return rows === table.size || rows > table.size ? `${number(rows)} objects` : `${number(rows)} of ${number(table.size)} objects`;
}
