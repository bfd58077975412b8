import { useEffect, useState } from 'preact/hooks';

/** age says how long ago a time was, in one or two units. */
export function age(time: string | undefined, now: number): string {
  if (!time) return '';
  const s = Math.max(0, Math.floor((now - Date.parse(time)) / 1000));
  if (!Number.isFinite(s)) return time;
  if (s < 120) return `${s}s`;
  const m = Math.floor(s / 60);
  if (m < 10) return two(m, 'm', s % 60, 's');
  if (m < 180) return `${m}m`;
  const h = Math.floor(m / 60);
  if (h < 8) return two(h, 'h', m % 60, 'm');
  if (h < 48) return `${h}h`;
  const d = Math.floor(h / 24);
  if (d < 8) return two(d, 'd', h % 24, 'h');
  return d < 730 ? `${d}d` : two(Math.floor(d / 365), 'y', d % 365, 'd');
}

function two(a: number, first: string, b: number, second: string): string {
  return b === 0 ? `${a}${first}` : `${a}${first}${b}${second}`;
}

/** useNow returns the time and renders again every few seconds, so that ages grow. */
export function useNow(every = 5000): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => document.hidden || setNow(Date.now()), every);
    return () => clearInterval(timer);
  }, [every]);
  // A page that was hidden has not counted. The steps keep the time the same for renders that follow each other.
  return Math.max(now, (Math.floor(Date.now() / every) - 1) * every);
}
