import { useLayoutEffect, useRef } from 'preact/hooks';

export type Keys = Record<string, () => void>;

/** useKeys calls the function of a pressed key, unless the user types into a field or holds a modifier. */
export function useKeys(keys: Keys): void {
  // A key may come between a render and its effects, so the listener stays and finds the functions of the last render.
  const latest = useRef(keys);
  latest.current = keys;
  // A view takes its keys from the first moment in which it is shown.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      // An editor in a shadow root is the first of the path, and not the target.
      const target = event.composedPath()[0];
      const writes = target instanceof HTMLElement && target.isContentEditable;
      const types = writes || target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
      if (types && event.key !== 'Escape') return;
      if (document.querySelector('dialog[open]')) return;
      const act = latest.current[event.key];
      if (!act) return;
      // A link or a button that has the focus keeps Enter.
      if (event.key === 'Enter' && (target instanceof HTMLAnchorElement || target instanceof HTMLButtonElement)) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}
