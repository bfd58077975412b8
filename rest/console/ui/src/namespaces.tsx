import { useEffect, useState } from 'preact/hooks';
import { getJSON } from './api';
import { Completing } from './completing';
import type { Kind } from './discovery';
import { placeOf } from './discovery';
import { metadataList } from './meta';
import type { List, Thing } from './meta';
import { pathOf } from './route';

interface Props {
  kinds: Kind[];
  namespace: string;
  onChange: (namespace: string) => void;
}

/** NamespaceSwitch completes the names of the namespaces that the API shows the user, and accepts any other name. */
export function NamespaceSwitch({ kinds, namespace, onChange }: Props) {
  const [names, setNames] = useState<string[]>([]);
  const kind = kinds.find((k) => k.group === '' && k.resource === 'namespaces' && k.verbs.includes('list'));
  useEffect(() => {
    if (!kind) return;
    const stop = new AbortController();
    const query = { limit: '500' };
    getJSON<List<Thing>>(pathOf(placeOf(kind, '')), { accept: metadataList, query, signal: stop.signal }).then(
      (list) => setNames((list.items ?? []).map((item) => item.metadata?.name ?? '')),
      // A user who may not list namespaces types the name.
      () => setNames([]),
    );
    return () => stop.abort();
  }, [kind]);
  const suggest = (text: string) => {
    const all = { value: '', label: 'all namespaces' };
    const found = names.filter((name) => text === namespace || name.includes(text));
    return [all, ...found.map((name) => ({ value: name, label: name }))];
  };
  if (!kinds.some((k) => k.namespaced)) return null;
  return (
    <Completing id="namespace" label="Namespace" placeholder="all namespaces" value={namespace} suggest={suggest} onCommit={onChange} />
  );
}
