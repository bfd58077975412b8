import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ApiError, getJSON, onUserChange, send } from './api';
import { check } from './check';
import type { Problem } from './check';
import { completeYAML } from './complete';
import { Conflicts, conflictsOf, Stale } from './conflicts';
import type { Kind } from './discovery';
import { Draft, editable, owned, skeleton } from './draft';
import { Failure } from './failure';
import { FieldPanel } from './fieldpanel';
import { changesOf, parseFieldPath } from './fieldpaths';
import { Form } from './form';
import { pathText } from './lines';
import type { Thing } from './meta';
import { fieldManager } from './proposal';
import type { Proposal } from './proposal';
import { Review } from './review';
import { go, hrefOf, pathOf, withSettings } from './route';
import type { Place } from './route';
import type { KindSchema, Path } from './schema';
import { Setters } from './setters';
import { YAMLView } from './yamlview';

export interface EditProps {
  kind: Kind;
  /** Without a name for a new object. */
  place: Place;
  query: URLSearchParams;
  schema: KindSchema | undefined;
  /** Which ways of saving are offered. */
  ways: Way[];
  /** The object as it is now. */
  object?: Thing | undefined;
  /** A subresource that is edited instead of the object. */
  subresource?: string;
  now: number;
  onDone: (object: Thing) => void;
}

export type Way = 'create' | 'update' | 'apply';

const waysAbout: Record<Way, string> = {
  create: 'The API makes a new object.',
  update: 'The whole object is replaced. If somebody else changes it meanwhile, the API refuses your change.',
  apply: 'You write the fields that you want, and the API keeps all others. It says which of your fields belong to somebody else.',
};

interface Base {
  draft: Draft;
  object: Thing | undefined;
}

/** Drafts that are not saved, so that a look at another view loses nothing. */
const unsaved = new Map<string, { base: Base; draft: Draft }>();
addEventListener('beforeunload', (event) => unsaved.size > 0 && event.preventDefault());
onUserChange(() => unsaved.clear());

