// Completion of label and field selectors.
import type { Suggestion } from './completing';

/** completeSelector suggests how the last requirement of a selector may go on: a key, or a value after "=". */
export function completeSelector(text: string, values: Map<string, Iterable<string>>): Suggestion[] {
  const begin = text.lastIndexOf(',') + 1;
  const before = text.slice(0, begin);
  const last = text.slice(begin).trimStart();
  const sign = /!?==?/.exec(last);
  if (!sign) {
    const keys = [...values.keys()].filter((key) => key.includes(last)).sort();
    return keys.map((key) => ({ value: `${before}${key}=`, label: `${key}=`, more: true }));
  }
  const key = last.slice(0, sign.index);
  const start = last.slice(sign.index + sign[0].length);
  const known = [...(values.get(key) ?? [])].filter((value) => value.includes(start) && value !== start).sort();
  return known.map((value) => ({ value: `${before}${key}${sign[0]}${value}`, label: value }));
}
