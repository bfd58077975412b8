import { useEffect, useState } from 'preact/hooks';
import { useMay } from './access';
import { getJSON } from './api';
import { Dialog } from './dialog';
import type { Kind } from './discovery';
import { Failure } from './failure';
import { pastVerbs } from './history';
import type { Meta, Thing } from './meta';
import type { Proposal } from './proposal';
import { Review } from './review';
import { pathOf } from './route';
import type { Place } from './route';

interface Props {
  kind: Kind;
  place: Place;
  object: Thing;
}

type Action = 'scale' | 'labels' | 'annotations' | 'delete';

/** Actions are the changes of an object that need no editor. Those that the user may not make are not offered. */
export function Actions({ kind, place, object }: Props) {
  const [action, setAction] = useState<Action>();
  const scales = kind.subresources.some((s) => s.name === 'scale' && s.verbs.includes('patch'));
  const wanted = [scales ? 'patch/scale' : '', ...['patch', 'delete'].filter((verb) => kind.verbs.includes(verb))].filter(Boolean);
  const allowed = useMay(place, wanted);
  const close = () => setAction(undefined);
  const props = { kind, place, object, onClose: close };
  const buttons: [Action, string, boolean][] = [
    ['scale', 'Scale', allowed.has('patch/scale')],
    ['labels', 'Labels', allowed.has('patch')],
    ['annotations', 'Annotations', allowed.has('patch')],
    ['delete', 'Delete', allowed.has('delete')],
  ];
  return (
    <div class="actions" role="group" aria-label="Changes">
      {buttons
        .filter(([, , offered]) => offered)
        .map(([name, text]) => (
          <button key={name} class={name === 'delete' ? 'danger' : undefined} onClick={() => setAction(name)}>
            {text}
          </button>
        ))}
      {action === 'scale' && <ScaleDialog {...props} />}
      {(action === 'labels' || action === 'annotations') && <PairsDialog {...props} field={action} />}
      {action === 'delete' && <DeleteDialog {...props} />}
    </div>
  );
}

interface DialogProps extends Props {
  onClose: () => void;
}

interface ScaleObject extends Thing {
  spec?: { replicas?: number };
  status?: { replicas?: number };
}

function ScaleDialog({ place, onClose }: DialogProps) {
  const [scale, setScale] = useState<ScaleObject>();
  const [error, setError] = useState<unknown>();
  const [replicas, setReplicas] = useState('');
  const [proposal, setProposal] = useState<Proposal>();
  useEffect(() => {
    getJSON<ScaleObject>(pathOf(place, 'scale')).then((found) => {
      setScale(found);
      setReplicas(String(found.spec?.replicas ?? 0));
    }, setError);
  }, []);
  if (proposal) {
    return <Review title={`Scale ${place.name}`} act="Scale" proposal={proposal} before={scale} onDone={onClose} onClose={onClose} />;
  }
  const patch = JSON.stringify({ spec: { replicas: Number(replicas) } });
  return (
    <Dialog title={`Scale ${place.name}`} onClose={onClose}>
      {error !== undefined && <Failure error={error} />}
      {scale && (
        <form
          class="stack"
          onSubmit={(e) => {
            e.preventDefault();
            setProposal({ method: 'PATCH', path: pathOf(place, 'scale'), contentType: 'application/merge-patch+json', bodyOf: () => patch });
          }}
        >
          <label for="replicas">Replicas</label>
          <input id="replicas" type="number" min="0" step="1" required autofocus value={replicas} onInput={(e) => setReplicas(e.currentTarget.value)} />
          <p class="hint">
            {scale.spec?.replicas ?? 0} are wanted now, and {scale.status?.replicas ?? 0} run.
          </p>
          <button class="primary">Review</button>
        </form>
      )}
    </Dialog>
  );
}

const pairsAbout = {
  labels: 'Labels select objects: what selects by a label may begin or cease to act on this object.',
  annotations: 'Annotations are notes of people and tools; nothing selects by them.',
};

