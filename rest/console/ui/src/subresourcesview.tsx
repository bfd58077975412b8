import { useEffect, useRef, useState } from 'preact/hooks';
import { send } from './api';
import type { Kind } from './discovery';
import { Failure } from './failure';
import { textOfLines, yamlLines } from './lines';
import { pathOf } from './route';
import type { Place } from './route';

const longest = 200_000;

interface Answer {
  name: string;
  text?: string;
  error?: unknown;
}

/** SubresourcesView lists the subresources of the object and shows those that can be read. */
export function SubresourcesView({ kind, place }: { kind: Kind; place: Place }) {
  const [answer, setAnswer] = useState<Answer>();
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const read = async (name: string) => {
    stop.current.abort();
    const { signal } = (stop.current = new AbortController());
    try {
      const text = await readText(await send(pathOf(place, name), { accept: 'application/json, */*', signal }));
      setAnswer({ name, text });
    } catch (error) {
      if (!signal.aborted) setAnswer({ name, error });
    }
  };
  if (kind.subresources.length === 0) return <p class="note">The kind has no subresources.</p>;
  return (
    <div class="subresources">
      <ul>
        {kind.subresources.map((s) => (
          <li key={s.name}>
            <b>{s.name}</b>
            <span>{[s.kind, s.verbs.join(', ')].filter(Boolean).join(' · ')}</span>
            {s.verbs.includes('get') && (
              <button aria-pressed={answer?.name === s.name} onClick={() => void read(s.name)}>
                Read
              </button>
            )}
          </li>
        ))}
      </ul>
      {answer?.error !== undefined && <Failure error={answer.error} />}
      {answer?.text !== undefined && (
        <pre tabIndex={0} aria-label={`Answer of ${answer.name}`}>
          {answer.text}
        </pre>
      )}
    </div>
  );
}

/** readText reads an answer up to a limit: JSON as YAML, anything else as text with its controls made visible. */
async function readText(response: Response): Promise<string> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (let part = await reader.read(); !part.done && text.length < longest; part = await reader.read()) text += part.value;
  await reader.cancel();
  if (response.headers.get('Content-Type')?.startsWith('application/json') && text.length < longest) {
    const { metadata, ...rest } = JSON.parse(text) as { metadata?: object };
    const object = metadata ? { ...rest, metadata: { ...metadata, managedFields: undefined } } : rest;
    return textOfLines(yamlLines(JSON.parse(JSON.stringify(object))));
  }
  return text.slice(0, longest).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}
