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
  'x-kubernetes-group-version-kind'?: { group: string; version: string; kind: string }[];
  'x-kubernetes-selectable-fields'?: { fieldPath: string }[];
}

interface Document {
  components?: { schemas?: Record<string, Schema> };
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

/** schemaOf returns the schema of a kind, or undefined if the API publishes none. */
export async function schemaOf(kind: Kind): Promise<KindSchema | undefined> {
  const key = kind.group === '' ? `api/${kind.version}` : `apis/${kind.group}/${kind.version}`;
  try {
    index ??= getJSON<Index>('/openapi/v3');
    const url = (await index).paths?.[key]?.serverRelativeURL;
    if (url === undefined) return undefined;
    // The URL begins at the server's root, which is not that of the page if a proxy stands between them.
    const query = url.includes('?') ? url.slice(url.indexOf('?')) : '';
    let document = documents.get(url);
    if (!document) documents.set(url, (document = getJSON<Document>(`/openapi/v3/${key}${query}`)));
    const schemas = (await document).components?.schemas ?? {};
    const root = Object.values(schemas).find((s) =>
      s['x-kubernetes-group-version-kind']?.some((g) => g.group === kind.group && g.version === kind.version && g.kind === kind.kind),
    );
    return root && new KindSchema(root, schemas);
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
