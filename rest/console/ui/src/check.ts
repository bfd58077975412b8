// What the schema says of a value. The API has the last word; the page says early what it can.
import { pathText } from './lines';
import type { KindSchema, Path, Schema } from './schema';

export interface Problem {
  path: Path;
  message: string;
  /** Whether only the schema of the page finds it: the API may see it otherwise. */
  mild?: boolean;
}

/** check compares an object with its schema. */
export function check(schema: KindSchema, object: unknown): Problem[] {
  const problems: Problem[] = [];
  const walk = (value: unknown, path: Path) => {
    const rules = schema.at(path);
    if (!rules || value === null) return;
    const message = wrong(rules, value);
    if (message !== undefined) {
      problems.push({ path, message, mild: true });
      return;
    }
    if (Array.isArray(value)) value.forEach((item, i) => walk(item, [...path, i]));
    else if (typeof value === 'object') {
      for (const name of rules.required ?? []) {
        if (!(name in value)) problems.push({ path, message: `${pathText([...path, name])} is required`, mild: true });
      }
      for (const [name, below] of Object.entries(value)) {
        if (schema.at([...path, name])) walk(below, [...path, name]);
        else if (isClosed(rules)) problems.push({ path: [...path, name], message: `the schema does not know ${pathText([...path, name])}`, mild: true });
      }
    }
  };
  walk(object, []);
  // The API sets the status, and reads none from an object that a user writes.
  return problems.filter((p) => p.path[0] !== 'status' && !(p.path.length === 0 && p.message.startsWith('status ')));
}

function isClosed(s: Schema): boolean {
  return s.properties !== undefined && !s.additionalProperties && !s['x-kubernetes-preserve-unknown-fields'] && !s['x-kubernetes-embedded-resource'];
}

function wrong(s: Schema, value: unknown): string | undefined {
  const type = typeOf(value);
  if (s['x-kubernetes-int-or-string']) return type === 'integer' || type === 'string' ? undefined : 'must be an integer or a string';
  if (s.type !== undefined && s.type !== type && !(s.type === 'number' && type === 'integer')) return `must be ${s.type}, and is ${type}`;
  if (s.enum && !s.enum.includes(value)) return `must be one of ${s.enum.join(', ')}`;
  if (typeof value === 'number') {
    if (s.minimum !== undefined && value < s.minimum) return `must be at least ${s.minimum}`;
    if (s.maximum !== undefined && value > s.maximum) return `must be at most ${s.maximum}`;
  }
  if (typeof value === 'string') {
    if (s.minLength !== undefined && value.length < s.minLength) return `must have at least ${s.minLength} characters`;
    if (s.maxLength !== undefined && value.length > s.maxLength) return `must have at most ${s.maxLength} characters`;
    if (s.pattern !== undefined && !fits(s.pattern, value)) return `must match ${s.pattern}`;
  }
  if (Array.isArray(value) && s.maxItems !== undefined && value.length > s.maxItems) return `must have at most ${s.maxItems} items`;
  return undefined;
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'bigint') return 'integer';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

/** fits reports whether a text matches a pattern. The API's patterns are of RE2, and those that JavaScript cannot read are left to it. */
function fits(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return true;
  }
}
