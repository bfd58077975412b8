import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Failure } from './failure';

/** lazy returns a component that is loaded when it is first shown. */
export function lazy<P extends object>(load: () => Promise<FunctionComponent<P>>): FunctionComponent<P> {
  let Loaded: FunctionComponent<P> | undefined;
  return function Lazy(props) {
    const [, show] = useState(0);
    const [failed, setFailed] = useState(false);
    const read = () => {
      setFailed(false);
      load().then(
        (component) => {
          Loaded = component;
          show((n) => n + 1);
        },
        () => setFailed(true),
      );
    };
    useEffect(() => void (Loaded ?? read()), []);
    if (failed) return <Failure message="A part of the page cannot be loaded; reload the page, which may be of an older version." again={read} />;
    return Loaded ? <Loaded {...props} /> : <p class="note">Loading…</p>;
  };
}
