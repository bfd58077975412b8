import { age } from './age';
import { isWrong } from './conditionrule';
import type { Thing } from './meta';
import { Cell } from './tableview';

export interface Condition {
  type: string;
  status: string;
  reason: string;
  message: string;
  lastTransitionTime: string;
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
          {conditions.map((c) => {
            const wrong = isWrong(c.type, c.status, c.reason);
            return (
              <li key={c.type} class={wrong ? 'wrong' : ''}>
                <b>{c.type}</b>
                <Cell text={c.status} />
                <time datetime={c.lastTransitionTime} title={c.lastTransitionTime}>
                  {age(c.lastTransitionTime, now)}
                </time>
                <span class="reason">{c.reason}</span>
                {wrong && <span class="visually-hidden">not as it should be</span>}
                <p>{c.message}</p>
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}

/** conditionsOf returns status.conditions, whatever values they have. */
export function conditionsOf(object: Thing): Condition[] {
  const status = object['status'];
  const found = typeof status === 'object' && status !== null ? (status as { conditions?: unknown }).conditions : undefined;
  if (!Array.isArray(found)) return [];
  return found
    .filter((c): c is Record<string, unknown> => typeof c === 'object' && c !== null && 'type' in c)
    .map((c) => ({
      type: text(c['type']),
      status: text(c['status']),
      reason: text(c['reason']),
      message: text(c['message']),
      lastTransitionTime: text(c['lastTransitionTime']),
    }));
}

function text(value: unknown): string {
  return value === undefined || value === null ? '' : String(value);
}
