import { useState } from 'preact/hooks';
import { emptyOf } from './draft';
import { pathText } from './lines';
import type { KindSchema, Path, Schema } from './schema';

interface Context {
  schema: KindSchema;
  /** Texts about fields, by path. */
  problems: Map<string, string[]>;
  set: (path: Path, value: unknown) => void;
}

interface FieldProps extends Context {
  path: Path;
  rules: Schema;
  value: unknown;
  label: string;
  required: boolean;
}

/** Form shows a field for each property of the schema. Fields that the schema leaves open are edited as YAML. */
export function Form({ value, ...context }: Context & { value: unknown }) {
  const root = context.schema.at([]) ?? {};
  const names = Object.keys(root.properties ?? {}).filter((name) => !['apiVersion', 'kind', 'status', 'metadata'].includes(name));
  const hasMetadata = root.properties?.['metadata'] !== undefined;
  return (
    <form class="form" onSubmit={(e) => e.preventDefault()}>
      {hasMetadata && <Metadata {...context} value={entry(value, 'metadata')} />}
      {names.map((name) => (
        <Field key={name} {...context} {...fieldOf(context.schema, [name])} value={entry(value, name)} />
      ))}
      {names.length === 0 && !hasMetadata && <p class="note">The schema names no fields: write YAML.</p>}
    </form>
  );
}

function Metadata({ value, ...context }: Context & { value: unknown }) {
  const names = ['name', 'namespace', 'labels', 'annotations'].filter((name) => name !== 'namespace' || entry(value, name) !== undefined);
  return (
    <fieldset>
      <legend>metadata</legend>
      {names.map((name) => (
        <Field key={name} {...context} {...fieldOf(context.schema, ['metadata', name])} required={name === 'name'} value={entry(value, name)} />
      ))}
    </fieldset>
  );
}

function fieldOf(schema: KindSchema, path: Path): { path: Path; rules: Schema; label: string; required: boolean } {
  return { path, rules: schema.at(path) ?? {}, label: String(path.at(-1)), required: schema.isRequired(path) };
}

function entry(value: unknown, step: string | number): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string | number, unknown>)[step] : undefined;
}

function Field(props: FieldProps) {
  const { rules } = props;
  if (rules.type === 'object' && rules.properties) return <Group {...props} />;
  if (rules.type === 'object' && props.schema.below(rules)) return <Entries {...props} />;
  if (rules.type === 'array' && rules.items) return <Items {...props} />;
  if (rules['x-kubernetes-int-or-string'] || ['string', 'integer', 'number', 'boolean'].includes(rules.type ?? '')) return <Scalar {...props} />;
  return (
    <div class="input">
      <span class="label">{props.label}</span>
      <p class="hint">{props.value === undefined ? 'Not set.' : 'Set.'} The schema leaves this field open: edit it as YAML.</p>
      <Problems {...props} />
    </div>
  );
}

