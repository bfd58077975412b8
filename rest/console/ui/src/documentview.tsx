import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { age } from './age';
import { FieldPanel } from './fieldpanel';
import { useKeys } from './keys';
import { jsonLines, pathText, textOfLines, yamlLines } from './lines';
import type { Line } from './lines';
import type { Thing } from './meta';
import type { KindSchema } from './schema';
import { Setters } from './setters';
import type { Setter } from './setters';
import { reveal, useWindow } from './window';

const lineHeight = 20;

interface Props {
  object: Thing;
  schema: KindSchema | undefined;
  query: URLSearchParams;
  set: (changes: Record<string, string>) => void;
  now: number;
}

/** DocumentView shows the object as YAML or JSON, beside each line who set it, and the documentation of the chosen field. */
export function DocumentView({ object, schema, query, set, now }: Props) {
  const asJSON = query.get('as') === 'json';
  const all = query.get('managed') !== null;
  const field = query.get('field') ?? '';
  const lines = useMemo(() => (asJSON ? jsonLines : yamlLines)(all ? object : withoutManaged(object)), [object, asJSON, all]);
  const setters = useMemo(() => new Setters(object, object.metadata?.managedFields ?? []), [object]);
  const scroller = useRef<HTMLDivElement>(null);
  const { first, end } = useWindow(scroller, lines.length, lineHeight);
  const [copied, setCopied] = useState(false);
  const chosen = field === '' ? -1 : lines.findIndex((line) => pathText(line.path) === field);
  useEffect(() => {
    if (chosen >= 0 && scroller.current) reveal(scroller.current, chosen, lineHeight, 0);
  }, [field]);
  const choose = (i: number) => {
    const line = lines[i];
    if (line) set({ field: pathText(line.path) });
  };
  const step = (by: 1 | -1) => {
    let i = chosen + by;
    while (lines[i] && pathText(lines[i]!.path) === field) i += by;
    choose(i);
  };
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    y: () => set({ as: asJSON ? '' : 'json' }),
  });
  const copy = () => {
    void navigator.clipboard.writeText(textOfLines(lines)).then(() => setCopied(true));
  };
  return (
    <div class="document">
      <div class="bar">
        <div class="switch" role="group" aria-label="Format">
          <button aria-pressed={!asJSON} onClick={() => set({ as: '' })}>
            YAML
          </button>
          <button aria-pressed={asJSON} onClick={() => set({ as: 'json' })}>
            JSON
          </button>
        </div>
        <div class="switch">
          <button aria-pressed={all} onClick={() => set({ managed: all ? '' : '1' })}>
            Managed fields
          </button>
          <button onClick={copy} aria-label="Copy the document">
            {copied ? 'Copied' : 'Copy'}
          </button>
        </div>
      </div>
      <div class="split">
        <div
          class="lines"
          ref={scroller}
          role="listbox"
          tabIndex={0}
          aria-label="Fields"
          {...(chosen >= first && chosen < end ? { 'aria-activedescendant': `line-${chosen}` } : {})}
          onKeyDown={(e) => {
            const by = e.key === 'ArrowDown' ? 1 : e.key === 'ArrowUp' ? -1 : undefined;
            if (by === undefined) return;
            e.preventDefault();
            step(by);
          }}
        >
          <div style={{ height: `${lines.length * lineHeight}px` }}>
            <div style={{ transform: `translateY(${first * lineHeight}px)` }}>
              {lines.slice(first, end).map((line, i) => (
                <LineRow
                  key={first + i}
                  id={`line-${first + i}`}
                  line={line}
                  setters={differs(lines, first + i, setters, first)}
                  chosen={field !== '' && pathText(line.path) === field}
                  now={now}
                  onChoose={() => choose(first + i)}
                />
              ))}
            </div>
          </div>
        </div>
        <FieldPanel path={lines[chosen]?.path} schema={schema} setters={setters} now={now} />
      </div>
    </div>
  );
}

interface LineProps {
  id: string;
  line: Line;
  setters: Setter[];
  chosen: boolean;
  now: number;
  onChoose: () => void;
}

function LineRow({ id, line, setters, chosen, now, onChoose }: LineProps) {
  const who = setters.map((s) => s.manager).join(', ');
  const title = setters.map((s) => `${s.manager}: ${s.operation} ${s.subresource} ${s.time}`).join('\n');
  return (
    <div id={id} class="row" role="option" aria-selected={chosen} onClick={onChoose}>
      <span class="who" title={title}>
        <b>{who}</b> {setters[0] && age(setters[0].time, now)}
      </span>
      <code>
        {' '.repeat(line.indent)}
        <span class="punct">{line.head}</span>
        <span class="key">{line.key}</span>
        {line.key !== '' && line.value !== '' && ' '}
        <span class={line.type}>{line.value}</span>
      </code>
    </div>
  );
}

/** differs returns the setters of a line, unless the visible line above has the same. */
function differs(lines: Line[], i: number, setters: Setters, first: number): Setter[] {
  const own = setters.of(lines[i]?.path ?? []);
  const above = i > first ? setters.of(lines[i - 1]?.path ?? []) : [];
  return JSON.stringify(own) === JSON.stringify(above) ? [] : own;
}

function withoutManaged(object: Thing): Thing {
  if (!object.metadata?.managedFields) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
