import { age } from './age';
import { pathText } from './lines';
import type { KindSchema, Path, Schema } from './schema';
import type { Setters } from './setters';

interface Props {
  path: Path | undefined;
  schema: KindSchema | undefined;
  setters: Setters;
  now: number;
}

/** FieldPanel documents the chosen field from the schema and says who set it. */
export function FieldPanel({ path, schema, setters, now }: Props) {
  if (path === undefined) {
    return (
      <aside class="field" aria-label="The chosen field">
        <p>{schema?.description}</p>
        <p class="note">Choose a line to see what its field means and who set it.</p>
      </aside>
    );
  }
  const field = schema?.at(path);
  return (
    <aside class="field" aria-label="The chosen field" aria-live="polite">
      <h2>
        <code>{pathText(path)}</code>
      </h2>
      {field ? (
        <>
          <p class="type">{[typeOf(field), schema?.isRequired(path) ? 'required' : ''].filter(Boolean).join(' · ')}</p>
          <p class="text">{field.description ?? 'The schema does not describe this field.'}</p>
          <ul class="bounds">
            {boundsOf(field).map((bound) => (
              <li key={bound}>{bound}</li>
            ))}
          </ul>
        </>
      ) : (
        <p class="note">The schema does not know this field.</p>
      )}
      <h3>Set by</h3>
      {setters.of(path).length === 0 && <p class="note">Nobody: the API itself sets this field, or defaulted it.</p>}
      <ul class="setters">
        {setters.of(path).map((s) => (
          <li key={s.manager + s.operation + s.subresource}>
            <b>{s.manager}</b> <time datetime={s.time} title={s.time}>{age(s.time, now)} ago</time>
            <br />
            {s.operation}
            {s.subresource !== '' && ` of ${s.subresource}`}
          </li>
        ))}
      </ul>
    </aside>
  );
}

function typeOf(schema: Schema): string {
  const type = schema.type ?? 'any value';
  return schema.format ? `${type} (${schema.format})` : type;
}

function boundsOf(s: Schema): string[] {
  const bounds: [string, unknown][] = [
    ['default', s.default],
    ['one of', s.enum],
    ['at least', s.minimum],
    ['at most', s.maximum],
    ['shortest', s.minLength],
    ['longest', s.maxLength],
    ['fewest items', s.minItems],
    ['most items', s.maxItems],
    ['pattern', s.pattern],
  ];
  return bounds
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${Array.isArray(value) ? value.join(', ') : typeof value === 'string' ? value : JSON.stringify(value)}`);
}
