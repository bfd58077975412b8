// Paths of fields as the API writes them in errors and conflicts, such as spec.users[0].name or .spec.users[name="a"].role.
import type { Path } from './schema';

/** parseFieldPath finds the field of a value that a text names. Keys may contain dots, so the value decides where a step ends. */
export function parseFieldPath(text: string, value: unknown): Path {
  const path: (string | number)[] = [];
  let rest = text.replace(/^\./, '');
  while (rest !== '') {
    const [step, length] = rest.startsWith('[') ? inBrackets(rest, value) : named(rest, value);
    if (length === 0) break;
    if (step !== undefined) {
      path.push(step);
      value = (value as Record<string | number, unknown> | undefined)?.[step];
    }
    rest = rest.slice(length).replace(/^\./, '');
  }
  return path;
}

/** named reads a step such as "spec", and the longest key of the value that the text begins with. */
function named(rest: string, value: unknown): [string, number] {
  const keys = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
  const fits = keys.filter((key) => rest.startsWith(key) && /^($|[.[])/.test(rest.slice(key.length)));
  const key = fits.sort((a, b) => b.length - a.length)[0] ?? rest.split(/[.[]/, 1)[0] ?? rest;
  return [key, key.length];
}

/** inBrackets reads an index, a key of a map, or the keys of an item of a list. */
function inBrackets(rest: string, value: unknown): [string | number | undefined, number] {
  const end = closing(rest);
  if (end < 0) return [undefined, 0];
  const inner = rest.slice(1, end);
  const list = Array.isArray(value) ? value : [];
  if (/^\d+$/.test(inner) && (value === undefined || Array.isArray(value))) return [Number(inner), end + 1];
  const wanted = [...inner.matchAll(/([\w-]*)=("(?:[^"\\]|\\.)*"|[^,]+)/g)].map(([, key = '', text = '']): [string, unknown] => [key, parsed(text)]);
  if (wanted.length > 0) {
    const found = list.findIndex((item: unknown) =>
      wanted.every(([key, want]) => (key === '' ? item : (item as Record<string, unknown> | null)?.[key]) === want),
    );
    return [found < 0 ? undefined : found, found < 0 ? 0 : end + 1];
  }
  return [String(parsed(inner)), end + 1];
}

/** closing returns the index of the bracket that closes the first one, past quoted texts. */
function closing(text: string): number {
  const match = /^\[(?:"(?:[^"\\]|\\.)*"|[^\]"])*\]/.exec(text);
  return match ? match[0].length - 1 : -1;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** valueAt returns the value of a field. */
export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, step) => (typeof at === 'object' && at !== null ? (at as Record<string | number, unknown>)[step] : undefined), value);
}

export interface Change {
  path: Path;
  /** Undefined for a field that is gone. */
  value: unknown;
}

/** changesOf returns what makes one value another. Lists of other lengths change as a whole. */
export function changesOf(before: unknown, after: unknown, path: Path = []): Change[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const lists = Array.isArray(before) && Array.isArray(after) && before.length === after.length;
  if (!lists && !(isMap(before) && isMap(after))) return [{ path, value: after }];
  const [old, next] = [before, after] as Record<string, unknown>[];
  const steps = lists ? before.map((_, i) => i) : [...new Set([...Object.keys(old!), ...Object.keys(next!)])];
  return steps.flatMap((step) => changesOf(old![step], next![step], [...path, step]));
}

function isMap(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
