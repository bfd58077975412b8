import { useEffect, useState } from 'preact/hooks';
import { age } from './age';
import type { Kind } from './discovery';
import { Failure } from './failure';
import { readAt, readChanges, readVersions, undoTo } from './history';
import type { FieldChange, Version, Versions } from './history';
import { textOfLines, yamlLines } from './lines';
import type { Thing } from './meta';
import { withoutNoise } from './proposal';
import type { Proposal } from './proposal';
import { Review } from './review';
import type { Place } from './route';

/** The most paths in the row of a version. */
const mostPaths = 4;

interface Props {
  kind: Kind;
  place: Place;
  /** The object, or undefined if it is deleted. */
  object: Thing | undefined;
  mayUndo: boolean;
  now: number;
  /** Takes the object after an undo. */
  onUndone: () => void;
}

interface Undo {
  revision: string;
  proposal: Proposal;
}

/** HistoryView lists the versions of an object, compares two of them, and takes changes back. */
export function HistoryView({ kind, place, object, mayUndo, now, onUndone }: Props) {
  const [versions, setVersions] = useState<Versions>();
  const [error, setError] = useState<unknown>();
  const [round, setRound] = useState(0);
  const [shown, setShown] = useState('');
  const [undo, setUndo] = useState<Undo>();
  const content = contentOf(object);
  useEffect(() => {
    const stop = new AbortController();
    readVersions(place, stop.signal).then(
      (found) => (setVersions(found), setError(undefined)),
      (failed) => stop.signal.aborted || setError(failed),
    );
    return () => stop.abort();
  }, [content, round]);
  if (error !== undefined) return <Failure error={error} again={() => setRound(round + 1)} />;
  if (!versions) return <p class="note">Reading the history…</p>;
  const { items, deleted } = versions;
  const propose = (version: Version) => {
    const revision = revisionOf(version);
    setUndo({ revision, proposal: undoTo(place, revision, version.metadata?.uid) });
  };
  const verb = deleted ? 'Restore' : 'Undo';
  return (
    <div class="history">
      {deleted && (
        <p class="warn">
          No {kind.kind} {place.name} exists. {deleted.user ? <b>{deleted.user}</b> : 'Somebody'} deleted the last one
          {deleted.time && <> {age(deleted.time, now)} ago</>}.
        </p>
      )}
      <div class="versions">
        <table aria-label={`Versions of ${place.name}`}>
          <thead>
            <tr>
              <th scope="col">Revision</th>
              <th scope="col">Written</th>
              <th scope="col">User</th>
              <th scope="col">Manager</th>
              <th scope="col">Operation</th>
              <th scope="col">Changed</th>
              <th scope="col">Actions</th>
            </tr>
          </thead>
          <tbody>
            {items.map((version) => (
              <tr key={revisionOf(version)} class={version.current ? 'current' : undefined}>
                <th scope="row">
                  {revisionOf(version)}
                  {version.current && <small> now</small>}
                </th>
                <td>{version.written?.time && <time title={version.written.time}>{age(version.written.time, now)} ago</time>}</td>
                <td>{version.written?.user}</td>
                <td>{version.written?.manager}</td>
                <td>{version.written?.operation}</td>
                <td class="paths">
                  <Paths paths={version.changed} />
                </td>
                <td class="acts">
                  <button
                    aria-label={`Show revision ${revisionOf(version)}`}
                    aria-pressed={shown === revisionOf(version)}
                    onClick={() => setShown(shown === revisionOf(version) ? '' : revisionOf(version))}
                  >
                    Show
                  </button>
                  {mayUndo && !version.current && (
                    <button aria-label={`${deleted ? 'Restore' : 'Undo to this'} revision ${revisionOf(version)}`} onClick={() => propose(version)}>
                      {deleted ? 'Restore' : 'Undo to this'}
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {shown !== '' && <Former key={shown} place={place} revision={shown} />}
      {items.length > 1 && <Comparison place={place} items={items} key={items.map(revisionOf).join()} />}
      {undo && (
        <Review
          title={`${verb} ${place.name} to revision ${undo.revision}`}
          act={verb}
          proposal={undo.proposal}
          before={object}
          onDone={() => {
            setUndo(undefined);
            setRound(round + 1);
            onUndone();
          }}
          onClose={() => setUndo(undefined)}
        >
          <p class="hint">
            {deleted
              ? 'The object gets another uid. Its finalizers and owners do not come back.'
              : 'The undo is an ordinary write: it is validated, and can be undone itself. The status stays.'}
          </p>
        </Review>
      )}
    </div>
  );
}

function revisionOf(version: Version): string {
  return version.metadata?.resourceVersion ?? '';
}

/** contentOf returns a text that changes with each version, and not with writes of the status. */
function contentOf(object: Thing | undefined): string {
  if (!object) return '';
  const { uid, labels, annotations } = object.metadata ?? {};
  return JSON.stringify({ ...object, status: null, metadata: { uid, labels, annotations } });
}

function Paths({ paths }: { paths: string[] | undefined }) {
  if (!paths) return null;
  return (
    <span title={paths.join('\n')}>
      {paths.slice(0, mostPaths).map((path) => (
        <code key={path}>{path}</code>
      ))}
      {paths.length > mostPaths && ` and ${paths.length - mostPaths} more`}
    </span>
  );
}

/** Former shows the object as it was. */
function Former({ place, revision }: { place: Place; revision: string }) {
  const [object, setObject] = useState<Thing>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const stop = new AbortController();
    readAt(place, revision, stop.signal).then(setObject, (failed) => stop.signal.aborted || setError(failed));
    return () => stop.abort();
  }, []);
  if (error !== undefined) return <Failure error={error} />;
  if (!object) return <p class="note">Reading…</p>;
  return (
    <pre class="former" tabIndex={0} aria-label={`The object at revision ${revision}`}>
      {textOfLines(yamlLines(withoutNoise(object)))}
    </pre>
  );
}

/** Comparison shows what differs between two versions that the user chooses: at first the last two. */
function Comparison({ place, items }: { place: Place; items: Version[] }) {
  const [from, setFrom] = useState(revisionOf(items[1]!));
  const [to, setTo] = useState(revisionOf(items[0]!));
  const [changes, setChanges] = useState<FieldChange[]>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const stop = new AbortController();
    readChanges(place, from, to, stop.signal).then(
      (found) => (setChanges(found), setError(undefined)),
      (failed) => stop.signal.aborted || setError(failed),
    );
    return () => stop.abort();
  }, [from, to]);
  const choice = (id: string, label: string, value: string, set: (revision: string) => void) => (
    <label for={id}>
      {label}{' '}
      <select id={id} value={value} onChange={(e) => set(e.currentTarget.value)}>
        {items.map((version) => (
          <option key={revisionOf(version)} value={revisionOf(version)}>
            {revisionOf(version)}
            {version.current ? ' (now)' : ''}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <section class="comparison" aria-label="Compare two versions">
      <div class="bar">
        {choice('compare-from', 'Compare', from, setFrom)}
        {choice('compare-to', 'with', to, setTo)}
      </div>
      {error !== undefined ? (
        <Failure error={error} />
      ) : !changes ? (
        <p class="note">Comparing…</p>
      ) : changes.length === 0 ? (
        <p class="note">The two versions have the same content.</p>
      ) : (
        <dl class="changes">
          {changes.map((change) => (
            <>
              <dt>
                <code>{change.path}</code>
              </dt>
              <dd>
                {change.old !== undefined && <del>{textOf(change.old)}</del>}
                {change.new !== undefined && <ins>{textOf(change.new)}</ins>}
              </dd>
            </>
          ))}
        </dl>
      )}
    </section>
  );
}

function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? textOfLines(yamlLines(value)).trimEnd() : JSON.stringify(value);
}
