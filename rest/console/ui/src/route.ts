// A view's address is the path of the API that it shows, after the "#" of the page's URL, with the view's settings as its query.
// A link therefore shows the same view.

export interface Place {
  group: string;
  version: string;
  resource: string;
  /** The namespace shown; empty means all of them, or a kind without namespaces. */
  namespace: string;
  /** The object shown; empty means the table. */
  name: string;
}

export interface Route {
  /** Undefined on the first page. */
  place?: Place;
  query: URLSearchParams;
}

/** pathOf returns the path of a collection or an object below the mount of the API. */
export function pathOf(place: Place, subresource = ''): string {
  const segments = place.group === '' ? ['api', place.version] : ['apis', place.group, place.version];
  if (place.namespace !== '') segments.push('namespaces', place.namespace);
  segments.push(place.resource);
  if (place.name !== '') segments.push(place.name);
  if (subresource !== '') segments.push(...subresource.split('/'));
  return '/' + segments.map(encodeURIComponent).join('/');
}

export function hrefOf(place: Place | undefined, query?: URLSearchParams): string {
  const text = query?.toString() ?? '';
  return '#' + (place ? pathOf(place) : '/') + (text === '' ? '' : '?' + text);
}

export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = split(hash.replace(/^#/, ''), '?');
  const route: Route = { query: new URLSearchParams(query) };
  const place = parsePath(path);
  if (place) route.place = place;
  return route;
}

function parsePath(path: string): Place | undefined {
  let segments: string[];
  try {
    segments = path.split('/').slice(1).map(decodeURIComponent);
  } catch {
    return undefined;
  }
  if (segments.some((s) => s === '' || s === '.' || s === '..' || s.includes('/'))) return undefined;
  const core = segments.shift() === 'api';
  const group = core ? '' : segments.shift();
  const version = segments.shift();
  let namespace = '';
  // The path of a namespace itself has no resource after it.
  if (segments[0] === 'namespaces' && segments.length > 2) namespace = segments.splice(0, 2)[1] ?? '';
  const [resource, name = ''] = segments;
  if (group === undefined || version === undefined || resource === undefined || segments.length > 2) return undefined;
  return { group, version, resource, namespace, name };
}

function split(text: string, at: string): [string, string?] {
  const i = text.indexOf(at);
  return i < 0 ? [text] : [text.slice(0, i), text.slice(i + 1)];
}

/** go shows a view. A change of settings replaces the entry of the browser's history, so that "back" leaves the view. */
export function go(href: string, replace = false): void {
  if (href === location.hash) return;
  if (!replace) {
    location.hash = href;
    return;
  }
  history.replaceState(null, '', href);
  dispatchEvent(new HashChangeEvent('hashchange'));
}

/** withSettings returns the query with settings changed; an empty value removes a setting. */
export function withSettings(query: URLSearchParams, changes: Record<string, string>): URLSearchParams {
  const next = new URLSearchParams(query);
  for (const [key, value] of Object.entries(changes)) {
    if (value === '') next.delete(key);
    else next.set(key, value);
  }
  return next;
}
