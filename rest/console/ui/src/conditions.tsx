import { age } from './age';
import type { Thing } from './meta';
import { Cell } from './tableview';

interface Condition {
  type?: unknown;
  status?: unknown;
  reason?: unknown;
  message?: unknown;
  lastTransitionTime?: unknown;
}

/** Conditions shows status.conditions, where the kind follows the conventions and has them. */
export function Conditions({ object, now }: { object: Thing; now: number }) {
  const conditions = conditionsOf(object);
  return (
    <section class="box">
      <h2>Conditions</h2>
      {conditions.length === 0 ? (
        <p class="note">The object has no conditions.</p>
      ) : (
        <ul class="conditions">
          {conditions.map((c) => (
            <li key={text(c.type)}>
              <b>{text(c.type)}</b>
              <Cell text={text(c.status)} />
              <time datetime={text(c.lastTransitionTime)} title={text(c.lastTransitionTime)}>
                {age(text(c.lastTransitionTime), now)}
              </time>
              <span class="reason">{text(c.reason)}</span>
              <p>{text(c.message)}</p>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function conditionsOf(object: Thing): Condition[] {
  const status = object['status'];
  const found = typeof status === 'object' && status !== null ? (status as { conditions?: unknown }).conditions : undefined;
  return Array.isArray(found) ? found.filter((c): c is Condition => typeof c === 'object' && c !== null && 'type' in c) : [];
}

function text(value: unknown): string {
  return value === undefined || value === null ? '' : String(value);
}
