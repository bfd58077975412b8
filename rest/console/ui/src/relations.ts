// Owners and dependents of an object. Owners are in its metadata; dependents are found by reading the metadata of every kind.
import { ApiError, getJSON } from './api';
import { kindNamed, listable, placeOf } from './discovery';
import type { Kind } from './discovery';
import { metadataList, metadataObject } from './meta';
import type { List, Meta, OwnerReference, Thing } from './meta';
import { pathOf } from './route';
import type { Place } from './route';

export interface Node {
  uid: string;
  kind: string;
  name: string;
  /** Undefined where the API serves no such kind. */
  place?: Place;
  /** Whether an owner exists no longer. */
  missing: boolean;
  /** Distance from the object: owners are below 0, dependents above. */
  level: number;
  /** The uid of the node to which an edge leads: of the owner, or of the dependent that names this owner. */
  beside?: string;
}

export interface Relations {
  nodes: Node[];
  /** How many kinds have been searched, of how many. */
  searched: number;
  kinds: number;
  /** Kinds that the user may not list, or that have too many objects to read all. */
  unread: string[];
}

const pages = 20;
const mostNodes = 120;

export async function relate(self: Thing, kind: Kind, kinds: Kind[], signal: AbortSignal, report: (r: Relations) => void): Promise<void> {
  const meta = self.metadata ?? {};
  const uid = meta.uid ?? '';
  const namespace = meta.namespace ?? '';
  const start: Node = { uid, kind: kind.kind, name: meta.name ?? '', place: placeOf(kind, namespace, meta.name), missing: false, level: 0 };
  const owners = await ownersOf(meta, start, kinds, signal);
  const owned = new Map<string, Node[]>();
  const searched = listable(kinds).filter((k) => namespace === '' || k.namespaced);
  const rest = [...searched];
  const unread: string[] = [];
  let done = 0;
  const show = () => {
    if (!signal.aborted) report({ nodes: [...owners, start, ...below(start, owned)], searched: done, kinds: searched.length, unread });
  };
  show();
  const work = async () => {
    for (let next = rest.shift(); next && !signal.aborted; next = rest.shift()) {
      try {
        if (!(await readOwned(next, namespace, owned, signal))) unread.push(next.kind);
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof ApiError)) throw error;
        unread.push(next.kind);
      }
      done++;
      show();
    }
  };
  await Promise.all([work(), work()]);
}

/** readOwned adds the objects of a kind that have owners. It reports whether it read them all. */
async function readOwned(kind: Kind, namespace: string, owned: Map<string, Node[]>, signal: AbortSignal): Promise<boolean> {
  for (let next = '', page = 0; page < pages; page++) {
    const query = { limit: '500', continue: next };
    const list = await getJSON<List<Thing>>(pathOf(placeOf(kind, namespace)), { accept: metadataList, query, signal });
    for (const { metadata: m } of list.items ?? []) {
      for (const owner of m?.ownerReferences ?? []) {
        const place = placeOf(kind, m?.namespace ?? '', m?.name);
        const node: Node = { uid: m?.uid ?? '', kind: kind.kind, name: m?.name ?? '', place, missing: false, level: 0, beside: owner.uid };
        owned.set(owner.uid, [...(owned.get(owner.uid) ?? []), node]);
      }
    }
    next = list.metadata?.continue ?? '';
    if (next === '') return true;
  }
  return false;
}

function below(start: Node, owned: Map<string, Node[]>): Node[] {
  const seen = new Set([start.uid]);
  const out: Node[] = [];
  const visit = (owner: Node) => {
    for (const node of owned.get(owner.uid) ?? []) {
      if (seen.has(node.uid) || out.length >= mostNodes) continue;
      seen.add(node.uid);
      const placed = { ...node, level: owner.level + 1 };
      out.push(placed);
      visit(placed);
    }
  };
  visit(start);
  return out;
}

/** ownersOf reads the chain of owners, at most 5 long. */
async function ownersOf(meta: Meta, of: Node, kinds: Kind[], signal: AbortSignal, seen = new Set([of.uid])): Promise<Node[]> {
  const out: Node[] = [];
  for (const reference of meta.ownerReferences ?? []) {
    if (seen.has(reference.uid) || of.level < -4) continue;
    seen.add(reference.uid);
    const node: Node = { uid: reference.uid, kind: reference.kind, name: reference.name, missing: false, level: of.level - 1, beside: of.uid };
    const owner = await readOwner(reference, meta.namespace ?? '', node, kinds, signal);
    if (owner) out.push(...(await ownersOf(owner, node, kinds, signal, seen)));
    out.push(node);
  }
  return out;
}

async function readOwner(r: OwnerReference, namespace: string, node: Node, kinds: Kind[], signal: AbortSignal): Promise<Meta | undefined> {
  const kind = kindNamed(kinds, r.apiVersion, r.kind);
  if (!kind) return undefined;
  node.place = placeOf(kind, namespace, r.name);
  try {
    const owner = await getJSON<Thing>(pathOf(node.place), { accept: metadataObject, signal });
    node.missing = owner.metadata?.uid !== r.uid;
    return node.missing ? undefined : owner.metadata;
  } catch (error) {
    node.missing = error instanceof ApiError && error.code === 404;
    return undefined;
  }
}
