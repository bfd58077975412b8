// How many objects each kind has: one list of one object each, which also tells how many remain.
import { ApiError, getJSON } from './api';
import { placeOf } from './discovery';
import type { Kind } from './discovery';
import { metadataList } from './meta';
import type { List, Thing } from './meta';
import { pathOf } from './route';

/** A count, or undefined where the user may not list. */
export type Counts = Map<Kind, number | undefined>;

/** count reports the counts as they come, two requests at a time. */
export async function count(kinds: Kind[], namespace: string, signal: AbortSignal, onCounts: (counts: Counts) => void): Promise<void> {
  const counts: Counts = new Map();
  const rest = [...kinds];
  const work = async () => {
    for (let kind = rest.shift(); kind && !signal.aborted; kind = rest.shift()) {
      try {
        const list = await getJSON<List<Thing>>(pathOf(placeOf(kind, namespace)), { accept: metadataList, query: { limit: '1' }, signal });
        counts.set(kind, (list.items?.length ?? 0) + (list.metadata?.remainingItemCount ?? 0));
      } catch (error) {
        if (!(error instanceof ApiError)) return;
        counts.set(kind, undefined);
      }
      if (!signal.aborted) onCounts(new Map(counts));
    }
  };
  await Promise.all([work(), work()]);
}
