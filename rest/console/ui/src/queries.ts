// Queries, an extension of the API: the parameters fieldQuery, sortBy and facets of lists. OpenAPI lists them where the API has them.
import { ApiError } from './api';
import type { Suggestion } from './completing';
import type { Order } from './arrange';
import { comparable } from './arrange';
import type { Row } from './rows';

/** Each answer that a query had an effect on names its parameters in this header. A server without them ignores them. */
export const appliedHeader = 'Applied-Parameters';

/** checkApplied throws if an answer ignores one of the parameters. */
export function checkApplied(response: Response, parameters: string[]): void {
  const applied = (response.headers.get(appliedHeader) ?? '').split(',').map((name) => name.trim());
  const ignored = parameters.filter((name) => !applied.includes(name));
  if (ignored.length > 0) throw new ApiError(400, { code: 400, message: `the API ignores ${ignored.join(' and ')}` });
}

/** conditionsOf splits a fieldQuery at the commas between its conditions. */
export function conditionsOf(query: string): string[] {
  const found: string[] = [];
  let [begin, depth, quoted] = [0, 0, false];
  for (let i = 0; i < query.length; i++) {
    const c = query[i];
    if (quoted) {
      if (c === '\\') i++;
      else if (c === '"') quoted = false;
    } else if (c === '"') quoted = true;
    else if (c === '(') depth++;
    else if (c === ')') depth--;
    else if (c === ',' && depth === 0) {
      found.push(query.slice(begin, i).trim());
      begin = i + 1;
    }
  }
  return [...found, query.slice(begin).trim()].filter((condition) => condition !== '');
}

/** isEqual returns the condition that a field has a value. */
export function isEqual(field: string, value: string): string {
  return `${field}=${value === '' || /[\s,()=!<>^"]/.test(value) ? JSON.stringify(value) : value}`;
}

/** toggled returns the query with a condition added, or removed if it has it. A field has one value, so another one goes. */
export function toggled(query: string, field: string, value: string): string {
  const condition = isEqual(field, value);
  const all = conditionsOf(query);
  if (all.includes(condition)) return all.filter((c) => c !== condition).join(',');
  return [...all.filter((c) => !c.startsWith(`${field}=`)), condition].join(',');
}

const operators = ['=', '!=', '^=', '>=', '<=', '>', '<', ' in (', ' notin ('];

/** completeQuery suggests how the last condition of a fieldQuery may go on: a field, an operator, or a value after "=". */
export function completeQuery(text: string, fields: Map<string, Iterable<string>>): Suggestion[] {
  const last = /,\s*$/.test(text) ? '' : (conditionsOf(text).at(-1) ?? '');
  const before = text.slice(0, text.length - last.length);
  const values = fields.get(last);
  if (values) return operators.map((sign) => ({ value: before + last + sign, label: `${last}${sign}`, more: true }));
  const [, field = '', start = ''] = /^([^\s=!<>^]+)=(.*)$/.exec(last) ?? [];
  if (fields.has(field)) {
    const known = [...(fields.get(field) ?? [])].filter((value) => value.includes(start) && value !== start).sort();
    return known.map((value) => ({ value: before + isEqual(field, value), label: value }));
  }
  const keys = [...fields.keys()].filter((key) => key.includes(last)).sort();
  return keys.map((key) => ({ value: before + key, label: key, more: true }));
}

/** sortByOf returns the parameter sortBy for a column's title with an optional minus, or an empty text if no field of the kind is the
 * column. A column is a field if its title is the last part of the path. */
export function sortByOf(sort: string, fields: Iterable<string>): string {
  const descending = sort.startsWith('-');
  const title = plain(sort);
  if (title === '') return '';
  if (title === 'age') return descending ? 'metadata.creationTimestamp' : '-metadata.creationTimestamp';
  const found = [...fields].filter((field) => plain(field.slice(field.lastIndexOf('.') + 1)) === title);
  return found.length === 1 ? (descending ? '-' : '') + found[0] : '';
}

/** plain returns a name as people write it in one word: Replicas and spec.replicas end in the same one. */
export function plain(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** areSorted reports whether the rows are in the order of their column, as the page shows it. If not, the column is not the field. */
export function areSorted(rows: Row[], { by, descending }: Order): boolean {
  if (typeof by !== 'number') return true;
  const keys = rows.map((row) => comparable(row.cells[by] ?? '')).filter((key) => key !== '');
  return keys.every((key, i) => {
    const before = keys[i - 1];
    if (before === undefined || before === key) return true;
    return typeof before === typeof key && before < key !== descending;
  });
}
