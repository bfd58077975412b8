// A change before it happens. The API tries each one first, with dryRun=All, and reports what would become of the object.
import { ApiError, send, warningsOf } from './api';
import type { Thing } from './meta';

/** The name under which the API records the changes of this page. */
export const fieldManager = 'console';

export interface Proposal {
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  query?: Record<string, string>;
  contentType?: string;
  /** bodyOf returns the body of the request. A deletion tells in its body whether it is a dry run. */
  bodyOf: (dryRun: boolean) => string | undefined;
}

export interface Answer {
  object: Thing;
  warnings: string[];
}

/** carryOut sends the change, or tries it. */
export async function carryOut(proposal: Proposal, dryRun: boolean, signal?: AbortSignal): Promise<Answer> {
  const query: Record<string, string> = { ...proposal.query };
  if (dryRun && proposal.method !== 'DELETE') query['dryRun'] = 'All';
  if (proposal.method !== 'DELETE') query['fieldManager'] ??= fieldManager;
  const text = proposal.bodyOf(dryRun);
  const response = await send(proposal.path, {
    method: proposal.method,
    query,
    signal,
    ...(text === undefined ? {} : { text, contentType: proposal.contentType ?? 'application/json' }),
  });
  const answer = await response.text();
  return { object: answer === '' ? {} : (JSON.parse(answer) as Thing), warnings: warningsOf(response) };
}

/** hasNoDryRun reports whether the API refuses to try a change, such as an action with effects outside of the API. */
export function hasNoDryRun(error: unknown): boolean {
  return error instanceof ApiError && error.code === 400 && /dry.?run/i.test(error.message);
}

/** withoutNoise returns an object without what changes with every write and tells people nothing. */
export function withoutNoise(object: Thing): Thing {
  const { managedFields: _, resourceVersion: __, ...metadata } = object.metadata ?? {};
  return object.metadata ? { ...object, metadata } : object;
}
