import { useEffect, useRef, useState } from 'preact/hooks';
import { send } from './api';
import { Failure } from './failure';
import { lazy } from './lazy';
import { pathOf } from './route';
import type { Place } from './route';
import type { Parameter, Streaming } from './schema';
import { withSlot } from './watch';
import { useWindow } from './window';

const Terminal = lazy(() => import('./terminalview').then((m) => m.TerminalView));

interface Props {
  place: Place;
  subresource: string;
  streaming: Streaming;
}

/** What a stream begins with, where it has the parameter. */
const usual: Record<string, string> = { follow: 'true', tailLines: '1000', stdin: 'true', stdout: 'true', stderr: 'true', tty: 'true' };

/** StreamView asks for the parameters of a stream, and shows it as a log or in a terminal. */
export function StreamView({ place, subresource, streaming }: Props) {
  const [values, setValues] = useState<Record<string, string>>(() =>
    Object.fromEntries(streaming.parameters.filter((p) => usual[p.name] !== undefined).map((p) => [p.name, usual[p.name]!])),
  );
  const [opened, setOpened] = useState<{ query: [string, string][] }>();
  const open = () => {
    const shown = streaming.parameters.filter((p) => (values[p.name] ?? '') !== '');
    // The terminal itself says which streams it has.
    const own = streaming.way === 'terminal' ? ['stdin', 'stdout', 'stderr', 'tty'] : [];
    setOpened({ query: shown.filter((p) => !own.includes(p.name)).flatMap((p) => queryOf(p, values[p.name]!)) });
  };
  const path = pathOf(place, subresource);
  return (
    <section class="stream" aria-label={subresource}>
      <form class="bar" onSubmit={(e) => (e.preventDefault(), open())}>
        {streaming.parameters.map((p) => (
          <ParameterField key={p.name} parameter={p} value={values[p.name] ?? ''} onChange={(value) => setValues({ ...values, [p.name]: value })} />
        ))}
        <button class="primary">{opened ? 'Open again' : 'Open'}</button>
        {opened && (
          <button type="button" onClick={() => setOpened(undefined)}>
            Close
          </button>
        )}
      </form>
      {opened && streaming.way === 'log' && <Log key={JSON.stringify(opened)} path={path} query={opened.query} />}
      {opened && streaming.way === 'terminal' && <Terminal key={JSON.stringify(opened)} path={path} query={opened.query} label={`${subresource} of ${place.name}`} />}
    </section>
  );
}

/** queryOf returns a parameter of the URL. The words of a command are parameters of their own. */
function queryOf({ name }: Parameter, value: string): [string, string][] {
  return name === 'command' ? value.split(/\s+/).map((word) => [name, word]) : [[name, value]];
}

function ParameterField({ parameter, value, onChange }: { parameter: Parameter; value: string; onChange: (value: string) => void }) {
  const type = parameter.schema?.type;
  if (type === 'boolean') {
    return (
      <label class="flag" title={parameter.description}>
        <input type="checkbox" checked={value === 'true'} onChange={(e) => onChange(e.currentTarget.checked ? 'true' : '')} />
        {parameter.name}
      </label>
    );
  }
  return (
    <input
      aria-label={parameter.name}
      title={parameter.description}
      placeholder={parameter.name}
      inputMode={type === 'integer' ? 'numeric' : 'text'}
      value={value}
      onInput={(e) => onChange(e.currentTarget.value)}
    />
  );
}

const lineHeight = 18;
/** Older lines are forgotten, so that a log without an end fits into memory. */
const mostLines = 20_000;
const longestLine = 4_000;

function Log({ path, query }: { path: string; query: [string, string][] }) {
  const lines = useRef<string[]>([]);
  const [, show] = useState(0);
  const [state, setState] = useState<'open' | 'ended'>('open');
  const [error, setError] = useState<unknown>();
  const [filter, setFilter] = useState('');
  const [following, setFollowing] = useState(true);
  const scroller = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const stop = new AbortController();
    let frame = 0;
    const add = (more: string[]) => {
      lines.current = lines.current.concat(more).slice(-mostLines);
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        show((n) => n + 1);
      });
    };
    withSlot(() => readLines(path, query, stop.signal, add)).then(
      () => setState('ended'),
      (failed) => !stop.signal.aborted && (setError(failed), setState('ended')),
    );
    return () => {
      stop.abort();
      cancelAnimationFrame(frame);
    };
  }, []);
  const shown = filter === '' ? lines.current : lines.current.filter((line) => line.toLowerCase().includes(filter.toLowerCase()));
  const { first, end } = useWindow(scroller, shown.length, lineHeight);
  useEffect(() => {
    if (following && scroller.current) scroller.current.scrollTop = scroller.current.scrollHeight;
  });
  return (
    <>
      {error !== undefined && <Failure error={error} />}
      <div class="bar">
        <input type="search" aria-label="Filter the lines" placeholder="Filter lines" value={filter} onInput={(e) => setFilter(e.currentTarget.value)} />
        <div class="switch">
          <button aria-pressed={following} onClick={() => setFollowing(!following)}>
            Stay at the end
          </button>
        </div>
        <span class="hint" role="status">
          {shown.length.toLocaleString('en')} lines · {state === 'open' ? 'open' : 'the stream has ended'}
        </span>
      </div>
      <div class="log" ref={scroller} tabIndex={0} role="log" aria-live="off" aria-label="Lines">
        <div style={{ height: `${shown.length * lineHeight}px` }}>
          <div style={{ transform: `translateY(${first * lineHeight}px)` }}>
            {shown.slice(first, end).map((line, i) => (
              <div class="log-line" key={first + i}>
                {line || ' '}
              </div>
            ))}
          </div>
        </div>
      </div>
    </>
  );
}

/** readLines hands over the lines of an answer as they come, without the sequences by which terminals change colours. */
async function readLines(path: string, query: [string, string][], signal: AbortSignal, add: (lines: string[]) => void): Promise<void> {
  const response = await send(path, { accept: '*/*', query, signal });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const parts = (rest + part.value).split('\n');
    rest = (parts.pop() ?? '').slice(0, longestLine);
    if (parts.length > 0) add(parts.map(readable));
  }
  if (rest !== '') add([readable(rest)]);
}

function readable(line: string): string {
  return line
    .slice(0, longestLine)
    .replace(/\u001b\[[0-9;]*m|\r$/g, '')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, '\ufffd');
}
