import { Component } from 'preact';
import { useCallback, useEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import { useMay } from './access';
import { age, useNow } from './age';
import type { Order } from './arrange';
import { Completing } from './completing';
import type { Kind } from './discovery';
import { Failure } from './failure';
import { useKeys } from './keys';
import { go, hrefOf, pathOf, withSettings } from './route';
import type { Place } from './route';
import { isAge } from './rows';
import type { Column, Row } from './rows';
import { schemaOf } from './schema';
import { completeSelector } from './selectors';
import { StateLine } from './stateline';
import { LiveTable } from './table';
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
  const search = query.get('q') ?? '';
  const sort = query.get('sort') ?? '';
  const wide = query.get('wide') !== null;
  const set = (changes: Record<string, string>) => go(hrefOf(place, withSettings(query, changes)), true);

  const [, changed] = useReducer((n: number) => n + 1, 0);
  const [round, setRound] = useState(0);
  const [table, setTable] = useState<LiveTable>();
  useEffect(() => {
    const selectors = { labelSelector: labels, fieldSelector: fields };
    // However often the table changes, it is rendered at most once a frame. A hidden page has no frames, and shows nothing to anybody.
    let frame = 0;
    const render = () => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        changed(0);
      });
    };
    const next = new LiveTable(pathOf(place), selectors, kind.verbs.includes('watch'), { by: 0, descending: false }, search, render);
    setTable(next);
    return () => {
      next.close();
      cancelAnimationFrame(frame);
    };
  }, [place.namespace, labels, fields, round]);

  const columns = table?.columns ?? [];
  const shown = useMemo(() => shownColumns(columns, kind.namespaced && place.namespace === '', wide), [columns, place.namespace, wide]);
  const order = useMemo(() => orderOf(sort, shown), [sort, shown]);
  useEffect(() => table?.arrange(order, search), [table, order, search]);

  const mayCreate = useMay(place, kind.verbs.includes('create') ? ['create'] : []).has('create');
  const create = () => go(hrefOf(place, new URLSearchParams({ new: '1' })));
  const selectable = useSelectable(kind);
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
        <Completing
          id="fields"
          label="Field selector"
          placeholder="fields: path=value"
          value={fields}
          suggest={completeFields}
          onCommit={(text) => set({ fieldSelector: text })}
        />
        <div class="switch">
          <button aria-pressed={wide} title="All columns of the API (w)" onClick={() => set({ wide: wide ? '' : '1' })}>
            Wide
          </button>
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
        {mayCreate && (
          <button class="primary" title="Create an object (c)" onClick={create}>
            Create
          </button>
        )}
      </div>
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
          <p class="note">{search !== '' || labels !== '' || fields !== '' ? 'No object matches.' : `There are no ${kind.resource} here.`}</p>
        )}
      </div>
      {table && (
        <StateLine state={table.state} revision={table.revision}>
          {countText(rows.length, table)}
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

function useSelectable(kind: Kind): Map<string, string[]> {
  const [fields, setFields] = useState(new Map<string, string[]>([['metadata.name', []]]));
  useEffect(() => {
    void schemaOf(kind).then((schema) => schema && setFields(schema.selectable(kind.namespaced)));
  }, [kind]);
  return fields;
}

function countText(rows: number, table: LiveTable): string {
  const number = (n: number) => n.toLocaleString('en');
  if (table.state === 'loading' && table.expected > table.size) return `${number(table.size)} of ${number(table.expected)} read`;
  return rows === table.size || rows > table.size ? `${number(rows)} objects` : `${number(rows)} of ${number(table.size)} objects`;
}
