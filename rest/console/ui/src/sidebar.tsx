import { useState } from 'preact/hooks';
import type { Counts } from './counts';
import { groupName, listable, placeOf } from './discovery';
import type { Kind } from './discovery';
import { hrefOf } from './route';
import type { Route } from './route';

interface Props {
  kinds: Kind[];
  counts: Counts;
  namespace: string;
  route: Route;
}

/** Sidebar lists the kinds by group. */
export function Sidebar({ kinds, counts, namespace, route }: Props) {
  const [filter, setFilter] = useState('');
  const word = filter.toLowerCase();
  const wanted = listable(kinds).filter((k) => [k.resource, k.kind.toLowerCase(), k.group, ...k.shortNames].some((s) => s.includes(word)));
  const groups = new Map<string, Kind[]>();
  for (const kind of wanted) groups.set(kind.group, [...(groups.get(kind.group) ?? []), kind]);
  const here = route.place;
  return (
    <nav class="side" aria-label="Kinds">
      <input aria-label="Filter the kinds" placeholder="Filter kinds" value={filter} onInput={(e) => setFilter(e.currentTarget.value)} />
      {[...groups].map(([group, members]) => (
        <section key={group}>
          <h2>{groupName(group)}</h2>
          <ul>
            {members.map((kind) => (
              <li key={kind.resource}>
                <a
                  href={hrefOf(placeOf(kind, namespace))}
                  aria-current={here?.group === group && here.resource === kind.resource ? 'page' : undefined}
                  title={kind.kind}
                >
                  <span>{kind.resource}</span>
                  <Count kind={kind} counts={counts} />
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}

export function Count({ kind, counts }: { kind: Kind; counts: Counts }) {
  if (!counts.has(kind)) return <small class="count">·</small>;
  const n = counts.get(kind);
  if (n === undefined) return <small class="count" title="You may not list these.">–</small>;
  return <small class={n === 0 ? 'count none' : 'count'}>{n.toLocaleString('en')}</small>;
}
