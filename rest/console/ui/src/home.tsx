import { useEffect, useMemo, useRef } from 'preact/hooks';
import { AttentionView } from './attentionview';
import type { Counts } from './counts';
import { groupName, listable, placeOf } from './discovery';
import type { Kind } from './discovery';
import { useKeys } from './keys';
import { go, hrefOf, withSettings } from './route';
import { Count } from './sidebar';

interface Props {
  kinds: Kind[];
  counts: Counts;
  namespace: string;
  query: URLSearchParams;
}

/** Home shows what needs attention, and all kinds by group or by category. */
export function Home({ kinds, counts, namespace, query }: Props) {
  const search = useRef<HTMLInputElement>(null);
  const by = query.get('by') === 'category' ? 'category' : 'group';
  const word = query.get('q') ?? '';
  const set = (changes: Record<string, string>) => go(hrefOf(undefined, withSettings(query, changes)), true);
  const home = useRef<HTMLDivElement>(null);
  const move = (step: number) => {
    const links = [...(home.current?.querySelectorAll<HTMLElement>('.subject a') ?? [])];
    const at = links.findIndex((link) => link === document.activeElement);
    links[Math.max(0, Math.min(links.length - 1, at + step))]?.focus();
  };
  useKeys({ '/': () => search.current?.focus(), Escape: () => search.current?.blur(), j: () => move(1), k: () => move(-1) });
  const sections = useMemo(() => sectionsOf(listable(kinds), by, word.toLowerCase()), [kinds, by, word]);
  useEffect(() => search.current?.blur(), []);
  return (
    <div class="home" ref={home}>
      <h1 class="visually-hidden">Kinds</h1>
      <AttentionView kinds={kinds} namespace={namespace} />
      <div class="bar">
        <input
          ref={search}
          type="search"
          aria-label="Search the kinds"
          placeholder="Search kinds  /"
          value={word}
          onInput={(e) => set({ q: e.currentTarget.value })}
        />
        <div class="switch" role="group" aria-label="Order of the kinds">
          <button aria-pressed={by === 'group'} onClick={() => set({ by: '' })}>
            By group
          </button>
          <button aria-pressed={by === 'category'} onClick={() => set({ by: 'category' })}>
            By category
          </button>
        </div>
      </div>
      {sections.map(([title, members]) => (
        <section key={title} class="group">
          <h2>{title}</h2>
          <ul class="cards">
            {members.map((kind) => (
              <li key={`${kind.group}/${kind.resource}`}>
                <a href={hrefOf(placeOf(kind, namespace))}>
                  <b>{kind.kind}</b>
                  <Count kind={kind} counts={counts} />
                  <span>
                    {kind.resource}
                    {kind.shortNames.length > 0 && ` · ${kind.shortNames.join(', ')}`}
                  </span>
                  <span class="where">
                    {by === 'category' ? groupName(kind.group) + ' ' : ''}
                    {kind.versions.join(', ')} · {kind.namespaced ? 'in namespaces' : 'without namespaces'}
                  </span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
      {sections.length === 0 && <p class="note">No kind has this name.</p>}
    </div>
  );
}

function sectionsOf(kinds: Kind[], by: 'group' | 'category', word: string): [string, Kind[]][] {
  const sections = new Map<string, Kind[]>();
  for (const kind of kinds) {
    const words = [kind.resource, kind.kind.toLowerCase(), kind.group, ...kind.shortNames, ...kind.categories];
    if (!words.some((w) => w.includes(word))) continue;
    const titles = by === 'group' ? [groupName(kind.group)] : kind.categories.length > 0 ? kind.categories : ['no category'];
    for (const title of titles) sections.set(title, [...(sections.get(title) ?? []), kind]);
  }
  return [...sections].sort(([a], [b]) => Number(a === 'no category') - Number(b === 'no category'));
}
