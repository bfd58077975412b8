// What the first page shows of what needs attention, by kind.
import type { Attention, Problem } from './attention';
import { kindNamed, placeOf } from './discovery';
import type { Kind } from './discovery';
import type { Happened, Reference } from './events';
import type { Place } from './route';

/** How long an object may be in deletion, and for how long a warning is recent, in milliseconds. */
const patience = 5 * 60_000;
const recent = 60 * 60_000;
/** How many problems of an object are shown. */
const mostProblems = 3;

/** An object that needs attention. */
export interface Trouble {
  key: string;
  namespace: string;
  name: string;
  /** Undefined if the API serves no such kind. */
  place: Place | undefined;
  /** The last ones, the newest first, and how many more there are. */
  problems: Problem[];
  more: number;
}

export interface Group {
  key: string;
  title: string;
  kind: Kind | undefined;
  /** The one with the last problem first. */
  troubles: Trouble[];
}

/** troublesOf returns what needs attention at a time, by kind in the order of discovery. */
export function troublesOf(attention: Attention, kinds: Kind[], now: number): Group[] {
  const groups = new Map<string, Map<string, Trouble>>();
  const titles = new Map<string, { title: string; kind: Kind | undefined }>();
  const add = (kind: Kind | undefined, title: string, of: { key: string; namespace: string; name: string }, problems: Problem[]) => {
    const group = kind ? `${kind.group}/${kind.resource}` : title;
    titles.set(group, { title, kind });
    let troubles = groups.get(group);
    if (!troubles) groups.set(group, (troubles = new Map()));
    const { key, namespace, name } = of;
    const before = troubles.get(key)?.problems ?? [];
    const place = kind && placeOf(kind, namespace, name);
    troubles.set(key, { key, namespace, name, place, problems: [...before, ...problems], more: 0 });
  };
  for (const { kind, subjects } of attention.looks) {
    for (const subject of subjects.values()) {
      const problems = [...subject.problems];
      const { deleting, finalizers } = subject;
      if (deleting !== '' && now - Date.parse(deleting) > patience) {
        const message = finalizers.length > 0 ? `It waits for the finalizers ${finalizers.join(', ')}.` : '';
        problems.push({ title: 'Still in deletion', reason: '', message, since: deleting });
      }
      if (problems.length > 0) add(kind, kind.kind, subject, problems);
    }
  }
  for (const [e, others] of lastWarnings(attention.warnings.filter((w) => now - Date.parse(w.last) <= recent))) {
    const { apiVersion = '', kind: name = '' } = e.about;
    const found = kindNamed(kinds, apiVersion, name);
    // The preferred version comes first, and that is the one shown above.
    const shown = kinds.find((k) => k.group === found?.group && k.resource === found.resource);
    const times = e.count + others > 1 ? ` ×${e.count + others}` : '';
    add(shown, name, { key: keyOf(e.about), namespace: e.about.namespace ?? '', name: e.about.name ?? '' }, [
      { title: `Warning${times}`, reason: e.reason, message: e.message, since: e.last },
    ]);
  }
  return [...groups].map(([key, troubles]) => ({ key, ...titles.get(key)!, troubles: [...troubles.values()].map(shortened).sort(byTime) }));
}

function keyOf(about: Reference): string {
  return about.uid ?? `${about.namespace}/${about.name}`;
}

/** lastWarnings returns the last warning for each object and reason, with how often others of the same reason happened. */
function lastWarnings(warnings: Happened[]): [Happened, number][] {
  const last = new Map<string, [Happened, number]>();
  for (const e of warnings) {
    const key = JSON.stringify([keyOf(e.about), e.reason]);
    const found = last.get(key);
    if (found) found[1] += e.count;
    else last.set(key, [e, 0]);
  }
  return [...last.values()];
}

function shortened(trouble: Trouble): Trouble {
  const sorted = trouble.problems.sort((a, b) => time(b.since) - time(a.since));
  return { ...trouble, problems: sorted.slice(0, mostProblems), more: Math.max(0, sorted.length - mostProblems) };
}

function byTime(a: Trouble, b: Trouble): number {
  return time(b.problems[0]?.since ?? '') - time(a.problems[0]?.since ?? '') || (a.name < b.name ? -1 : 1);
}

function time(text: string): number {
  return Date.parse(text) || 0;
}
