// Documentation from the API's OpenAPI v3 documents.
import { getJSON } from './api';
import type { Kind } from './discovery';

export interface Schema {
  type?: string;
  format?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
  nullable?: boolean;
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  allOf?: Schema[];
  $ref?: string;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-embedded-resource'?: boolean;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-immutable'?: boolean;
  'x-kubernetes-group-version-kind'?: { group: string; version: string; kind: string }[];
  'x-kubernetes-selectable-fields'?: { fieldPath: string }[];
}

/** A parameter of a URL. */
export interface Parameter {
  name: string;
  in: string;
  description?: string;
  schema?: Schema;
}

interface Operation {
  parameters?: Parameter[];
  'x-kubernetes-action'?: string;
  responses?: Record<string, { content?: Record<string, unknown> }>;
}

interface PathItem extends Partial<Record<'get' | 'post' | 'put' | 'patch' | 'delete', Operation>> {
  parameters?: Parameter[];
}

interface Document {
  components?: { schemas?: Record<string, Schema> };
  paths?: Record<string, PathItem>;
}

export type Path = readonly (string | number)[];

/** The schema of a kind with the schemas that it refers to. */
export class KindSchema {
  constructor(
    private readonly root: Schema,
    private readonly schemas: Record<string, Schema>,
  ) {}

  get description(): string {
    return this.resolve(this.root).description ?? '';
  }

  /** selectable returns the fields that field selectors of the kind may name, with their values if the schema lists them. */
  selectable(namespaced: boolean): Map<string, string[]> {
    const fields = new Map<string, string[]>([['metadata.name', []]]);
    if (namespaced) fields.set('metadata.namespace', []);
    for (const { fieldPath } of this.resolve(this.root)['x-kubernetes-selectable-fields'] ?? []) {
      const path = fieldPath.replace(/^\./, '');
      fields.set(path, (this.at(path.split('.'))?.enum ?? []).map(String));
    }
    return fields;
  }

  /** at returns the schema of the field at path. */
  at(path: Path): Schema | undefined {
    let schema: Schema | undefined = this.resolve(this.root);
    for (const step of path) {
      if (!schema) return undefined;
      const next: Schema | undefined = typeof step === 'number' ? schema.items : (schema.properties?.[step] ?? other(schema));
      schema = next && this.resolve(next);
    }
    return schema;
  }

  /** resolved returns a schema with what it refers to. */
  resolved(schema: Schema): Schema {
    return this.resolve(schema);
  }

  /** below returns the schema of an entry of a map, or undefined if the map has the named properties only. */
  below(schema: Schema): Schema | undefined {
    const entry = other(schema);
    return entry && this.resolve(entry);
  }

  /** isRequired reports whether the object around a field must have it. */
  isRequired(path: Path): boolean {
    const last = path[path.length - 1];
    return typeof last === 'string' && (this.at(path.slice(0, -1))?.required?.includes(last) ?? false);
  }

  private resolve(schema: Schema, depth = 0): Schema {
    if (depth > 20) return schema;
    const parts = [...(schema.allOf ?? [])];
    const name = schema.$ref?.replace('#/components/schemas/', '');
    const referred = name === undefined ? undefined : this.schemas[name];
    if (referred) parts.push(referred);
    if (parts.length === 0) return schema;
    const resolved = parts.map((part) => this.resolve(part, depth + 1));
    return Object.assign({}, ...resolved, schema) as Schema;
  }
}

function other(schema: Schema): Schema | undefined {
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}

interface Index {
  paths?: Record<string, { serverRelativeURL: string }>;
}

let index: Promise<Index> | undefined;
const documents = new Map<string, Promise<Document>>();

/** What identifies a kind in the documents of OpenAPI. */
export type KindName = Pick<Kind, 'group' | 'version' | 'kind'>;

/** schemaOf returns the schema of a kind, or undefined if the API publishes none. */
export async function schemaOf(kind: KindName): Promise<KindSchema | undefined> {
  const schemas = (await documentOf(kind))?.components?.schemas ?? {};
  const root = Object.values(schemas).find((s) =>
    s['x-kubernetes-group-version-kind']?.some((g) => g.group === kind.group && g.version === kind.version && g.kind === kind.kind),
  );
  return root && new KindSchema(root, schemas);
}

/** sortsLists reports whether the API has queries for the kind: OpenAPI lists their parameters then. */
export async function sortsLists(kind: Kind): Promise<boolean> {
  const paths = (await documentOf(kind))?.paths ?? {};
  return Object.entries(paths).some(([path, item]) => path.endsWith(`/${kind.resource}`) && item.get?.parameters?.some((p) => p.name === 'sortBy'));
}

/** How the bytes of a subresource travel: as an answer that may have no end, or through a terminal. */
export interface Streaming {
  way: 'log' | 'terminal';
  parameters: Parameter[];
}

/** streamingOf returns how a subresource streams, or undefined if it is an object or cannot be shown. */
export async function streamingOf(kind: Kind, subresource: string): Promise<Streaming | undefined> {
  const paths = (await documentOf(kind))?.paths ?? {};
  const end = `/${kind.resource}/{name}/${subresource}`;
  const [path = '', item] = Object.entries(paths).find(([p]) => p.endsWith(end)) ?? [];
  const operation = item?.get ?? item?.post;
  if (!item || !operation) return undefined;
  const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].filter((p) => p.in === 'query' && p.name !== 'pretty');
  const types = Object.values(operation.responses ?? {}).flatMap((r) => Object.keys(r.content ?? {}));
  if (operation['x-kubernetes-action'] !== 'connect') return types.includes('text/plain') ? { way: 'log', parameters } : undefined;
  const toPorts = paths[path + '/{path}'] !== undefined || parameters.some((p) => p.name === 'ports');
  return toPorts ? undefined : { way: 'terminal', parameters };
}

async function documentOf(kind: Pick<Kind, 'group' | 'version'>): Promise<Document | undefined> {
  const key = kind.group === '' ? `api/${kind.version}` : `apis/${kind.group}/${kind.version}`;
  try {
    index ??= getJSON<Index>('/openapi/v3');
    const url = (await index).paths?.[key]?.serverRelativeURL;
    if (url === undefined) return undefined;
    // The URL begins at the server's root, which is not that of the page if a proxy stands between them.
    const query = url.includes('?') ? url.slice(url.indexOf('?')) : '';
    let document = documents.get(url);
    if (!document) documents.set(url, (document = getJSON<Document>(`/openapi/v3/${key}${query}`)));
    return await document;
  } catch {
    // A failed read is forgotten, so that the next view asks again.
    index = undefined;
    documents.clear();
    return undefined;
  }
}

/** forgetSchemas makes the next view read the schemas again: the user changed, or a kind did. */
export function forgetSchemas(): void {
  index = undefined;
}