function Scalar({ path, rules, value, label, required, problems, set }: FieldProps) {
  const id = idOf(path);
  const about = { id, 'aria-describedby': `${id}-about`, 'aria-invalid': problems.has(pathText(path)) };
  const choices = rules.enum?.map(String) ?? (rules.type === 'boolean' ? ['true', 'false'] : undefined);
  const text = value === undefined || value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
  const change = (typed: string) => set(path, typed === '' && !required ? undefined : parsed(rules, typed));
  return (
    <div class="input">
      <label class="label" for={id}>
        {label}
        {required && <i title="required"> *</i>}
      </label>
      {choices ? (
        <select {...about} value={text} onChange={(e) => change(e.currentTarget.value)}>
          {(!required || !choices.includes(text)) && <option value="">{rules.default === undefined ? 'not set' : `default: ${String(rules.default)}`}</option>}
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : (
        <input
          {...about}
          value={text}
          autocomplete="off"
          spellcheck={false}
          inputMode={rules.type === 'integer' ? 'numeric' : 'text'}
          placeholder={rules.default === undefined ? '' : `default: ${JSON.stringify(rules.default)}`}
          onInput={(e) => change(e.currentTarget.value)}
        />
      )}
      <p class="hint" id={`${id}-about`}>
        {rules.description}
      </p>
      <Problems path={path} problems={problems} />
    </div>
  );
}

function parsed(rules: Schema, text: string): unknown {
  if (rules.type === 'boolean') return text === 'true';
  const numeric = rules.type === 'integer' || rules.type === 'number' || rules['x-kubernetes-int-or-string'];
  if (numeric && /^-?\d+$/.test(text)) return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text);
  // A text that is no number stays as it is, and the check says so.
  return rules.type === 'number' && text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

function Group(props: FieldProps) {
  const { path, rules, value, label, required, schema, problems, set } = props;
  const [open, setOpen] = useState(required || path.length === 1 || value !== undefined);
  return (
    <details class="group-field" open={open} onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>
        {label}
        {required && <i title="required"> *</i>}
      </summary>
      <p class="hint">{rules.description}</p>
      <Problems path={path} problems={problems} />
      {open &&
        Object.keys(rules.properties ?? {}).map((name) => (
          <Field key={name} {...{ schema, problems, set }} {...fieldOf(schema, [...path, name])} value={entry(value, name)} />
        ))}
    </details>
  );
}

function Items({ path, rules, value, label, schema, problems, set }: FieldProps) {
  const items: unknown[] = Array.isArray(value) ? value : [];
  const one = schema.at([...path, 0]) ?? {};
  return (
    <fieldset>
      <legend>{label}</legend>
      <p class="hint">{rules.description}</p>
      <Problems path={path} problems={problems} />
      {items.map((item, i) => (
        <div class="item" key={i}>
          <Field {...{ schema, problems, set }} path={[...path, i]} rules={one} value={item} label={`${label} ${i + 1}`} required={true} />
          <button type="button" class="icon" aria-label={`Remove ${label} ${i + 1}`} onClick={() => set([...path, i], undefined)}>
            ✕
          </button>
        </div>
      ))}
      <button type="button" onClick={() => set([...path, items.length], emptyOf(schema, one, [...path, 0]))}>
        Add to {label}
      </button>
    </fieldset>
  );
}

function Entries({ path, rules, value, label, schema, problems, set }: FieldProps) {
  const [key, setKey] = useState('');
  const one = schema.below(rules) ?? {};
  const id = idOf([...path, '+']);
  const add = () => {
    if (key.trim() !== '') set([...path, key.trim()], emptyOf(schema, one, [...path, key.trim()]));
    setKey('');
  };
  return (
    <fieldset>
      <legend>{label}</legend>
      <p class="hint">{rules.description}</p>
      <Problems path={path} problems={problems} />
      {Object.entries(typeof value === 'object' && value !== null ? value : {}).map(([name, item]) => (
        <div class="item" key={name}>
          <Field {...{ schema, problems, set }} path={[...path, name]} rules={one} value={item} label={name} required={true} />
          <button type="button" class="icon" aria-label={`Remove ${name}`} onClick={() => set([...path, name], undefined)}>
            ✕
          </button>
        </div>
      ))}
      <div class="adding">
        <label class="visually-hidden" for={id}>
          New key of {label}
        </label>
        <input
          id={id}
          value={key}
          placeholder="new key"
          autocomplete="off"
          onInput={(e) => setKey(e.currentTarget.value)}
          onKeyDown={(e) => e.key === 'Enter' && (e.preventDefault(), add())}
        />
        <button type="button" onClick={add}>
          Add to {label}
        </button>
      </div>
    </fieldset>
  );
}

function Problems({ path, problems }: { path: Path; problems: Map<string, string[]> }) {
  return (
    <>
      {problems.get(pathText(path))?.map((text) => (
        <p class="problem" key={text} role="alert">
          {text}
        </p>
      ))}
    </>
  );
}

function idOf(path: Path): string {
  return 'field-' + pathText(path);
}
