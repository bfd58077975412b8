// The fields of an object that its overview shows: those that the schema requires, and then the others in the order of the schema.
import type { Thing } from './meta';
import { plain } from './queries';
import type { KindSchema, Path } from './schema';

/** How many fields of a part are shown, how deep they lie at most, and how long a text may be. */
const most = 8;
const deepest = 3;
const longest = 120;

export interface Field {
  path: Path;
  text: string;
  about: string;
}

/** firstFields returns fields of a part, such as spec, which no column shows. */
export function firstFields(object: Thing, part: string, schema: KindSchema | undefined, columns: { title: string; text: string }[]): Field[] {
  const found: Field[] = [];
  visit(object[part], [part], schema, found);
  const generation = `${object.metadata?.generation}`;
  // The generation that the status describes is worth a line only if it is not the present one.
  const tells = (field: Field) => field.path.at(-1) !== 'observedGeneration' || field.text !== generation;
  return found.filter(tells).filter((field) => !columns.some((column) => column.text === field.text && isTitleOf(column.title, field.path))).slice(0, most);
}

function visit(value: unknown, path: Path, schema: KindSchema | undefined, found: Field[]): void {
  // Conditions have a list of their own.
  if (value === undefined || value === null || (path.length === 2 && path[1] === 'conditions')) return;
  if (typeof value === 'object' && !Array.isArray(value) && path.length < deepest) {
    for (const key of inOrder(Object.keys(value), path, schema)) visit((value as Record<string, unknown>)[key], [...path, key], schema, found);
    return;
  }
  const text = textOf(value);
  if (text !== '') found.push({ path, text, about: schema?.at(path)?.description ?? '' });
}

/** inOrder returns required keys first, then those that the schema knows in its order, then the others. */
function inOrder(keys: string[], path: Path, schema: KindSchema | undefined): string[] {
  const order = Object.keys(schema?.at(path)?.properties ?? {});
  const rank = (key: string) => (schema?.isRequired([...path, key]) ? -1 : order.includes(key) ? order.indexOf(key) : order.length);
  return keys.map((key) => [rank(key), key] as const).sort(([a], [b]) => a - b).map(([, key]) => key);
}

/** textOf returns a value in one line. Of a list it names the elements, or says how many there are. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return '';
    const names = value.map((item) => (isObject(item) ? item['name'] : item));
    const named = names.every((name) => ['string', 'number', 'boolean'].includes(typeof name));
    return named ? shortened(names.join(', ')) : `${value.length} ${value.length === 1 ? 'element' : 'elements'}`;
  }
  if (!isObject(value)) return shortened(String(value));
  const count = Object.keys(value).length;
  return count === 0 ? '' : `${count} ${count === 1 ? 'field' : 'fields'}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function shortened(text: string): string {
  return text.length > longest ? text.slice(0, longest) + '…' : text;
}

/** isTitleOf reports whether the title of a column is the name of a field, such as Replicas for spec.replicas. */
function isTitleOf(title: string, path: Path): boolean {
  return plain(title) === plain(String(path.at(-1)));
}
