// The history of an object, an extension of the API: a kind that keeps its former versions has the subresources history and undo.
import { getJSON } from './api';
import type { Kind, Subresource } from './discovery';
import type { Meta, Thing } from './meta';
import type { Proposal } from './proposal';
import { pathOf } from './route';
import type { Place } from './route';

const group = 'history.decorum-go.github.io';

/** Change says who changed an object, when and how. */
export interface Change {
  time?: string;
  user?: string;
  manager?: string;
  operation?: string;
}

/** A version of an object. The resourceVersion in its metadata names it. */
export interface Version {
  metadata?: Meta;
  written?: Change;
  current?: boolean;
  /** The paths that differ from the version before, if that one is known. */
  changed?: string[];
}

/** The versions of an object, the youngest first. */
export interface Versions {
  items: Version[];
  /** Who deleted the object, if it does not exist. */
  deleted?: Change;
}

export interface FieldChange {
  path: string;
  old?: unknown;
  new?: unknown;
}

/** isPast reports whether a subresource is one of the extension. */
export function isPast(subresource: Subresource): boolean {
  return subresource.group === group;
}

/** pastVerbs returns what the kind offers of get/history and create/undo. */
export function pastVerbs(kind: Kind): string[] {
  const has = (name: string, verb: string) => kind.subresources.some((s) => isPast(s) && s.name === name && s.verbs.includes(verb));
  return [has('history', 'get') ? 'get/history' : '', has('undo', 'create') ? 'create/undo' : ''].filter(Boolean);
}

export function readVersions(place: Place, signal: AbortSignal): Promise<Versions> {
  return getJSON<Versions>(pathOf(place, 'history'), { signal });
}

/** readAt returns the object as it was at a revision. */
export function readAt(place: Place, revision: string, signal: AbortSignal): Promise<Thing> {
  return getJSON<Thing>(pathOf(place, 'history'), { query: { revision }, signal });
}

/** readChanges returns what differs between the versions at two revisions. */
export async function readChanges(place: Place, from: string, to: string, signal: AbortSignal): Promise<FieldChange[]> {
  return (await getJSON<{ changes?: FieldChange[] }>(pathOf(place, 'history'), { query: { from, to }, signal })).changes ?? [];
}

/** undoTo proposes to give the object with a uid the content of an earlier version, or to restore it if it is deleted. */
export function undoTo(place: Place, revision: string, uid: string | undefined): Proposal {
  const preconditions = uid === undefined ? {} : { preconditions: { uid } };
  const body = JSON.stringify({ apiVersion: `${group}/v1alpha1`, kind: 'UndoRequest', revision, ...preconditions });
  return { method: 'POST', path: pathOf(place, 'undo'), bodyOf: () => body };
}
