// Sign-in with OpenID Connect: authorization code with PKCE. The issuer shows its own page in a window of its own. So the proof that
// belongs to the code, and the token, stay in the memory of this page: neither storage nor a URL ever has them.

interface Issuer {
  url: string;
  clientID: string;
  scopes: string[];
}

interface Configuration {
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
}

const channelName = 'decorum-sign-in';

/** issuer is where users sign in, if the host has named one. */
export const issuer = issuerOf(document.querySelector<HTMLMetaElement>('meta[name="decorum-issuer"]')?.content ?? '');

function issuerOf(text: string): Issuer | undefined {
  return text === '' ? undefined : (JSON.parse(text) as Issuer);
}

/** handOver hands the answer of the issuer to the page that asked, if this window was opened for that. */
export function handOver(): boolean {
  const answer = new URLSearchParams(location.search);
  if (!answer.has('state') || !(answer.has('code') || answer.has('error'))) return false;
  history.replaceState(null, '', location.pathname);
  const channel = new BroadcastChannel(channelName);
  channel.postMessage(Object.fromEntries(answer));
  channel.close();
  close();
  return true;
}

/** signInAt opens the issuer's page and returns the ID token of the user. It must be called from a click. */
export async function signInAt(at: Issuer, signal: AbortSignal): Promise<string> {
  // A window that is opened later than the click would be blocked.
  const shown = open('', 'decorum-sign-in', 'popup,width=480,height=680');
  if (!shown) throw new Error('The browser has blocked the window of the issuer: allow it, and try again.');
  if (!crypto.subtle) throw new Error('A sign-in needs HTTPS.');
  try {
    const configuration = await read<Configuration>(`${at.url.replace(/\/$/, '')}/.well-known/openid-configuration`, { signal });
    if (configuration.issuer !== at.url) throw new Error('The issuer has another name than the one that the console knows.');
    const [state, nonce, verifier] = [random(), random(), random() + random()];
    const challenge = base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));
    const redirect = location.origin + location.pathname;
    const target = new URL(configuration.authorization_endpoint);
    if (target.protocol !== 'https:') throw new Error('The issuer has no page over HTTPS.');
    const asked = { response_type: 'code', client_id: at.clientID, redirect_uri: redirect, scope: at.scopes.join(' ') };
    const proof = { state, nonce, code_challenge: challenge, code_challenge_method: 'S256' };
    for (const [key, value] of Object.entries({ ...asked, ...proof })) target.searchParams.set(key, value);
    const code = codeFor(state, signal);
    shown.location.href = target.href;
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      code: await code,
      redirect_uri: redirect,
      client_id: at.clientID,
      code_verifier: verifier,
    });
    const answer = await read<{ id_token?: string }>(configuration.token_endpoint, { method: 'POST', body, signal });
    if (answer.id_token === undefined || claimsOf(answer.id_token)['nonce'] !== nonce) throw new Error('The issuer answered with a token for another sign-in.');
    return answer.id_token;
  } catch (error) {
    shown.close();
    throw error;
  }
}

/** codeFor waits until the window of the issuer comes back with the code of this sign-in. */
function codeFor(state: string, signal: AbortSignal): Promise<string> {
  const channel = new BroadcastChannel(channelName);
  return new Promise<string>((resolve, reject) => {
    channel.onmessage = ({ data }: MessageEvent<Record<string, string>>) => {
      // Another tab may sign in at the same time.
      if (data['state'] !== state) return;
      if (data['code'] !== undefined) resolve(data['code']);
      else reject(new Error(`The issuer refuses the sign-in: ${data['error_description'] ?? data['error']}`));
    };
    signal.addEventListener('abort', () => reject(new Error('The sign-in was given up.')), { once: true });
  }).finally(() => channel.close());
}

async function read<T>(url: string, init: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(url, { ...init, credentials: 'omit', referrerPolicy: 'no-referrer' });
  } catch {
    throw new Error('The issuer does not answer, or does not allow this page to ask it (CORS).');
  }
  if (!response.ok) throw new Error(`The issuer answered ${response.status}.`);
  return (await response.json()) as T;
}

function random(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)));
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** claimsOf reads the claims of a token without a check of its signature: the API makes that. */
function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(atob((token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/'))) as Record<string, unknown>;
}
