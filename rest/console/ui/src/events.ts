// The events about an object, from whichever kind of events the API serves.
import { ApiError, getJSON } from './api';
import { placeOf } from './discovery';
import type { Kind } from './discovery';
import type { List, Thing } from './meta';
import { pathOf } from './route';
import { pause, watch } from './watch';

export interface Happened {
  key: string;
  type: string;
  reason: string;
  message: string;
  count: number;
  last: string;
  source: string;
}

interface Reference {
  uid?: string;
}

interface RawEvent extends Thing {
  involvedObject?: Reference;
  regarding?: Reference;
  type?: string;
  reason?: string;
  message?: string;
  note?: string;
  count?: number;
  deprecatedCount?: number;
  series?: { count?: number; lastObservedTime?: string };
  lastTimestamp?: string;
  eventTime?: string;
  deprecatedLastTimestamp?: string;
  source?: { component?: string };
  reportingComponent?: string;
  reportingController?: string;
}

/** eventsKind returns the kind that holds events: that of the core group, or else that of events.k8s.io. */
export function eventsKind(kinds: Kind[]): Kind | undefined {
  const found = kinds.filter((k) => k.kind === 'Event' && k.resource === 'events' && k.verbs.includes('list'));
  return found.find((k) => k.group === '') ?? found.find((k) => k.group === 'events.k8s.io');
}

/** followEvents reports the events about the object with the uid, the last one first. */
export async function followEvents(
  kind: Kind,
  namespace: string,
  uid: string,
  signal: AbortSignal,
  report: (events: Happened[], error?: unknown) => void,
): Promise<void> {
  // Events about an object without a namespace are in "default".
  const path = pathOf(placeOf(kind, namespace || 'default'));
  const query: Record<string, string> = kind.group === '' ? { fieldSelector: `involvedObject.uid=${uid}` } : {};
  const about = (e: RawEvent) => (e.involvedObject ?? e.regarding)?.uid === uid;
  const events = new Map<string, Happened>();
  const show = () => !signal.aborted && report([...events.values()].sort((a, b) => Date.parse(b.last) - Date.parse(a.last)));
  for (let failures = 0; !signal.aborted; ) {
    try {
      const list = await getJSON<List<RawEvent>>(path, { query: { ...query, limit: '500' }, signal });
      failures = 0;
      events.clear();
      for (const item of (list.items ?? []).filter(about)) events.set(item.metadata?.uid ?? '', read(item));
      show();
      if (!kind.verbs.includes('watch')) return;
      await watch<RawEvent>({
        path,
        query,
        accept: 'application/json',
        revision: list.metadata?.resourceVersion ?? '',
        revisionOf: (e) => e.metadata?.resourceVersion ?? '',
        onEvents: (changes) => {
          for (const { type, object } of changes) {
            if (type === 'BOOKMARK' || !about(object)) continue;
            if (type === 'DELETED') events.delete(object.metadata?.uid ?? '');
            else events.set(object.metadata?.uid ?? '', read(object));
          }
          show();
        },
        onState: () => {},
        signal,
      });
    } catch (error) {
      if (signal.aborted) return;
      report([], error);
      if (error instanceof ApiError && error.code < 500 && error.code !== 429) return;
      await pause(Math.min(10_000, 1000 * 2 ** failures++), signal);
    }
  }
}

function read(e: RawEvent): Happened {
  return {
    key: e.metadata?.uid ?? '',
    type: e.type ?? '',
    reason: e.reason ?? '',
    message: e.message ?? e.note ?? '',
    count: e.series?.count ?? e.count ?? e.deprecatedCount ?? 1,
    last: e.series?.lastObservedTime ?? e.lastTimestamp ?? e.deprecatedLastTimestamp ?? e.eventTime ?? e.metadata?.creationTimestamp ?? '',
    source: e.reportingComponent || e.reportingController || e.source?.component || '',
  };
}
