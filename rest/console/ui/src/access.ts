// "May I?" from self-subject reviews. The answers decide what the page offers; the API decides what happens.
import { useEffect, useState } from 'preact/hooks';
import { getJSON, onUserChange } from './api';
import type { Place } from './route';

const answers = new Map<string, Promise<boolean>>();

onUserChange(() => answers.clear());

/** may asks whether the user may do something. Where the API has no reviews, otherwise is the answer. */
export function may(verb: string, place: Place, subresource = '', otherwise = true): Promise<boolean> {
  const { group, version, resource, namespace, name } = place;
  const resourceAttributes = { verb, group, version, resource, subresource, namespace, name };
  const key = JSON.stringify(resourceAttributes);
  let answer = answers.get(key);
  if (!answer) {
    const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec: { resourceAttributes } };
    answer = getJSON<{ status?: { allowed?: boolean } }>('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { body }).then(
      (review) => review.status?.allowed ?? false,
      () => otherwise,
    );
    answers.set(key, answer);
  }
  return answer;
}

/** useMay returns which of some verbs the user may use at a place, in the form VERB or VERB/SUBRESOURCE. */
export function useMay(place: Place, wanted: string[]): Set<string> {
  const [allowed, setAllowed] = useState(new Set<string>());
  const key = JSON.stringify([place, wanted]);
  useEffect(() => {
    let current = true;
    void Promise.all(
      wanted.map(async (want) => {
        const [verb = '', ...subresource] = want.split('/');
        return (await may(verb, place, subresource.join('/'))) ? want : '';
      }),
    ).then((found) => current && setAllowed(new Set(found)));
    return () => {
      current = false;
    };
  }, [key]);
  return allowed;
}
