import { useEffect, useRef, useState } from 'preact/hooks';
import { useMay } from './access';
import { useNow } from './age';
import { send } from './api';
import type { Kind, Subresource } from './discovery';
import { Failure } from './failure';
import { isPast } from './history';
import { textOfLines, yamlLines } from './lines';
import type { Thing } from './meta';
import { LazyEdit } from './newview';
import { withoutNoise } from './proposal';
import { pathOf } from './route';
import type { Place } from './route';
import { schemaOf, streamingOf } from './schema';
import type { KindSchema, Streaming } from './schema';
import { StreamView } from './streamview';

const longest = 200_000;

type Use = 'read' | 'edit' | 'run' | 'open';

interface Chosen {
  subresource: Subresource;
  use: Use;
}

const texts: Record<Use, string> = { read: 'Read', edit: 'Edit', run: 'Run', open: 'Open' };

interface Props {
  kind: Kind;
  place: Place;
  object: Thing;
  query: URLSearchParams;
}

/** SubresourcesView lists the subresources of the object, with a button for each thing that the user may do with them. */
export function SubresourcesView({ kind, place, object, query }: Props) {
  const [chosen, setChosen] = useState<Chosen>();
  const [streams, setStreams] = useState(new Map<string, Streaming>());
  useEffect(() => {
    void Promise.all(kind.subresources.map(async ({ name }) => [name, await streamingOf(kind, name)] as const)).then((found) =>
      setStreams(new Map(found.flatMap(([name, streaming]) => (streaming ? [[name, streaming]] : [])))),
    );
  }, [kind]);
  const allowed = useMay(
    place,
    kind.subresources.flatMap((s) => s.verbs.map((verb) => `${verb}/${s.name}`)),
  );
  // The history has a view of its own.
  const listed = kind.subresources.filter((s) => !isPast(s));
  if (listed.length === 0) return <p class="note">The kind has no subresources.</p>;
  const usesOf = (s: Subresource): Use[] => {
    const may = (verb: string) => s.verbs.includes(verb) && allowed.has(`${verb}/${s.name}`);
    if (streams.has(s.name)) return may('get') || may('create') ? ['open'] : [];
    return [may('get') ? (['read'] as const) : [], may('get') && may('update') ? (['edit'] as const) : [], may('create') ? (['run'] as const) : []].flat();
  };
  const streaming = chosen && streams.get(chosen.subresource.name);
  const props = chosen && { kind, place, subresource: chosen.subresource };
  const key = `${chosen?.subresource.name}/${chosen?.use}`;
  return (
    <div class="subresources">
      <ul>
        {listed.map((s) => (
          <li key={s.name}>
            <b>{s.name}</b>
            <span>{[s.kind, s.verbs.join(', ')].filter(Boolean).join(' · ')}</span>
            {usesOf(s).map((use) => (
              <button
                key={use}
                aria-pressed={chosen?.subresource === s && chosen.use === use}
                aria-label={`${texts[use]} ${s.name}`}
                onClick={() => setChosen({ subresource: s, use })}
              >
                {texts[use]}
              </button>
            ))}
          </li>
        ))}
      </ul>
      {props && chosen.use === 'read' && <Reading key={key} {...props} />}
      {props && chosen.use === 'edit' && <Editing key={key} {...props} way="update" object={object} query={query} />}
      {props && chosen.use === 'run' && <Editing key={key} {...props} way="create" object={object} query={query} />}
      {props && chosen.use === 'open' && streaming && <StreamView key={key} place={place} subresource={chosen.subresource.name} streaming={streaming} />}
    </div>
  );
}

interface PartProps {
  kind: Kind;
  place: Place;
  subresource: Subresource;
}

function Reading({ place, subresource }: PartProps) {
  const [text, setText] = useState<string>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const stop = new AbortController();
    send(pathOf(place, subresource.name), { accept: 'application/json, */*', signal: stop.signal })
      .then(readText)
      .then(setText, (failed) => !stop.signal.aborted && setError(failed));
    return () => stop.abort();
  }, []);
  if (error !== undefined) return <Failure error={error} />;
  return text === undefined ? <p class="note">Reading…</p> : <Answer name={subresource.name} text={text} />;
}

function Answer({ name, text }: { name: string; text: string }) {
  return (
    <pre tabIndex={0} aria-label={`Answer of ${name}`}>
      {text}
    </pre>
  );
}

function Editing({ kind, place, subresource, way, object, query }: PartProps & { way: 'create' | 'update'; object: Thing; query: URLSearchParams }) {
  // Null if the API publishes no schema.
  const [schema, setSchema] = useState<KindSchema | null>();
  const [answer, setAnswer] = useState<Thing>();
  const now = useNow();
  const area = useRef<HTMLDivElement>(null);
  useEffect(() => void schemaOf(subresource).then((found) => setSchema(found ?? null)), []);
  useEffect(() => area.current?.scrollIntoView({ block: 'nearest' }), [schema]);
  if (answer) return <Answer name={subresource.name} text={textOfLines(yamlLines(withoutNoise(answer)))} />;
  return (
    <div class="inset" ref={area}>
      {schema === undefined ? (
        <p class="note">Reading the schema…</p>
      ) : (
        <LazyEdit
          kind={{ ...kind, group: subresource.group, version: subresource.version, kind: subresource.kind }}
          place={place}
          query={query}
          schema={schema ?? undefined}
          ways={[way]}
          object={subresource.kind === kind.kind ? object : undefined}
          subresource={subresource.name}
          now={now}
          onDone={setAnswer}
        />
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
