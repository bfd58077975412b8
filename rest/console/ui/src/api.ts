// Requests to the API. The host's middleware, users and rights see each one.

const mount = document.querySelector<HTMLMetaElement>('meta[name="decorum-api"]')?.content ?? '';

/** Another user, in whose name an administrator sends requests. */
export interface Impersonated {
  user: string;
  groups: string[];
}

/** The bearer token, in memory only: neither storage nor a URL ever has it. */
let token = '';
let impersonated: Impersonated | undefined;
const signInListeners = new Set<() => void>();

export function signIn(secret: string): void {
  token = secret;
  impersonate(undefined);
}

const userListeners = new Set<() => void>();

/** onUserChange calls f when the page begins to act as another user. */
export function onUserChange(f: () => void): void {
  userListeners.add(f);
}

/** impersonate makes all later requests count as those of another user; undefined ends that. */
export function impersonate(other: Impersonated | undefined): void {
  impersonated = other;
  userListeners.forEach((f) => f());
}

/** onSignInNeeded calls f when the API does not know the user. */
export function onSignInNeeded(f: () => void): () => void {
  signInListeners.add(f);
  return () => signInListeners.delete(f);
}

export interface Cause {
  reason?: string;
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

/** Parameters of a URL. A list may have a name several times. */
export type Query = Record<string, string> | [string, string][];

export interface Ask {
  accept?: string;
  query?: Query;
  signal?: AbortSignal | undefined;
  /** Sent as JSON with POST. */
  body?: unknown;
  method?: string;
  /** A body that is a text already. */
  text?: string;
  contentType?: string;
}

/** send returns the answer to a request, or throws an ApiError. */
export async function send(path: string, ask: Ask = {}): Promise<Response> {
  const headers = new Headers({ Accept: ask.accept ?? 'application/json' });
  if (token !== '') headers.set('Authorization', `Bearer ${token}`);
  if (impersonated) {
    headers.set('Impersonate-User', impersonated.user);
    for (const group of impersonated.groups) headers.append('Impersonate-Group', group);
  }
  const init: RequestInit = { headers, cache: 'no-cache', signal: ask.signal ?? null };
  const text = ask.text ?? (ask.body === undefined ? undefined : JSON.stringify(ask.body));
  if (ask.method !== undefined || text !== undefined) init.method = ask.method ?? 'POST';
  if (text !== undefined) {
    init.body = text;
    headers.set('Content-Type', ask.contentType ?? 'application/json');
  }
  const response = await fetch(mount + withQuery(path, ask.query), init);
  if (!response.ok) {
    if (response.status === 401) signInListeners.forEach((f) => f());
    throw new ApiError(response.status, await statusOf(response));
  }
  return response;
}

function withQuery(path: string, settings: Query = []): string {
  const pairs = Array.isArray(settings) ? settings : Object.entries(settings);
  const query = new URLSearchParams(pairs.filter(([, value]) => value !== '')).toString();
  return query === '' ? path : path + (path.includes('?') ? '&' : '?') + query;
}

/** openSocket opens a WebSocket. A page cannot set its headers, so the token travels among the subprotocols and never in the URL. */
export function openSocket(path: string, query: Query, protocols: string[]): WebSocket {
  const url = new URL(mount + withQuery(path, query), location.href);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  const encoded = btoa(token).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  const bearer = token === '' ? [] : [`base64url.bearer.authorization.k8s.io.${encoded}`];
  return new WebSocket(url, [...bearer, ...protocols]);
}

/** warningsOf returns the warnings of an answer. The API writes them in UTF-8, which fetch reads as Latin-1. */
export function warningsOf(response: Response): string[] {
  const header = response.headers.get('Warning') ?? '';
  return [...header.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, quoted = '']) => {
    const text = quoted.replace(/\\(.)/g, '$1');
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(text, (c) => c.charCodeAt(0)));
    } catch {
      return text;
    }
  });
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
