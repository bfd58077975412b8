// Requests to the API. The host's middleware, users and rights see each one.

const mount = document.querySelector<HTMLMetaElement>('meta[name="decorum-api"]')?.content ?? '';

/** The bearer token, in memory only: neither storage nor a URL ever has it. */
let token = '';
const signInListeners = new Set<() => void>();

export function signIn(secret: string): void {
  token = secret;
}

/** onSignInNeeded calls f when the API does not know the user. */
export function onSignInNeeded(f: () => void): () => void {
  signInListeners.add(f);
  return () => signInListeners.delete(f);
}

export interface Cause {
  field?: string;
  message?: string;
}

/** The Status kind, in which the API reports each error. */
export interface Status {
  code?: number;
  reason?: string;
  message?: string;
  metadata?: { continue?: string };
  details?: { causes?: Cause[]; retryAfterSeconds?: number };
}

export class ApiError extends Error {
  readonly code: number;
  readonly status: Status;

  constructor(code: number, status: Status) {
    super(status.message ?? `the API answered ${code}`);
    this.code = code;
    this.status = status;
  }
}

export interface Ask {
  accept?: string;
  query?: Record<string, string>;
  signal?: AbortSignal;
  /** Sent as JSON with POST. */
  body?: unknown;
}

/** send returns the answer to a request, or throws an ApiError. */
export async function send(path: string, ask: Ask = {}): Promise<Response> {
  const headers: Record<string, string> = { Accept: ask.accept ?? 'application/json' };
  if (token !== '') headers['Authorization'] = `Bearer ${token}`;
  const init: RequestInit = { headers, cache: 'no-cache', signal: ask.signal ?? null };
  if (ask.body !== undefined) {
    init.method = 'POST';
    init.body = JSON.stringify(ask.body);
    headers['Content-Type'] = 'application/json';
  }
  const query = new URLSearchParams(Object.entries(ask.query ?? {}).filter(([, value]) => value !== '')).toString();
  const joined = query === '' ? path : path + (path.includes('?') ? '&' : '?') + query;
  const response = await fetch(mount + joined, init);
  if (!response.ok) {
    if (response.status === 401) signInListeners.forEach((f) => f());
    throw new ApiError(response.status, await statusOf(response));
  }
  return response;
}

async function statusOf(response: Response): Promise<Status> {
  const text = await response.text();
  try {
    const status: unknown = JSON.parse(text);
    if (typeof status === 'object' && status !== null) return status as Status;
  } catch {
    // A proxy may answer with a page. Its first words are better than none.
  }
  return { message: text.slice(0, 200) || response.statusText };
}

export async function getJSON<T>(path: string, ask: Ask = {}): Promise<T> {
  return (await (await send(path, ask)).json()) as T;
}

/** whoAmI returns the name of the user, or an empty one if the API does not tell. */
export async function whoAmI(): Promise<string> {
  try {
    const review = await getJSON<{ status?: { userInfo?: { username?: string } } }>('/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    });
    return review.status?.userInfo?.username ?? '';
  } catch {
    return '';
  }
}
