// What needs attention: conditions that are not as they should be, objects that stay in deletion, and warnings. The page reads some objects
// of each kind and then follows the changes, so that the API has the same little work however many objects it has.
import { ApiError, send } from './api';
import { isWrong } from './conditionrule';
import { conditionsOf } from './conditions';
import { placeOf } from './discovery';
import type { Kind } from './discovery';
import { eventsKind, followEvents } from './events';
import type { Happened } from './events';
import { metadataList, metadataObject } from './meta';
import type { List, Thing } from './meta';
import { pathOf } from './route';
import { Slots, pause, turn, watch, whenSeen } from './watch';

/** How much of each kind the page reads, and how many of its objects it keeps. */
const mostObjects = 500;
const mostBytes = 1_000_000;
/** The first page of a list tells how large the objects are, so it is small. */
const firstPage = 20;
const largestPage = 200;
/** A user who sees few of the objects gets short pages. */
const mostPages = 10;
/** A kind with more changes in a turn is read again after a pause instead. */
const mostChanges = 500;
const busyPause = 30_000;
/** How many kinds the page reads at a time, and how long it gathers changes before it shows them. */
const readers = 2;
const gather = 100;

export interface Problem {
  title: string;
  reason: string;
  message: string;
  /** When it began. */
  since: string;
}

/** An object that has, or soon may have, something that needs attention. */
export interface Subject {
  key: string;
  namespace: string;
  name: string;
  problems: Problem[];
  /** Since when the object is in deletion, or empty, and what it waits for. */
  deleting: string;
  finalizers: string[];
}

/** How far the page has looked at a kind. */
export interface Look {
  kind: Kind;
  state: 'waiting' | 'read' | 'denied' | 'failed';
  /** How many objects the page has read, whether these were all, and how many there were as far as the API tells. */
  read: number;
  whole: boolean;
  total: number;
  /** Whether there are so many changes that the page pauses, and then reads the kind again. */
  busy: boolean;
  lost: boolean;
  subjects: Map<string, Subject>;
}

export class Attention {
  readonly looks: Look[];
  warnings: Happened[] = [];
  /** Whether the API has more warnings than the page has read, and why it cannot read them. */
  moreWarnings = false;
  warningsError: unknown;

