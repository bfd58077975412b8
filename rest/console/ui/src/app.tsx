import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { impersonate, onSignInNeeded, signIn, whoAmI } from './api';
import type { Impersonated } from './api';
import { count } from './counts';
import type { Counts } from './counts';
import { discover, groupName, kindAt, listable } from './discovery';
import type { Kind } from './discovery';
import { Failure } from './failure';
import { Help } from './help';
import { Home } from './home';
import { useKeys } from './keys';
import { NamespaceSwitch } from './namespaces';
import { NewView } from './newview';
import { ObjectView } from './objectview';
import { go, hrefOf, parseRoute, withSettings } from './route';
import type { Route } from './route';
import { forgetSchemas } from './schema';
import { Sidebar } from './sidebar';
import { SignIn } from './signin';
import { TableView } from './tableview';
import { showTheme, theme, themeAfter } from './theme';

function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  useEffect(() => {
    const change = () => setRoute(parseRoute(location.hash));
    addEventListener('hashchange', change);
    // The address may have changed between the first render and now.
    change();
    return () => removeEventListener('hashchange', change);
  }, []);
  return route;
}

export function App() {
  const route = useRoute();
  const { place } = route;
  const [kinds, setKinds] = useState<Kind[]>();
  const [counts, setCounts] = useState<Counts>(new Map());
  const [error, setError] = useState<unknown>();
  const [user, setUser] = useState('');
  const [asking, setAsking] = useState(false);
  const [impersonated, setImpersonated] = useState<Impersonated>();
  const [help, setHelp] = useState(false);
  const [menu, setMenu] = useState(false);
  const [look, setLook] = useState(theme);
  // Counts the sign-ins. Each makes all views read again.
  const [session, setSession] = useState(0);

  useEffect(() => onSignInNeeded(() => setAsking(true)), []);
  const refresh = useCallback(() => {
    discover().then(
      (found) => (setKinds(found), setError(undefined)),
      (failed) => setError(failed),
    );
  }, []);
  useEffect(() => {
    refresh();
    whoAmI().then(setUser);
  }, [session]);

  const kind = kinds && place && kindAt(kinds, place);
  // A kind may have arrived after the page: a definition was applied.
  const sought = useRef('');
  useEffect(() => {
    const key = JSON.stringify(place);
    if (!kinds || !place || kind || sought.current === key) return;
    sought.current = key;
    forgetSchemas();
    refresh();
  }, [kinds, place, kind]);

  // The namespace stays the same on the way through objects and kinds without namespaces.
  const chosen = useRef('');
  if (!place) chosen.current = route.query.get('namespace') ?? '';
  else if (place.name === '' && kind?.namespaced) chosen.current = place.namespace;
  const namespace = chosen.current;

  const atHome = place === undefined;
  useEffect(() => {
    if (!kinds) return;
    const stop = new AbortController();
    void count(listable(kinds), namespace, stop.signal, setCounts);
    return () => stop.abort();
  }, [kinds, namespace, atHome, session]);
  useEffect(() => setMenu(false), [place?.resource, place?.name]);
  useEffect(() => {
    document.title = [place?.name, place?.resource, 'Console'].filter(Boolean).join(' · ');
  }, [place?.name, place?.resource]);

  const beginAnew = (other: Impersonated | undefined) => {
    setImpersonated(other);
    forgetSchemas();
    setUser('');
    setAsking(false);
    setSession((n) => n + 1);
  };
  const changeTheme = () => {
    const next = themeAfter(look);
    showTheme(next);
    setLook(next);
  };
  const changeNamespace = (next: string) => {
    if (place && kind?.namespaced) go(hrefOf({ ...place, namespace: next, name: '' }, place.name === '' ? route.query : undefined));
    else go(hrefOf(undefined, withSettings(route.query, { namespace: next })));
  };
  const up = () => {
    if (place && place.name !== '') go(hrefOf({ ...place, name: '', namespace: kind?.namespaced ? namespace : '' }));
    else go('#/');
  };
  useKeys({
    '?': () => setHelp(true),
    t: changeTheme,
    g: () => go('#/'),
    u: up,
    n: () => document.getElementById('namespace')?.focus(),
  });

  const home = hrefOf(undefined, withSettings(new URLSearchParams(), { namespace }));
  return (
    <div class={menu ? 'frame menu-open' : 'frame'}>
      <a class="skip" href="#main" onClick={(e) => (e.preventDefault(), document.getElementById('main')?.focus())}>
        Skip to the content
      </a>
      <header class="top">
        <button class="icon menu-button" aria-label="Kinds" aria-expanded={menu} onClick={() => setMenu(!menu)}>
          ☰
        </button>
        <a class="brand" href={home}>
          Console
        </a>
        <nav class="crumbs" aria-label="Where you are">
          {place && (
            <a href={hrefOf({ ...place, name: '', namespace: kind?.namespaced ? namespace : '' })} title={groupName(place.group)}>
              {place.resource}
            </a>
          )}
          {place && place.name !== '' && place.namespace !== '' && <a href={hrefOf({ ...place, name: '' })}>{place.namespace}</a>}
          {place && place.name !== '' && <span aria-current="page">{place.name}</span>}
        </nav>
        <NamespaceSwitch kinds={kinds ?? []} namespace={namespace} onChange={changeNamespace} key={`namespaces-${session}`} />
        {(user !== '' || impersonated) && (
          <button
            class={impersonated ? 'user impersonated' : 'user'}
            title={impersonated ? 'You act as this user. Press to end that.' : 'You. Press to be another user.'}
            onClick={() => setAsking(true)}
          >
            {impersonated ? `as ${impersonated.user}` : user}
          </button>
        )}
        <button class="icon" aria-label={`Colours: ${look}`} title={`Colours: ${look} (t)`} onClick={changeTheme}>
          {look === 'auto' ? '◐' : look === 'dark' ? '●' : '○'}
        </button>
        <button class="icon" aria-label="Keys" title="Keys (?)" onClick={() => setHelp(true)}>
          ?
        </button>
      </header>
      <Sidebar kinds={kinds ?? []} counts={counts} namespace={namespace} route={route} />
      <main id="main" tabIndex={-1} key={session}>
        {error !== undefined && !kinds ? (
          <Failure error={error} again={refresh} />
        ) : !kinds ? (
          <p class="note">Reading the kinds…</p>
        ) : !place ? (
          <Home kinds={kinds} counts={counts} namespace={namespace} query={route.query} />
        ) : !kind ? (
          <Failure message={`The API serves no ${place.resource} in ${groupName(place.group)}/${place.version}.`} again={refresh} />
        ) : place.name !== '' ? (
          <ObjectView key={JSON.stringify(place)} kind={kind} kinds={kinds} place={place} query={route.query} />
        ) : route.query.get('new') !== null ? (
          <NewView key={`new-${kind.group}/${kind.version}/${kind.resource}`} kind={kind} place={place} query={route.query} />
        ) : (
          <TableView key={`${kind.group}/${kind.version}/${kind.resource}`} kind={kind} place={place} query={route.query} />
        )}
      </main>
      {help && <Help onClose={() => setHelp(false)} />}
      {asking && (
        <SignIn
          onClose={() => setAsking(false)}
          user={user}
          impersonated={impersonated}
          onToken={(token) => {
            signIn(token);
            beginAnew(undefined);
          }}
          onImpersonate={(other) => {
            impersonate(other);
            beginAnew(other);
          }}
        />
      )}
    </div>
  );
}
