import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface Props {
  title: string;
  wide?: boolean;
  onClose: () => void;
  children: ComponentChildren;
}

export function Dialog({ title, wide, onClose, children }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  // Escape must close the dialog from the first moment in which it is shown.
  useLayoutEffect(() => ref.current?.showModal(), []);
  return (
    <dialog ref={ref} class={wide ? 'wide' : undefined} aria-label={title} onClose={onClose}>
      <header>
        <h2>{title}</h2>
        <button class="icon" aria-label="Close" onClick={() => ref.current?.close()}>
          ✕
        </button>
      </header>
      {children}
    </dialog>
  );
}