  private readonly stop = new AbortController();
  private readonly slots = new Slots(readers);
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    kinds: Kind[],
    private readonly namespace: string,
    private readonly onChange: () => void,
  ) {
    const events = eventsKind(kinds);
    const looked = kinds.filter((k) => k.kind !== 'Event' && (namespace === '' || k.namespaced));
    this.looks = looked.map((kind) => ({ kind, state: 'waiting', read: 0, whole: false, total: 0, busy: false, lost: false, subjects: new Map() }));
    for (const look of this.looks) void this.follow(look);
    if (!events) return;
    const wanted = { namespace, fieldSelector: 'type=Warning', wants: (e: Happened) => e.type === 'Warning' };
    void followEvents(events, wanted, this.stop.signal, (warnings, more, error) => {
      this.warnings = warnings;
      this.moreWarnings = more;
      this.warningsError = error;
      this.show();
    });
  }

  close(): void {
    this.stop.abort();
    clearTimeout(this.timer);
  }

  /** The seconds after which each kind has had its turn, or 0 if all are watched all the time. */
  get round(): number {
    const watched = this.looks.filter((look) => look.state === 'read' && look.kind.verbs.includes('watch')).length;
    return watched <= 2 ? 0 : Math.ceil(watched / 2) * turn;
  }

  private async follow(look: Look): Promise<void> {
    const signal = this.stop.signal;
    for (let failures = 0; !signal.aborted; ) {
      try {
        await whenSeen(signal);
        const revision = await this.read(look);
        failures = 0;
        if (!look.kind.verbs.includes('watch')) return;
        await this.watch(look, revision);
        if (look.busy) await pause(busyPause, signal);
      } catch (error) {
        if (signal.aborted) return;
        look.state = error instanceof ApiError && error.code === 403 ? 'denied' : 'failed';
        look.subjects.clear();
        this.show();
        if (error instanceof ApiError && error.code < 500 && error.code !== 410 && error.code !== 429) return;
        await pause(Math.min(10_000, 1000 * 2 ** failures++), signal);
      }
    }
  }

  /** read reads the first objects of a kind and returns their revision. */
  private async read(look: Look): Promise<string> {
    await this.slots.take();
    try {
      const path = pathOf(placeOf(look.kind, this.namespace));
      const accept = hasStatus(look.kind) ? 'application/json' : metadataList;
      const subjects = new Map<string, Subject>();
      let [read, bytes, pages, next, revision] = [0, 0, 0, '', ''];
      do {
        const fitting = read === 0 ? firstPage : Math.floor((mostBytes - bytes) / (bytes / read));
        const limit = Math.max(1, Math.min(fitting, largestPage, mostObjects - read));
        const query = { limit: String(limit), continue: next };
        const text = await (await send(path, { accept, query, signal: this.stop.signal })).text();
        const { items, metadata = {} } = JSON.parse(text) as List<Thing>;
        for (const item of items ?? []) put(subjects, item);
        read += items?.length ?? 0;
        bytes += text.length;
        pages++;
        look.total = read + (metadata.remainingItemCount ?? 0);
        revision = metadata.resourceVersion ?? '';
        next = metadata.continue ?? '';
      } while (next !== '' && read < mostObjects && bytes < mostBytes && pages < mostPages);
      Object.assign(look, { read, whole: next === '', subjects, state: 'read', busy: false });
      this.show();
      return revision;
    } finally {
      this.slots.give();
    }
  }

  /** watch follows the changes of a kind until the API has lost the revision, or there are too many. */
  private async watch(look: Look, revision: string): Promise<void> {
    const round = new AbortController();
    const leave = () => round.abort();
    this.stop.signal.addEventListener('abort', leave, { once: true });
    let [began, changes] = [Date.now(), 0];
    await watch<Thing>({
      path: pathOf(placeOf(look.kind, this.namespace)),
      query: {},
      accept: hasStatus(look.kind) ? 'application/json' : metadataObject,
      revision,
      revisionOf: (thing) => thing.metadata?.resourceVersion ?? '',
      onEvents: (events) => {
        if (Date.now() - began > turn * 1000) [began, changes] = [Date.now(), 0];
        changes += events.length;
        if (changes > mostChanges) {
          look.busy = true;
          leave();
        }
        for (const { type, object } of events) {
          if (type === 'DELETED') look.subjects.delete(keyOf(object));
          else if (type !== 'BOOKMARK') put(look.subjects, object);
        }
        this.show();
      },
      onState: (state) => {
        if (state === 'live') [began, changes] = [Date.now(), 0];
        if (look.lost === (state === 'lost')) return;
        look.lost = state === 'lost';
        this.show();
      },
      signal: round.signal,
      shared: true,
    });
    this.stop.signal.removeEventListener('abort', leave);
  }

  private show(): void {
    if (!this.stop.signal.aborted) this.timer ??= setTimeout(() => ((this.timer = undefined), this.onChange()), gather);
  }
}

/** hasStatus reports whether objects of the kind may have conditions. Of the others, the page reads the metadata only. */
function hasStatus(kind: Kind): boolean {
  return kind.subresources.some((s) => s.name === 'status');
}

function keyOf(thing: Thing): string {
  return thing.metadata?.uid ?? '';
}

/** put keeps an object if something about it needs attention, or will if it lasts. */
function put(subjects: Map<string, Subject>, thing: Thing): void {
  const meta = thing.metadata ?? {};
  const problems = conditionsOf(thing)
    .filter((c) => isWrong(c.type, c.status, c.reason))
    .map((c) => ({ title: `${c.type} is ${c.status}`, reason: c.reason, message: c.message, since: c.lastTransitionTime }));
  const key = keyOf(thing);
  const deleting = meta.deletionTimestamp ?? '';
  if (problems.length === 0 && deleting === '') subjects.delete(key);
  else if (subjects.has(key) || subjects.size < mostObjects) {
    subjects.set(key, { key, namespace: meta.namespace ?? '', name: meta.name ?? '', problems, deleting, finalizers: meta.finalizers ?? [] });
  }
}
