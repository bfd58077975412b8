import type { ComponentChildren } from 'preact';
import type { State } from './table';

const says: Record<State | 'deleted', string> = {
  loading: 'reading',
  live: 'live',
  hidden: 'paused while the page is hidden',
  lost: 'connection lost; the page resumes',
  still: 'not watched: this kind has no watch',
  failed: 'failed',
  deleted: 'deleted',
};

/** StateLine says whether the view is live. A screen reader hears each change of that. */
export function StateLine({ state, revision, children }: { state: State | 'deleted'; revision: string; children?: ComponentChildren }) {
  return (
    <footer class="state">
      <span>{children}</span>
      <span class={`dot ${state}`} role="status">
        {says[state]}
      </span>
      {revision !== '' && <span class="revision">at revision {revision}</span>}
    </footer>
  );
}
