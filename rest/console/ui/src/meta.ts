// What every object has.

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
}

export interface ManagedFieldsEntry {
  manager?: string;
  operation?: string;
  time?: string;
  subresource?: string;
  fieldsV1?: FieldSet;
}

export interface FieldSet {
  [key: string]: FieldSet;
}

export interface Meta {
  name?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: ManagedFieldsEntry[];
}

export interface Thing {
  apiVersion?: string;
  kind?: string;
  metadata?: Meta;
  [field: string]: unknown;
}

export interface List<T> {
  metadata?: { resourceVersion?: string; continue?: string; remainingItemCount?: number };
  items?: T[] | null;
}

export const metadataObject = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
export const metadataList = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
