import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface Props {
  title: string;
  wide?: boolean;
  onClose: () => void;
  children: ComponentChildren;
}

export function Dialog({ title, wide, onClose, children }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => ref.current?.showModal(), []);
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
