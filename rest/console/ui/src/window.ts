import { useEffect, useState } from 'preact/hooks';
import type { RefObject } from 'preact';

/** More rows above and below the visible ones, so that a short scroll shows no gap. */
const spare = 12;
/** The most rows in the document at any time. */
const most = 180;

export interface Window {
  first: number;
  end: number;
}

/** useWindow returns which of count rows of one height the scrolled element shows. */
export function useWindow(scroller: RefObject<HTMLElement | null>, count: number, height: number): Window {
  const [top, setTop] = useState(0);
  const [size, setSize] = useState(600);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    let frame = 0;
    const onScroll = () => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        setTop(element.scrollTop);
      });
    };
    const observer = new ResizeObserver(() => setSize(element.clientHeight));
    observer.observe(element);
    element.addEventListener('scroll', onScroll, { passive: true });
    setSize(element.clientHeight);
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      element.removeEventListener('scroll', onScroll);
    };
  }, []);
  const last = Math.max(0, Math.floor((count * height - size) / height));
  const at = Math.min(Math.floor(top / height), last);
  const first = Math.max(0, at - spare);
  return { first, end: Math.min(count, first + most, at + Math.ceil(size / height) + spare) };
}

/** reveal scrolls so that row i is visible below a header of the given height. */
export function reveal(element: HTMLElement, i: number, height: number, header: number): void {
  const top = i * height;
  if (top < element.scrollTop) element.scrollTop = top;
  else if (top + height + header > element.scrollTop + element.clientHeight) element.scrollTop = top + height + header - element.clientHeight;
}
