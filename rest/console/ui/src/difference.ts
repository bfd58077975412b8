// The difference of two texts, line by line.

export interface Part {
  kind: 'same' | 'out' | 'in' | 'gap';
  text: string;
}

/** Lines around each difference. */
const around = 3;
/** Texts with more changes than this are shown as removed and added as a whole. */
const mostSteps = 400;

/** difference returns the lines that differ, each with some lines around it. */
export function difference(before: string[], after: string[]): Part[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < before.length - head && tail < after.length - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const parts: Part[] = [
    ...before.slice(0, head).map(same),
    ...middle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map(same),
  ];
  return shortened(parts);
}

function same(text: string): Part {
  return { kind: 'same', text };
}

/** middle is the algorithm of Myers: the shortest way from one text to the other. */
function middle(before: string[], after: string[]): Part[] {
  const whole = (): Part[] => [...before.map((text): Part => ({ kind: 'out', text })), ...after.map((text): Part => ({ kind: 'in', text }))];
  if (before.length === 0 || after.length === 0) return whole();
  let reach = new Map<number, number>([[1, 0]]);
  const history: Map<number, number>[] = [];
  for (let steps = 0; steps <= Math.min(mostSteps, before.length + after.length); steps++) {
    history.push(new Map(reach));
    const next = new Map(reach);
    for (let k = -steps; k <= steps; k += 2) {
      const down = k === -steps || (k !== steps && (reach.get(k - 1) ?? 0) < (reach.get(k + 1) ?? 0));
      let x = down ? (reach.get(k + 1) ?? 0) : (reach.get(k - 1) ?? 0) + 1;
      let y = x - k;
      while (x < before.length && y < after.length && before[x] === after[y]) {
        x++;
        y++;
      }
      next.set(k, x);
      if (x >= before.length && y >= after.length) return walkBack(before, after, history);
    }
    reach = next;
  }
  return whole();
}

function walkBack(before: string[], after: string[], history: Map<number, number>[]): Part[] {
  const parts: Part[] = [];
  let x = before.length;
  let y = after.length;
  for (let steps = history.length - 1; steps >= 0; steps--) {
    const reach = history[steps]!;
    const k = x - y;
    const down = k === -steps || (k !== steps && (reach.get(k - 1) ?? 0) < (reach.get(k + 1) ?? 0));
    const fromX = steps === 0 ? 0 : (reach.get(down ? k + 1 : k - 1) ?? 0);
    const fromY = steps === 0 ? 0 : fromX - (down ? k + 1 : k - 1);
    while (x > fromX && y > fromY) {
      x--;
      y--;
      parts.push(same(before[x]!));
    }
    if (steps === 0) break;
    if (down) parts.push({ kind: 'in', text: after[--y]! });
    else parts.push({ kind: 'out', text: before[--x]! });
  }
  return parts.reverse();
}

function shortened(parts: Part[]): Part[] {
  const near = new Set<number>();
  parts.forEach((part, i) => {
    if (part.kind !== 'same') for (let j = i - around; j <= i + around; j++) near.add(j);
  });
  const kept: Part[] = [];
  parts.forEach((part, i) => {
    if (near.has(i)) kept.push(part);
    else if (near.size > 0 && kept.at(-1)?.kind !== 'gap') kept.push({ kind: 'gap', text: '⋯' });
  });
  return kept;
}
