// Events, from whichever kind of events the API serves.
import { ApiError, getJSON } from './api';
import { placeOf } from './discovery';
import type { Kind } from './discovery';
import type { List, Thing } from './meta';
import { pathOf } from './route';
import { pause, watch, whenSeen } from './watch';

export interface Happened {
  key: string;
  /** The object that the event is about. */
  about: Reference;
  type: string;
  reason: string;
  message: string;
  count: number;
  last: string;
  source: string;
}

export interface Reference {
  apiVersion?: string;
  kind?: string;
  namespace?: string;
  name?: string;
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

/** Which events are followed. */
export interface Wanted {
  /** Empty for all namespaces. */
  namespace: string;
  /** What the API selects by. The events that it answers are compared, too, because an API need not know each field. */
  fieldSelector: string;
  wants(e: Happened): boolean;
}

/** eventsAbout returns the events about the object with the uid. Those about an object without a namespace are in "default". */
export function eventsAbout(kind: Kind, namespace: string, uid: string): Wanted {
  const fieldSelector = kind.group === '' ? `involvedObject.uid=${uid}` : '';
  return { namespace: namespace || 'default', fieldSelector, wants: (e) => e.about.uid === uid };
}

/** The most events that the page reads, and that it keeps while it follows them. */
export const mostEvents = 500;

/** followEvents reports the events that are wanted, the last one first, and whether the API has more than were read. */
export async function followEvents(
  kind: Kind,
  wanted: Wanted,
  signal: AbortSignal,
  report: (events: Happened[], more: boolean, error?: unknown) => void,
): Promise<void> {
  const path = pathOf(placeOf(kind, wanted.namespace));
  const query = { fieldSelector: wanted.fieldSelector };
  const events = new Map<string, Happened>();
  let more = false;
  const show = () => !signal.aborted && report([...events.values()].sort((a, b) => Date.parse(b.last) - Date.parse(a.last)), more);
  const put = (raw: RawEvent) => {
    const e = read(raw);
    if (!wanted.wants(e)) return;
    events.delete(e.key);
    events.set(e.key, e);
    if (events.size > mostEvents) events.delete(events.keys().next().value!);
  };
  for (let failures = 0; !signal.aborted; ) {
    try {
      await whenSeen(signal);
      const list = await getJSON<List<RawEvent>>(path, { query: { ...query, limit: String(mostEvents) }, signal });
      failures = 0;
      events.clear();
      more = (list.metadata?.continue ?? '') !== '';
      for (const item of list.items ?? []) put(item);
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
            if (type === 'DELETED') events.delete(object.metadata?.uid ?? '');
            else if (type !== 'BOOKMARK') put(object);
          }
          show();
        },
        onState: () => {},
        signal,
      });
    } catch (error) {
      if (signal.aborted) return;
      report([], false, error);
      if (error instanceof ApiError && error.code < 500 && error.code !== 429) return;
      await pause(Math.min(10_000, 1000 * 2 ** failures++), signal);
    }
  }
}

function read(e: RawEvent): Happened {
  return {
    key: e.metadata?.uid ?? '',
    about: e.involvedObject ?? e.regarding ?? {},
    type: e.type ?? '',
    reason: e.reason ?? '',
    message: e.message ?? e.note ?? '',
    count: e.series?.count ?? e.count ?? e.deprecatedCount ?? 1,
    last: e.series?.lastObservedTime ?? e.lastTimestamp ?? e.deprecatedLastTimestamp ?? e.eventTime ?? e.metadata?.creationTimestamp ?? '',
    source: e.reportingComponent || e.reportingController || e.source?.component || '',
  };
}
