// The live view of one object: one read, then one watch.
import { ApiError, getJSON } from './api';
import type { Thing } from './meta';
import { pathOf } from './route';
import type { Place } from './route';
import type { State } from './table';
import { pause, watch } from './watch';

export interface Shown {
  object?: Thing;
  state: State | 'deleted';
  revision: string;
  error?: unknown;
}

/** follow reports the object at place until the signal. */
export async function follow(place: Place, watched: boolean, signal: AbortSignal, report: (shown: Shown) => void): Promise<void> {
  let shown: Shown = { state: 'loading', revision: '' };
  const show = (change: Partial<Shown>) => {
    shown = { ...shown, ...change };
    if (!signal.aborted) report(shown);
  };
  for (let failures = 0; !signal.aborted; ) {
    try {
      const object = await getJSON<Thing>(pathOf(place), { signal });
      failures = 0;
      show({ object, revision: object.metadata?.resourceVersion ?? '', state: watched ? shown.state : 'still', error: undefined });
      if (!watched) return;
      await watch<Thing>({
        path: pathOf({ ...place, name: '' }),
        query: { fieldSelector: `metadata.name=${place.name}` },
        accept: 'application/json',
        revision: shown.revision,
        revisionOf: (seen) => seen.metadata?.resourceVersion ?? '',
        onEvents: (events) => {
          const last = events.filter((e) => e.type !== 'BOOKMARK').pop();
          if (last) show(last.type === 'DELETED' ? { state: 'deleted' } : { object: last.object, state: 'live' });
        },
        onState: (state, revision) => shown.state !== 'deleted' && show({ state, revision }),
        signal,
      });
    } catch (error) {
      if (signal.aborted) return;
      const gone = error instanceof ApiError && error.code === 404 && shown.object !== undefined;
      show(gone ? { state: 'deleted' } : { state: 'failed', error });
      if (error instanceof ApiError && error.code < 500 && error.code !== 429) return;
      await pause(Math.min(10_000, 1000 * 2 ** failures++), signal);
    }
  }
}
