// A draft of an object: YAML that a person edits as text or through a form. Comments and numbers of any size stay as they are.
import { isCollection, isMap, isPair, isScalar, isSeq, parseDocument, stringify } from 'yaml';
import type { Document, ParsedNode, Range } from 'yaml';
import type { FieldSet, Thing } from './meta';
import type { KindSchema, Path, Schema } from './schema';
import { childOf } from './setters';

/** The API reads YAML 1.1, so texts such as "yes" are quoted. */
const writing = { compat: 'yaml-1.1', lineWidth: 0, indentSeq: false } as const;

export interface Fault {
  from: number;
  to: number;
  message: string;
}

export class Draft {
  private readonly document: Document.Parsed<ParsedNode>;

  constructor(readonly text: string) {
    this.document = parseDocument(text, { intAsBigInt: true, ...writing });
  }

  /** faults are the places where the text is not YAML. */
  get faults(): Fault[] {
    return this.document.errors.map((e) => ({ from: e.pos[0], to: e.pos[1], message: e.message.split('\n')[0]!.replace(/:$/, '') }));
  }

  /** value returns the object. Integers that JavaScript cannot hold are of type bigint. */
  get value(): unknown {
    if (this.document.errors.length > 0) return undefined;
    return plainNumbers(this.document.toJS({ maxAliasCount: 0 }) as unknown);
  }

  /** with returns the draft with a field set, or removed if the value is undefined. */
  with(path: Path, value: unknown): Draft {
    const next = this.document.clone() as Document.Parsed<ParsedNode>;
    if (value === undefined) next.deleteIn(path);
    else {
      // "[]" and "{}" would otherwise grow within one line.
      path.forEach((_, i) => {
        const around: unknown = next.getIn(path.slice(0, i), true);
        if (isCollection(around) && around.items.length === 0) around.flow = false;
      });
      next.setIn(path, next.createNode(value));
    }
    return new Draft(next.toString(writing));
  }

  /** placeOf returns where in the text a field is, or the nearest field around it that exists. */
  placeOf(path: Path): { from: number; to: number } {
    let place: Range | undefined | null = [0, 0, 0];
    let node: unknown = this.document.contents;
    for (const step of path) {
      const pair = isMap(node) ? node.items.find((p) => isPair(p) && isScalar(p.key) && String(p.key.value) === String(step)) : undefined;
      const item: unknown = isSeq(node) && typeof step === 'number' ? node.items[step] : undefined;
      const found = (pair?.key ?? item) as ParsedNode | undefined;
      if (!found) break;
      place = found.range;
      node = pair ? pair.value : item;
    }
    const [from, to] = place ?? [0, 0];
    // An item of a list may be an object of many lines. Its first line is enough.
    const line = this.text.indexOf('\n', from);
    return { from, to: line < 0 ? to : Math.min(to, line) };
  }

  /** pathAt returns the path of the field in which an offset of the text lies. */
  pathAt(offset: number): Path {
    const path: (string | number)[] = [];
    const walk = (node: unknown): void => {
      if (isMap(node)) {
        const pair = node.items.findLast((p) => isScalar(p.key) && ((p.key.range as Range | undefined)?.[0] ?? Infinity) <= offset);
        if (!pair) return;
        path.push(String((pair.key as { value: unknown }).value));
        walk(pair.value);
      } else if (isSeq(node)) {
        const i = node.items.findLastIndex((item) => ((item as ParsedNode | null)?.range?.[0] ?? Infinity) <= offset);
        if (i < 0) return;
        path.push(i);
        walk(node.items[i]);
      }
    };
    walk(this.document.contents);
    return path;
  }
}

/** plainNumbers replaces integers that fit by numbers. */
function plainNumbers(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (Array.isArray(value)) return value.map(plainNumbers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, below]) => [key, plainNumbers(below)]));
}

/** editable removes from an object what only the API writes. The revision stays, so that no change of others is lost. */
export function editable(text: string, keepStatus: boolean): string {
  const document = parseDocument(text, { intAsBigInt: true, ...writing });
  for (const path of [...(keepStatus ? [] : [['status']]), ...['managedFields', 'uid', 'creationTimestamp', 'generation', 'selfLink'].map((f) => ['metadata', f])]) {
    if (document.hasIn(path)) document.deleteIn(path);
  }
  return document.toString(writing);
}

/** owned returns what this page has applied of an object before: a draft to apply again. */
export function owned(object: Thing, manager: string): string {
  const { apiVersion, kind, metadata = {} } = object;
  const entry = metadata.managedFields?.find((m) => m.manager === manager && m.operation === 'Apply' && !m.subresource);
  const own = (entry?.fieldsV1 ? part(object, entry.fieldsV1) : {}) as Thing;
  const { metadata: ownMetadata, ...rest } = own;
  const names = { name: metadata.name, ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }) };
  return stringify({ apiVersion, kind, metadata: { ...names, ...ownMetadata }, ...rest }, writing);
}

/** part returns the part of a value that a set of fields names. */
function part(value: unknown, set: FieldSet): unknown {
  const steps = Object.entries(set).filter(([step]) => step !== '.');
  if (steps.length === 0) return value;
  const inside = steps.flatMap(([step, below]) => {
    const key = childOf(value, step);
    return key === undefined ? [] : [[key, step, below] as const];
  });
  if (!Array.isArray(value)) return Object.fromEntries(inside.map(([key, , below]) => [key, part((value as Record<string, unknown>)[key], below)]));
  return inside.map(([key, step, below]) => {
    const item = part(value[key as number], below);
    const keys = step.startsWith('k:') ? (JSON.parse(step.slice(2)) as object) : {};
    return typeof item === 'object' && item !== null ? { ...keys, ...item } : item;
  });
}

/** skeleton returns a new object with the fields that it must have. */
export function skeleton(kind: { group: string; version: string; kind: string }, metadata: object, schema: KindSchema | undefined): string {
  const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
  const object: Record<string, unknown> = { apiVersion, kind: kind.kind, ...(Object.keys(metadata).length > 0 ? { metadata } : {}) };
  const root = schema?.at([]);
  for (const name of Object.keys(root?.properties ?? {})) {
    if (['apiVersion', 'kind', 'metadata', 'status'].includes(name)) continue;
    if (name === 'spec' || root?.required?.includes(name)) object[name] = required(schema!, [name], 0);
  }
  return stringify(object, writing);
}

function required(schema: KindSchema, path: Path, depth: number): unknown {
  const rules = schema.at(path) ?? {};
  if (rules.default !== undefined) return rules.default;
  const of: Record<string, () => unknown> = {
    object: () => {
      const names = depth > 8 ? [] : (rules.required ?? []);
      return Object.fromEntries(names.map((name) => [name, required(schema, [...path, name], depth + 1)]));
    },
    array: () => [],
    boolean: () => false,
    integer: () => rules.minimum ?? 0,
    number: () => rules.minimum ?? 0,
  };
  return rules.enum?.[0] ?? of[rules.type ?? '']?.() ?? '';
}

/** emptyOf returns the value with which a person begins to fill in a field. */
export function emptyOf(schema: KindSchema, rules: Schema, path: Path): unknown {
  if (rules.default !== undefined) return rules.default;
  return rules.type === 'object' || rules.type === 'array' ? required(schema, path, 0) : (rules.enum?.[0] ?? (rules.type === 'boolean' ? false : ''));
}
