// Watches: newline-separated events over fetch. A browser opens at most 6 connections to an HTTP/1.1 origin, so the page
// keeps at most 3 watches open, and none while nobody sees it.
import { ApiError, send } from './api';
import type { Status } from './api';

/** Slots bound how many of some things go on at once. The others wait in their order. */
export class Slots {
  private taken = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly most: number) {}

  get full(): boolean {
    return this.taken >= this.most;
  }

  get awaited(): boolean {
    return this.waiting.length > 0;
  }

  async take(): Promise<void> {
    if (this.full) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.taken++;
  }

  /** give hands the slot to the next that waits. */
  give(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.taken--;
  }
}

const connections = new Slots(3);

/** How long a turn lasts, in seconds. A server sends a bookmark two seconds before the end of a watch, and the page ends it then. */
export const turn = 2;
const lastBookmark = 2;
/** What ends each shared watch that has a connection without a turn. The oldest watch comes first. */
const sharing = new Set<() => void>();

export interface Event<T> {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  object: T;
}

export interface Watched<T> {
  path: string;
  query: Record<string, string>;
  accept: string;
  /** Where the watch begins. */
  revision: string;
  /** revisionOf returns the revision of an event's object. */
  revisionOf(object: T): string;
  onEvents(events: Event<T>[]): void;
  onState(state: WatchState, revision: string): void;
  signal: AbortSignal;
  /** Whether the watch takes turns with others where there are more watches than connections. */
  shared?: boolean;
}

export type WatchState = 'live' | 'hidden' | 'lost';

/** watch follows a collection until the signal, across lost connections. It returns when the API has lost the history (410), and
 * throws any other error of the API. */
export async function watch<T>(w: Watched<T>): Promise<void> {
  let revision = w.revision;
  for (let failures = 0; !w.signal.aborted; ) {
    if (document.hidden) {
      w.onState('hidden', revision);
      await event(document, 'visibilitychange', w.signal);
      continue;
    }
    const closed = new AbortController();
    const leave = () => closed.abort();
    const hide = () => document.hidden && leave();
    document.addEventListener('visibilitychange', hide);
    w.signal.addEventListener('abort', leave);
    await connection();
    try {
      if (closed.signal.aborted) continue;
      const query: Record<string, string> = { ...w.query, watch: 'true', allowWatchBookmarks: 'true', resourceVersion: revision };
      const takesTurn = w.shared && connections.awaited;
      if (takesTurn) query['timeoutSeconds'] = String(turn + lastBookmark);
      else if (w.shared) sharing.add(leave);
      const response = await send(w.path, { accept: w.accept, query, signal: closed.signal });
      w.onState('live', revision);
      for await (const events of eventsOf<T>(response)) {
        failures = 0;
        const failed = events.find((e) => e.type === 'ERROR');
        const good = failed ? events.slice(0, events.indexOf(failed)) : events;
        revision = good.reduce((last, e) => w.revisionOf(e.object) || last, revision);
        w.onEvents(good);
        if (failed) {
          const status = failed.object as Status;
          throw new ApiError(status.code ?? 500, status);
        }
        if (takesTurn && good.at(-1)?.type === 'BOOKMARK') break;
      }
    } catch (error) {
      if (error instanceof ApiError && error.code === 410) return;
      if (error instanceof ApiError && error.code < 500 && error.code !== 429) throw error;
      if (!closed.signal.aborted) {
        w.onState('lost', revision);
        await pause(Math.min(10_000, 500 * 2 ** failures++), w.signal);
      }
    } finally {
      leave();
      sharing.delete(leave);
      connections.give();
      document.removeEventListener('visibilitychange', hide);
      w.signal.removeEventListener('abort', leave);
    }
  }
}

async function* eventsOf<T>(response: Response): AsyncGenerator<Event<T>[]> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    const events = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Event<T>);
    if (events.length > 0) yield events;
  }
}

/** withSlot counts another stream without an end as a watch. */
export async function withSlot<T>(f: () => Promise<T>): Promise<T> {
  await connection();
  try {
    return await f();
  } finally {
    connections.give();
  }
}

/** connection waits for a connection. A shared watch that has one without a turn gives it up, and waits for its turn. */
async function connection(): Promise<void> {
  const [end] = sharing;
  if (connections.full && end) {
    sharing.delete(end);
    end();
  }
  await connections.take();
}

/** whenSeen waits until somebody sees the page, or the signal. */
export async function whenSeen(signal: AbortSignal): Promise<void> {
  while (document.hidden && !signal.aborted) await event(document, 'visibilitychange', signal);
}

export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}

function event(target: EventTarget, name: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    target.addEventListener(name, () => resolve(), { once: true });
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