/** EditView edits a new or existing object by a form or as YAML. The API tries each change before it happens. */
export function EditView(props: EditProps) {
  const { kind, place, query, schema, ways, object, subresource = '', now, onDone } = props;
  const way = ways.find((w) => w === query.get('way')) ?? ways[0] ?? 'update';
  const asForm = schema !== undefined && (query.get('as') ?? (way === 'create' ? 'form' : 'yaml')) === 'form';
  const set = (changes: Record<string, string>) => go(hrefOf(place, withSettings(query, changes)), true);
  const [base, setBase] = useState<Base>();
  const [draft, setDraft] = useState<Draft>();
  const [shown, setShown] = useState(''); // the key of what base and draft are of
  const [error, setError] = useState<unknown>();
  const [found, setFound] = useState<Problem[]>([]);
  const [review, setReview] = useState<Proposal>();
  const [cursor, setCursor] = useState(0);
  const jump = useRef<(offset: number) => void>(() => undefined);

  const read = async (): Promise<Base> => {
    if (way === 'create') {
      const metadata = subresource === '' ? metadataOf(kind, place) : {};
      return { draft: new Draft(skeleton(kind, metadata, schema)), object: undefined };
    }
    if (way === 'apply') {
      const current = await getJSON<Thing>(pathOf(place, subresource));
      return { draft: new Draft(owned(current, fieldManager)), object: current };
    }
    const response = await send(pathOf(place, subresource), { accept: 'application/yaml' });
    return { draft: new Draft(editable(await response.text(), subresource === 'status')), object };
  };
  const key = JSON.stringify([place, way, subresource]);
  const begin = () => {
    let wanted = true;
    setError(undefined);
    const show = (next: { base: Base; draft: Draft }) => {
      if (!wanted) return;
      setShown(key);
      setBase(next.base);
      setDraft(next.draft);
      setFound([]);
    };
    const kept = unsaved.get(key);
    if (kept) show(kept);
    else read().then((next) => show({ base: next, draft: next.draft }), (failed: unknown) => wanted && setError(failed));
    return () => {
      wanted = false;
    };
  };
  useEffect(begin, [key]);
  const dirty = draft !== undefined && base !== undefined && draft.text !== base.draft.text;
  useEffect(() => {
    if (!base || !draft || shown !== key) return;
    if (dirty) unsaved.set(key, { base, draft });
    else unsaved.delete(key);
  }, [base, draft]);
  const discard = () => {
    unsaved.delete(key);
    begin();
  };

  const value = useMemo(() => draft?.value, [draft]);
  const problems = useMemo(() => {
    const own = schema && value !== undefined ? check(schema, value) : [];
    // What is required of a whole object is not required of what is applied.
    const counted = way === 'apply' ? own.filter((p) => !p.message.endsWith('is required')) : own;
    return [...found, ...counted.filter((p) => !found.some((f) => pathText(f.path) === pathText(p.path)))];
  }, [schema, value, found, way]);
  const setters = useMemo(() => new Setters(object, object?.metadata?.managedFields ?? []), [object]);
  const change = (next: Draft) => {
    setDraft(next);
    setFound([]);
    if (!(error instanceof ApiError && error.code === 409)) setError(undefined);
  };

  // Nobody may type into the draft of another object or way: it would be lost when this one arrives.
  if (!draft || !base || shown !== key) return error === undefined ? <p class="note">Reading…</p> : <Failure error={error} again={begin} />;
  const propose = (force: boolean) => {
    setError(undefined);
    if (draft.faults.length > 0) return setError(new Error('yaml'));
    setReview(proposalOf(draft, way, kind, place, subresource, force));
  };
  const fail = (failed: unknown) => {
    setReview(undefined);
    setError(failed);
    const marked = failed instanceof ApiError ? problemsOf(failed, value) : [];
    setFound(marked);
    const first = marked[0];
    if (first) jump.current(draft.placeOf(first.path).from);
  };
  const carryOver = () => {
    void read().then((next) => {
      const mine = changesOf(base.draft.value, value).filter((c) => pathText(c.path) !== 'metadata.resourceVersion');
      setBase(next);
      setDraft(mine.reduce((d, c) => d.with(c.path, c.value), next.draft));
      setError(undefined);
    }, setError);
  };
  const leave = (paths: Path[]) => {
    // Later items of a list first, so that the others keep their places.
    change([...paths].reverse().reduce((d, path) => d.with(path, undefined), draft));
    setError(undefined);
  };
  const conflicts = error instanceof ApiError && error.code === 409 ? conflictsOf(error, value) : [];
  const isStale = error instanceof ApiError && error.code === 409 && way === 'update';
  const texts = new Map<string, string[]>();
  for (const p of problems) texts.set(pathText(p.path), [...(texts.get(pathText(p.path)) ?? []), p.message]);
  return (
    <div class="edit" onKeyDown={(e) => asForm && e.key === 'Enter' && (e.ctrlKey || e.metaKey) && propose(false)}>
      <div class="bar">
        <div class="switch" role="group" aria-label="How to edit">
          <button aria-pressed={asForm} disabled={!schema || value === undefined} onClick={() => set({ as: 'form' })}>
            Form
          </button>
          <button aria-pressed={!asForm} onClick={() => set({ as: 'yaml' })}>
            YAML
          </button>
        </div>
        {ways.length > 1 && (
          <div class="switch" role="group" aria-label="How to save">
            {ways.map((w) => (
              <button key={w} aria-pressed={w === way} title={waysAbout[w]} onClick={() => set({ way: w })}>
                {w}
              </button>
            ))}
          </div>
        )}
        <p class="hint about">{way === 'create' && subresource !== '' ? 'The API runs an action on the object.' : waysAbout[way]}</p>
        {dirty && <button onClick={discard}>Discard</button>}
        <button class="primary" title="Let the API try the change (Ctrl-Enter)" onClick={() => propose(false)}>
          Review
        </button>
      </div>
      {draft.faults.length > 0 && error !== undefined ? (
        <Failure message="The text is not YAML: mend the marked lines." />
      ) : conflicts.length > 0 ? (
        <Conflicts conflicts={conflicts} draft={value} object={object ?? base.object} onForce={() => propose(true)} onLeave={leave} />
      ) : isStale ? (
        <Stale before={base.object} now={object} onCarryOver={carryOver} />
      ) : (
        error !== undefined && <Failure error={error} />
      )}
      {asForm ? (
        <Form schema={schema} value={value} problems={texts} set={(path, next) => change(draft.with(path, next))} />
      ) : (
        <div class="split">
          <YAMLView
            draft={draft}
            problems={problems}
            complete={(lines, below) => schema && completeYAML(schema, lines, below)}
            onChange={change}
            onCursor={setCursor}
            onReview={() => propose(false)}
            jump={jump}
          />
          <FieldPanel path={pathAt(draft, cursor)} schema={schema} setters={setters} now={now} />
        </div>
      )}
      {review && (
        <Review
          title={subresource !== '' ? `${subresource} of ${place.name}` : way === 'create' ? `Create a ${kind.kind}` : `Change ${place.name}`}
          act={way === 'create' ? (subresource === '' ? 'Create' : 'Run') : review.query?.['force'] ? 'Take over and apply' : way === 'apply' ? 'Apply' : 'Save'}
          proposal={review}
          before={way === 'create' ? undefined : (object ?? base.object)}
          onDone={(answer) => {
            setReview(undefined);
            unsaved.delete(key);
            setBase({ ...base, draft });
            onDone(answer.object);
          }}
          onFailed={fail}
          onClose={() => setReview(undefined)}
        />
      )}
    </div>
  );
}

