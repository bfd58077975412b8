import { ApiError } from './api';
import { explain } from './explain';

/** Failure says what went wrong, what to do, and what the API said. */
export function Failure({ error, message, again }: { error?: unknown; message?: string; again?: () => void }) {
  const status = error instanceof ApiError ? error : undefined;
  return (
    <div class="failure" role="alert">
      <p>
        {status && <b>{status.code} </b>}
        {message ?? explain(error)}
      </p>
      {status && <p class="said">{status.message}</p>}
      {status?.status.details?.causes && (
        <ul>
          {status.status.details.causes.map((cause) => (
            <li>
              <code>{cause.field}</code> {cause.message}
            </li>
          ))}
        </ul>
      )}
      {again && <button onClick={again}>Try again</button>}
    </div>
  );
}
