// Completion of YAML: where in an object the cursor is, by indentation, and how the schema goes on there. Unlike a parser, this
// works while the text is not yet whole.
import type { KindSchema, Path, Schema } from './schema';

interface ParsedLine {
  /** The columns of the dashes before the text. */
  dashes: number[];
  /** The column of the text. */
  column: number;
  text: string;
}

export interface Completion {
  label: string;
  /** What is written for it. */
  text: string;
  detail: string;
  info: string;
}

export interface Completions {
  /** The column in the line where what is replaced begins. */
  from: number;
  options: Completion[];
}

/** completeYAML suggests keys or values at the end of the last line. below are the lines after it. */
export function completeYAML(schema: KindSchema, lines: string[], below: string[]): Completions | undefined {
  const here = parseLine(lines.at(-1) ?? '');
  const value = /^("?)([^:#\s"][^:"]*)\1:\s+(\S*)$/.exec(here.text);
  if (value) {
    const [, , key = '', typed = ''] = value;
    const rules = schema.at([...pathAt(lines), key]);
    return rules && { from: (lines.at(-1) ?? '').length - typed.length, options: values(rules) };
  }
  if (!/^[\w./-]*$/.test(here.text)) return undefined;
  const path = pathAt(lines);
  const rules = schema.at(path);
  if (!rules) return undefined;
  const taken = siblings(lines, below, here);
  const keys = Object.entries(rules.properties ?? {})
    .filter(([name]) => !taken.has(name) && !(path.length === 0 && name === 'status'))
    .map(([name, s]) => key(name, schema.resolved(s), here.column, rules.required?.includes(name) ?? false));
  const options = keys.length > 0 || rules.type === 'object' ? keys : values(rules);
  return { from: here.column, options };
}

function key(name: string, s: Schema, column: number, required: boolean): Completion {
  const indent = '\n' + ' '.repeat(column);
  const text = s.type === 'object' ? `${name}:${indent}  ` : s.type === 'array' ? `${name}:${indent}- ` : `${name}: `;
  return { label: name, text, detail: [s.type, required ? 'required' : ''].filter(Boolean).join(', '), info: s.description ?? '' };
}

function values(s: Schema): Completion[] {
  const known = s.enum ?? (s.type === 'boolean' ? [true, false] : s.default !== undefined && typeof s.default !== 'object' ? [s.default] : []);
  return known.map((v) => ({ label: String(v), text: JSON.stringify(v).replace(/^"([A-Za-z][\w.-]*)"$/, '$1'), detail: v === s.default ? 'default' : '', info: '' }));
}

function parseLine(line: string): ParsedLine {
  const dashes: number[] = [];
  let column = /^ */.exec(line)![0].length;
  for (let match = /^-( +|$)/.exec(line.slice(column)); match; match = /^-( +|$)/.exec(line.slice(column))) {
    dashes.push(column);
    column += match[0].length;
  }
  return { dashes, column, text: line.slice(column) };
}

function keyOf(text: string): string | undefined {
  const match = /^(?:"([^"]*)"|'([^']*)'|([^\s#"'[{][^#]*?)):(?:\s|$)/.exec(text);
  return match ? (match[1] ?? match[2] ?? match[3]) : undefined;
}

/** pathAt returns the path of what contains the last line. The index of an item of a list is always 0: the schema is the same for all. */
function pathAt(lines: string[]): Path {
  const path: (string | number)[] = [];
  const last = parseLine(lines.at(-1) ?? '');
  let column = last.column;
  let inList = false;
  const enter = (dashes: number[]) => {
    for (const dash of dashes.toReversed()) {
      if (dash >= column) continue;
      path.unshift(0);
      column = dash;
      inList = true;
    }
  };
  enter(last.dashes);
  for (const line of lines.slice(0, -1).reverse()) {
    if (column === 0 && !inList) break;
    const above = parseLine(line);
    if (above.text === '' || above.text.startsWith('#')) continue;
    const name = keyOf(above.text);
    if (name !== undefined && (above.column < column || (inList && above.column === column && above.dashes.length === 0))) {
      path.unshift(name);
      column = above.column;
      inList = false;
    }
    enter(above.dashes);
  }
  return path;
}

/** siblings returns the keys beside the cursor. */
function siblings(lines: string[], below: string[], here: ParsedLine): Set<string> {
  const keys = new Set<string>();
  const look = (line: string): boolean => {
    const { dashes, column, text } = parseLine(line);
    if (text === '' || text.startsWith('#')) return true;
    if (column < here.column) return false;
    const name = keyOf(text);
    if (column === here.column && name !== undefined) keys.add(name);
    return column !== here.column || dashes.length === 0;
  };
  if (here.dashes.length === 0) for (const line of lines.slice(0, -1).reverse()) if (!look(line)) break;
  for (const line of below) {
    if (parseLine(line).dashes.some((dash) => dash < here.column) || !look(line)) break;
  }
  return keys;
}
