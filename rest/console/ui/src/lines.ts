// An object as lines of YAML or JSON, each with the path of its field.
import type { Path } from './schema';

export interface Line {
  path: Path;
  indent: number;
  /** What stands before the key, such as a dash. */
  head: string;
  key: string;
  value: string;
  type: 'string' | 'number' | 'word' | 'mark' | 'text';
}

type Value = unknown;

/** yamlLines returns the object as YAML. */
export function yamlLines(object: Value): Line[] {
  const lines: Line[] = [];
  yaml(lines, object, [], 0, '', '');
  return lines;
}

function yaml(lines: Line[], value: Value, path: Path, indent: number, head: string, key: string): void {
  const entries = entriesOf(value);
  if (!entries || entries.length === 0) return scalar(lines, value, path, indent, head, key);
  const list = Array.isArray(value);
  let first = '';
  if (key !== '') lines.push({ path, indent, head, key: key + ':', value: '', type: 'mark' });
  else first = head;
  // A list stands below its key at the key's own indent, as kubectl prints it.
  const below = key === '' ? indent : head === '' ? indent + (list ? 0 : 2) : indent + head.length + (list ? 0 : 2);
  entries.forEach(([step, item], i) => {
    const lead = i === 0 ? first : '';
    const at = below + (i === 0 ? 0 : first.length);
    if (list) yaml(lines, item, [...path, step], at, lead + '- ', '');
    else yaml(lines, item, [...path, step], at, lead, plain(String(step)));
  });
}

function scalar(lines: Line[], value: Value, path: Path, indent: number, head: string, key: string): void {
  const label = key === '' ? '' : key + ':';
  if (typeof value !== 'string') {
    const text = typeof value === 'object' && value !== null ? (Array.isArray(value) ? '[]' : '{}') : String(value);
    lines.push({ path, indent, head, key: label, value: text, type: typeof value === 'number' ? 'number' : 'word' });
    return;
  }
  if (!value.includes('\n') || unsafe.test(value.replaceAll('\n', '')) || /^\s|[ \t]$/m.test(value)) {
    lines.push({ path, indent, head, key: label, value: plain(value), type: 'string' });
    return;
  }
  const keep = value.endsWith('\n\n') ? '|+' : value.endsWith('\n') ? '|' : '|-';
  lines.push({ path, indent, head, key: label, value: keep, type: 'mark' });
  const at = indent + head.length + (key === '' ? 0 : 2);
  for (const text of value.replace(/\n$/, '').split('\n')) lines.push({ path, indent: at, head: '', key: '', value: text, type: 'text' });
}

/** Characters that a text must not show as they are: controls, and those that change the direction or are invisible. */
const unsafe = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/;
const simple = /^[A-Za-z0-9_./(<^$]([^#:\n]|:(?=\S))*$/;
const otherwise = /^(null|true|false|yes|no|on|off|y|n|~|[-+.\d][\d_.,:eE+\-xXoO]*|0[xo][\da-fA-F]+|\d{4}-\d\d?-\d\d?.*|.*\s)$/i;

/** plain returns a text as it is where YAML reads it as the same text, and quoted elsewhere. */
function plain(text: string): string {
  return simple.test(text) && !otherwise.test(text) && !unsafe.test(text) ? text : quoted(text);
}

function quoted(text: string): string {
  return JSON.stringify(text).replace(new RegExp(unsafe, 'g'), (c) => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
}

/** jsonLines returns the object as indented JSON. */
export function jsonLines(object: Value): Line[] {
  const lines: Line[] = [];
  json(lines, object, [], 0, '', '');
  return lines;
}

function json(lines: Line[], value: Value, path: Path, indent: number, key: string, tail: string): void {
  const entries = entriesOf(value);
  if (!entries || entries.length === 0) {
    const empty = Array.isArray(value) ? '[]' : '{}';
    const text = typeof value === 'string' ? quoted(value) : entries ? empty : String(value);
    const type = typeof value === 'string' ? 'string' : typeof value === 'number' ? 'number' : 'word';
    lines.push({ path, indent, head: '', key, value: text + tail, type });
    return;
  }
  const list = Array.isArray(value);
  lines.push({ path, indent, head: '', key, value: list ? '[' : '{', type: 'mark' });
  entries.forEach(([step, item], i) => {
    const label = typeof step === 'string' ? quoted(step) + ':' : '';
    json(lines, item, [...path, step], indent + 2, label, i < entries.length - 1 ? ',' : '');
  });
  lines.push({ path, indent, head: '', key: '', value: (list ? ']' : '}') + tail, type: 'mark' });
}

function entriesOf(value: Value): [string | number, Value][] | undefined {
  if (Array.isArray(value)) return value.map((item, i) => [i, item]);
  return typeof value === 'object' && value !== null ? Object.entries(value) : undefined;
}

export function textOfLines(lines: Line[]): string {
  return lines.map((l) => ' '.repeat(l.indent) + l.head + l.key + (l.key !== '' && l.value !== '' ? ' ' : '') + l.value).join('\n') + '\n';
}

/** pathText returns a path as people write it, such as spec.users[0].name. */
export function pathText(path: Path): string {
  return path.map((s, i) => (typeof s === 'number' ? `[${s}]` : /^[\w-]+$/.test(s) ? (i === 0 ? s : '.' + s) : `["${s}"]`)).join('');
}
