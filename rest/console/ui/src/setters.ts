// Who set each field, from metadata.managedFields.
import type { FieldSet, ManagedFieldsEntry } from './meta';
import type { Path } from './schema';

export interface Setter {
  manager: string;
  operation: string;
  time: string;
  subresource: string;
}

export class Setters {
  /** The setters of a path, and whether they set everything below it too. */
  private readonly marks = new Map<string, { setter: Setter; whole: boolean }[]>();

  constructor(object: unknown, entries: ManagedFieldsEntry[]) {
    for (const entry of entries) {
      const { manager = '', operation = '', time = '', subresource = '' } = entry;
      if (entry.fieldsV1) this.walk(entry.fieldsV1, object, [], { manager, operation, time, subresource });
    }
  }

  /** of returns who set the value at path: who owns it, or owns a whole that it is part of. */
  of(path: Path): Setter[] {
    for (let length = path.length; length > 0; length--) {
      const marks = (this.marks.get(keyOf(path.slice(0, length))) ?? []).filter((mark) => length === path.length || mark.whole);
      if (marks.length > 0) return marks.map((mark) => mark.setter);
    }
    return [];
  }

  private walk(set: FieldSet, value: unknown, path: (string | number)[], setter: Setter): void {
    const whole = Object.keys(set).length === 0;
    if (path.length > 0 && (whole || '.' in set)) {
      const key = keyOf(path);
      const marks = this.marks.get(key) ?? [];
      marks.push({ setter, whole });
      this.marks.set(key, marks);
    }
    for (const [step, below] of Object.entries(set)) {
      const next = step === '.' ? undefined : childOf(value, step);
      if (next !== undefined) this.walk(below, (value as Record<string | number, unknown>)[next], [...path, next], setter);
    }
  }
}

/** childOf returns the key or index that a step of a field set selects in a value. */
export function childOf(value: unknown, step: string): string | number | undefined {
  const rest = step.slice(2);
  if (step.startsWith('f:')) return typeof value === 'object' && value !== null && Object.hasOwn(value, rest) ? rest : undefined;
  if (!Array.isArray(value)) return undefined;
  if (step.startsWith('i:')) return Number(rest);
  let want: unknown;
  try {
    want = JSON.parse(rest);
  } catch {
    return undefined;
  }
  const found = value.findIndex((item) => (step.startsWith('k:') ? hasKeys(item, want) : JSON.stringify(item) === JSON.stringify(want)));
  return found < 0 ? undefined : found;
}

function hasKeys(item: unknown, keys: unknown): boolean {
  if (typeof item !== 'object' || item === null || typeof keys !== 'object' || keys === null) return false;
  return Object.entries(keys).every(([key, value]) => (item as Record<string, unknown>)[key] === value);
}

export function keyOf(path: Path): string {
  return JSON.stringify(path);
}
