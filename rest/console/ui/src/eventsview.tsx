import { useEffect, useState } from 'preact/hooks';
import { age } from './age';
import type { Kind } from './discovery';
import { eventsAbout, eventsKind, followEvents } from './events';
import type { Happened } from './events';
import { Failure } from './failure';
import type { Thing } from './meta';

const most = 50;

/** EventsView shows the events about the object, live. */
export function EventsView({ kinds, object, now }: { kinds: Kind[]; object: Thing; now: number }) {
  const [events, setEvents] = useState<Happened[]>();
  const [error, setError] = useState<unknown>();
  const kind = eventsKind(kinds);
  const uid = object.metadata?.uid ?? '';
  const namespace = object.metadata?.namespace ?? '';
  useEffect(() => {
    if (!kind || uid === '') return;
    const stop = new AbortController();
    void followEvents(kind, eventsAbout(kind, namespace, uid), stop.signal, (found, _, failed) => {
      setEvents(found);
      setError(failed);
    });
    return () => stop.abort();
  }, [kind, namespace, uid]);
  if (!kind) return null;
  return (
    <section class="box">
      <h2>Events</h2>
      {error !== undefined && <Failure error={error} />}
      {events?.length === 0 && error === undefined && <p class="note">No events.</p>}
      <ul class="events">
        {(events ?? []).slice(0, most).map((e) => (
          <li key={e.key} class={e.type === 'Warning' ? 'warning' : ''}>
            <b>{e.reason}</b>
            {e.count > 1 && <small>×{e.count}</small>}
            <time datetime={e.last} title={e.last}>
              {age(e.last, now)}
            </time>
            <span class="reason">{e.source}</span>
            <p>{e.message}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
