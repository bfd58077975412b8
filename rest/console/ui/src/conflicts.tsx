import type { ApiError } from './api';
import { Difference } from './review';
import { parseFieldPath, valueAt } from './fieldpaths';
import { pathText } from './lines';
import type { Thing } from './meta';
import type { Path } from './schema';

export interface Conflict {
  path: Path;
  field: string;
  /** Who set the field, in the API's words. */
  owner: string;
}

/** conflictsOf returns the fields of an applied draft that others own. */
export function conflictsOf(error: ApiError, draft: unknown): Conflict[] {
  const causes = error.status.details?.causes ?? [];
  return causes
    .filter((cause) => cause.reason === 'FieldManagerConflict')
    .map(({ field = '', message = '' }) => ({
      path: parseFieldPath(field, draft),
      field: field.replace(/^\./, ''),
      owner: message.replace(/^conflict with /, ''),
    }));
}

interface Props {
  conflicts: Conflict[];
  draft: unknown;
  object: Thing | undefined;
  onForce: () => void;
  onLeave: (paths: Path[]) => void;
}

/** Conflicts explains which fields others own, and lets the user take them over or leave them. */
export function Conflicts({ conflicts, draft, object, onForce, onLeave }: Props) {
  return (
    <div class="failure conflicts" role="alert">
      <p>
        <b>409 </b>
        Others set these fields, and want other values: take the fields over, or leave them to their owners.
      </p>
      <table>
        <thead>
          <tr>
            <th>Field</th>
            <th>Set by</th>
            <th>Now</th>
            <th>Yours</th>
          </tr>
        </thead>
        <tbody>
          {conflicts.map((c) => (
            <tr key={c.field + c.owner}>
              <td>
                <code>{pathText(c.path) || c.field}</code>
              </td>
              <td>{c.owner}</td>
              <td>
                <code>{shown(valueAt(object, c.path))}</code>
              </td>
              <td>
                <code>{shown(valueAt(draft, c.path))}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="hint">
        If you take a field over, its owner no longer owns it, and may set it again at its next change. If you leave it, the page removes the field from
        what you apply.
      </p>
      <div class="choices">
        <button onClick={() => onLeave(conflicts.map((c) => c.path))}>Leave them</button>
        <button class="primary danger" onClick={onForce}>
          Take them over
        </button>
      </div>
    </div>
  );
}

interface StaleProps {
  before: Thing | undefined;
  now: Thing | undefined;
  onCarryOver: () => void;
}

/** Stale shows what others changed since the user began, and carries the user's changes over to the newest state. */
export function Stale({ before, now, onCarryOver }: StaleProps) {
  return (
    <div class="failure" role="alert">
      <p>
        <b>409 </b>
        Somebody else changed the object meanwhile: carry your changes over to its newest state, and review them again.
      </p>
      <Difference before={before} after={now} />
      <div class="choices">
        <button class="primary" onClick={onCarryOver}>
          Carry my changes over
        </button>
      </div>
    </div>
  );
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, (_, v: unknown) => (typeof v === 'bigint' ? String(v) : v)) ?? '–');
  return text.length > 80 ? text.slice(0, 79) + '…' : text;
}
