import { useState } from 'preact/hooks';
import { Dialog } from './dialog';
import type { Kind } from './discovery';
import { go, hrefOf } from './route';
import type { Place } from './route';

/** RestoreDialog asks for the name of a deleted object, and shows its history, which restores it. */
export function RestoreDialog({ kind, place, onClose }: { kind: Kind; place: Place; onClose: () => void }) {
  const [namespace, setNamespace] = useState(place.namespace);
  const [name, setName] = useState('');
  return (
    <Dialog title={`Restore a deleted ${kind.kind}`} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(e) => {
          e.preventDefault();
          go(hrefOf({ ...place, namespace, name }, new URLSearchParams({ tab: 'history' })));
        }}
      >
        <p class="hint">The API keeps the versions of a deleted object for a while, under its name.</p>
        {kind.namespaced && (
          <>
            <label for="restore-namespace">Namespace</label>
            <input id="restore-namespace" required spellcheck={false} value={namespace} onInput={(e) => setNamespace(e.currentTarget.value)} />
          </>
        )}
        <label for="restore-name">Name</label>
        <input id="restore-name" required autofocus spellcheck={false} value={name} onInput={(e) => setName(e.currentTarget.value)} />
        <button class="primary">Show its history</button>
      </form>
    </Dialog>
  );
}
