import { ApiError } from './api';

/** explain says in one sentence what an error means and what to do. */
export function explain(error: unknown): string {
  if (!(error instanceof ApiError)) return 'The API does not answer: check the connection; tables try again by themselves.';
  switch (error.code) {
    case 400:
      return 'The API does not understand the request: check the selectors and queries, or the fields that it names.';
    case 401:
      return 'The API does not know who you are: sign in.';
    case 403:
      return 'You may not do this: choose a namespace that is yours, or ask an administrator for the right.';
    case 404:
      return 'This does not exist, or no longer: go back to the table.';
    case 409:
      if (error.status.reason === 'AlreadyExists') return 'An object of this name exists already: choose another name.';
      return 'Somebody else changed the object meanwhile: read it again, and repeat your change.';
    case 410:
      return 'The API no longer has the history of this view: the page reads it again.';
    case 422:
      return 'The API refuses the object: mend the fields named below.';
    case 429:
      return 'The API has too many requests at present: try again in a moment; tables do so by themselves.';
    default:
      return error.code >= 500 ? 'The API has a fault: try again later, or ask who runs it.' : 'The API refuses the request.';
  }
}