function metadataOf(kind: Kind, place: Place): object {
  return kind.namespaced ? { name: '', namespace: place.namespace || 'default' } : { name: '' };
}

function proposalOf(draft: Draft, way: Way, kind: Kind, place: Place, subresource: string, force: boolean): Proposal {
  const query: Record<string, string> = { fieldValidation: 'Strict', ...(force ? { force: 'true' } : {}) };
  const bodyOf = () => draft.text;
  if (way === 'create' && subresource !== '') return { method: 'POST', path: pathOf(place, subresource), query, contentType: 'application/yaml', bodyOf };
  if (way === 'create') {
    const metadata = (draft.value as Thing | undefined)?.metadata;
    const namespace = kind.namespaced ? String(metadata?.namespace ?? (place.namespace || 'default')) : '';
    return { method: 'POST', path: pathOf({ ...place, namespace, name: '' }), query, contentType: 'application/yaml', bodyOf };
  }
  const path = pathOf(place, subresource);
  if (way === 'apply') return { method: 'PATCH', path, query, contentType: 'application/apply-patch+yaml', bodyOf };
  return { method: 'PUT', path, query, contentType: 'application/yaml', bodyOf };
}

function pathAt(draft: Draft, cursor: number): Path | undefined {
  const path = draft.pathAt(cursor);
  return path.length === 0 ? undefined : path;
}

/** problemsOf returns the fields that an error of the API names. */
function problemsOf(error: ApiError, value: unknown): Problem[] {
  const causes = error.status.details?.causes ?? [];
  const named = causes.filter((c) => c.field && c.reason !== 'FieldManagerConflict');
  // The errors of strict decoding are in the message only.
  const unknown = [...error.message.matchAll(/(unknown|duplicate) field "((?:[^"\\]|\\.)*)"/g)];
  return [
    ...named.map((c) => ({ path: parseFieldPath(c.field ?? '', value), message: c.message ?? '' })),
    ...unknown.map(([text, , field = '']) => ({ path: parseFieldPath(field, value), message: text })),
  ];
}
