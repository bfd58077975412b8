// The kinds that the API serves, from aggregated discovery.
import { getJSON } from './api';
import type { Place } from './route';

export interface Subresource {
  name: string;
  /** What identifies the kind of the body. */
  group: string;
  version: string;
  kind: string;
  verbs: string[];
}

export interface Kind {
  group: string;
  version: string;
  /** All served versions, the preferred one first. */
  versions: string[];
  resource: string;
  singular: string;
  kind: string;
  namespaced: boolean;
  verbs: string[];
  shortNames: string[];
  categories: string[];
  subresources: Subresource[];
}

interface DiscoveredKind {
  resource: string;
  singularResource?: string;
  responseKind?: { kind?: string };
  scope: string;
  verbs?: string[];
  shortNames?: string[];
  categories?: string[];
  subresources?: { subresource: string; responseKind?: { group?: string; version?: string; kind?: string }; verbs?: string[] }[];
}

interface DiscoveryList {
  items?: { metadata: { name?: string }; versions?: { version: string; resources?: DiscoveredKind[] }[] }[];
}

const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** discover returns every kind once for each version, the preferred version first. */
export async function discover(): Promise<Kind[]> {
  const lists = await Promise.all(['/api', '/apis'].map((path) => getJSON<DiscoveryList>(path, { accept })));
  return lists.flatMap((list) => list.items ?? []).flatMap((group) => kindsOf(group.metadata.name ?? '', group.versions ?? []));
}

function kindsOf(group: string, versions: { version: string; resources?: DiscoveredKind[] }[]): Kind[] {
  const served = (resource: string) => versions.filter((v) => v.resources?.some((r) => r.resource === resource)).map((v) => v.version);
  return versions.flatMap((v) =>
    (v.resources ?? []).map((r) => ({
      group,
      version: v.version,
      versions: served(r.resource),
      resource: r.resource,
      singular: r.singularResource ?? '',
      kind: r.responseKind?.kind ?? r.resource,
      namespaced: r.scope === 'Namespaced',
      verbs: r.verbs ?? [],
      shortNames: r.shortNames ?? [],
      categories: r.categories ?? [],
      subresources: (r.subresources ?? []).map((s) => ({
        name: s.subresource,
        group: s.responseKind?.group || group,
        version: s.responseKind?.version || v.version,
        kind: s.responseKind?.kind ?? '',
        verbs: s.verbs ?? [],
      })),
    })),
  );
}

/** listable returns the kinds that a person can look at, each in its preferred version. */
export function listable(kinds: Kind[]): Kind[] {
  return kinds.filter((k) => k.verbs.includes('list') && k.version === k.versions[0]);
}

export function kindAt(kinds: Kind[], place: Place): Kind | undefined {
  return kinds.find((k) => k.group === place.group && k.version === place.version && k.resource === place.resource);
}

/** kindNamed finds the kind that an owner reference names. */
export function kindNamed(kinds: Kind[], apiVersion: string, kind: string): Kind | undefined {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  return kinds.find((k) => k.group === group && k.version === version && k.kind === kind);
}

export function placeOf(kind: Kind, namespace: string, name = ''): Place {
  return { group: kind.group, version: kind.version, resource: kind.resource, namespace: kind.namespaced ? namespace : '', name };
}

export function groupName(group: string): string {
  return group === '' ? 'core' : group;
}
