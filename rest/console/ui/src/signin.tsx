import { useEffect, useRef, useState } from 'preact/hooks';
import { may } from './access';
import type { Impersonated } from './api';
import { Dialog } from './dialog';
import { issuer, signInAt } from './oidc';

interface Props {
  user: string;
  impersonated: Impersonated | undefined;
  onToken: (token: string) => void;
  onImpersonate: (other: Impersonated | undefined) => void;
  onClose: () => void;
}

/** SignIn asks who the user is. What it learns stays in memory until the page is closed. */
export function SignIn({ user, impersonated, onToken, onImpersonate, onClose }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const stop = useRef(new AbortController());
  const [waiting, setWaiting] = useState(false);
  const [problem, setProblem] = useState('');
  useEffect(() => () => stop.current.abort(), []);
  const visit = () => {
    if (!issuer) return;
    setWaiting(true);
    setProblem('');
    signInAt(issuer, stop.current.signal).then(onToken, (error: Error) => {
      setWaiting(false);
      setProblem(error.message);
    });
  };
  return (
    <Dialog title="Sign in" onClose={onClose}>
      {issuer && (
        <div class="stack">
          <button class="primary" onClick={visit} disabled={waiting}>
            {waiting ? 'Go on in the other window…' : `Sign in at ${new URL(issuer.url).host}`}
          </button>
          {problem !== '' && (
            <p class="problem" role="alert">
              {problem}
            </p>
          )}
          <p class="hint">Or with a token:</p>
        </div>
      )}
      <form
        class="sign-in"
        onSubmit={(e) => {
          e.preventDefault();
          onToken(field.current?.value.trim() ?? '');
        }}
      >
        <label for="token">Bearer token</label>
        <input id="token" type="password" autocomplete="off" autofocus ref={field} />
        <p class="hint">The page keeps the token in memory only and forgets it when you close or reload the page.</p>
        <button class={issuer ? '' : 'primary'}>Sign in</button>
      </form>
      <Impersonation user={user} impersonated={impersonated} onImpersonate={onImpersonate} />
    </Dialog>
  );
}

/** Impersonation lets those who may act as another user see what that user sees. */
function Impersonation({ user, impersonated, onImpersonate }: Pick<Props, 'user' | 'impersonated' | 'onImpersonate'>) {
  const [offered, setOffered] = useState(false);
  const [name, setName] = useState('');
  const [groups, setGroups] = useState('');
  useEffect(() => {
    if (impersonated || user === '') return;
    void may('impersonate', { group: '', version: 'v1', resource: 'users', namespace: '', name: '' }, '', false).then(setOffered);
  }, []);
  if (impersonated) {
    return (
      <div class="sign-in apart">
        <p>You act as {impersonated.user}.</p>
        <button onClick={() => onImpersonate(undefined)}>Be yourself again</button>
      </div>
    );
  }
  if (!offered) return null;
  return (
    <form
      class="sign-in apart"
      onSubmit={(e) => {
        e.preventDefault();
        onImpersonate({ user: name.trim(), groups: groups.split(/[\s,]+/).filter(Boolean) });
      }}
    >
      <label for="impersonated">Act as another user</label>
      <input id="impersonated" required autocomplete="off" value={name} onInput={(e) => setName(e.currentTarget.value)} />
      <label for="impersonated-groups">Groups</label>
      <input id="impersonated-groups" autocomplete="off" value={groups} onInput={(e) => setGroups(e.currentTarget.value)} />
      <p class="hint">All that you do then counts as done by that user. The API records you, too.</p>
      <button>Act</button>
    </form>
  );
}