function PairsDialog({ place, object, field, onClose }: DialogProps & { field: 'labels' | 'annotations' }) {
  // What the dialog was opened with, so that a change of others meanwhile is kept.
  const [before] = useState(object.metadata?.[field] ?? {});
  const [pairs, setPairs] = useState(() => [...Object.entries(before), ['', '']] as [string, string][]);
  const [proposal, setProposal] = useState<Proposal>();
  const title = `${field === 'labels' ? 'Labels' : 'Annotations'} of ${place.name}`;
  if (proposal) return <Review title={title} act="Save" proposal={proposal} before={object} onDone={onClose} onClose={onClose} />;
  const change = (i: number, key: string, value: string) => {
    const next = pairs.map((pair, j): [string, string] => (j === i ? [key, value] : pair));
    setPairs(next.at(-1)?.[0] === '' ? next : [...next, ['', '']]);
  };
  const review = () => {
    const after = Object.fromEntries(pairs.filter(([key]) => key !== ''));
    const patch: Record<string, string | null> = {};
    for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) patch[key] = null;
    for (const [key, value] of Object.entries(after)) if (before[key] !== value) patch[key] = value;
    const text = JSON.stringify({ metadata: { [field]: patch } });
    setProposal({ method: 'PATCH', path: pathOf(place), contentType: 'application/merge-patch+json', bodyOf: () => text });
  };
  return (
    <Dialog title={title} wide onClose={onClose}>
      <form class="stack" onSubmit={(e) => (e.preventDefault(), review())}>
        <p class="hint">{pairsAbout[field]} An empty key removes the pair.</p>
        {pairs.map(([key, value], i) => (
          <div class="pair" key={i}>
            <input aria-label={`Key ${i + 1}`} placeholder="key" value={key} spellcheck={false} onInput={(e) => change(i, e.currentTarget.value, value)} />
            <input aria-label={`Value ${i + 1}`} placeholder="value" value={value} spellcheck={false} onInput={(e) => change(i, key, e.currentTarget.value)} />
          </div>
        ))}
        <button class="primary">Review</button>
      </form>
    </Dialog>
  );
}

const propagation: [string, string][] = [
  ['Background', 'The object goes at once, and the objects that it owns go later, where the API collects garbage.'],
  ['Foreground', 'The objects that it owns go first. Until then the object stays and says that it is being deleted.'],
  ['Orphan', 'Only the object goes. The objects that it owns stay, and have no owner.'],
];

function DeleteDialog({ kind, place, object, onClose }: DialogProps) {
  const [policy, setPolicy] = useState('Background');
  const [proposal, setProposal] = useState<Proposal>();
  const meta: Meta = object.metadata ?? {};
  const title = `Delete ${kind.kind} ${place.name}`;
  const finalizers = meta.finalizers ?? [];
  const restorable = pastVerbs(kind).includes('create/undo');
  if (proposal) {
    return (
      <Review title={title} act="Delete" danger proposal={proposal} before={object} onDone={onClose} onClose={onClose}>
        <p>
          This deletes {place.name}. {restorable ? 'The API keeps its history for a while, and restores it by its name.' : 'It cannot be undone.'}
        </p>
        <Finalizers names={finalizers} />
      </Review>
    );
  }
  const review = () => {
    const options = { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: policy, preconditions: { uid: meta.uid } };
    const bodyOf = (dryRun: boolean) => JSON.stringify(dryRun ? { ...options, dryRun: ['All'] } : options);
    setProposal({ method: 'DELETE', path: pathOf(place), bodyOf });
  };
  return (
    <Dialog title={title} wide onClose={onClose}>
      <form class="stack" onSubmit={(e) => (e.preventDefault(), review())}>
        {meta.deletionTimestamp && <p class="warn">The object is being deleted since {meta.deletionTimestamp}.</p>}
        <fieldset>
          <legend>What it owns</legend>
          {propagation.map(([name, about]) => (
            <label class="choice" key={name}>
              <input type="radio" name="policy" value={name} checked={policy === name} onChange={() => setPolicy(name)} />
              <span>
                <b>{name}</b> {about}
              </span>
            </label>
          ))}
        </fieldset>
        <Finalizers names={finalizers} />
        <button class="primary danger">Review</button>
      </form>
    </Dialog>
  );
}

/** Finalizers explains what a deletion waits for. */
export function Finalizers({ names }: { names: string[] }) {
  if (names.length === 0) return <p class="hint">The object has no finalizers: nothing else delays its deletion.</p>;
  return (
    <div class="warn">
      <p>The object stays until each of these finalizers has been removed by the controller that it names:</p>
      <ul>
        {names.map((name) => (
          <li key={name}>
            <code>{name}</code>
          </li>
        ))}
      </ul>
      <p class="hint">If such a controller runs no longer, remove its finalizer in the editor. What the controller would have cleaned up then stays.</p>
    </div>
  );
}
