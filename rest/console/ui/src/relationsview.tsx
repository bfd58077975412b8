import { useEffect, useState } from 'preact/hooks';
import type { Kind } from './discovery';
import type { Thing } from './meta';
import { relate } from './relations';
import type { Node, Relations } from './relations';
import { hrefOf } from './route';

const width = 168;
const height = 40;
const gapX = 44;
const gapY = 12;

/** RelationsView draws the owners of the object to its left and its dependents to its right. */
export function RelationsView({ kind, kinds, object }: { kind: Kind; kinds: Kind[]; object: Thing }) {
  const [relations, setRelations] = useState<Relations>();
  const [round, setRound] = useState(0);
  const uid = object.metadata?.uid;
  useEffect(() => {
    const stop = new AbortController();
    relate(object, kind, kinds, stop.signal, setRelations).catch(() => {});
    return () => stop.abort();
  }, [uid, round, JSON.stringify(object.metadata?.ownerReferences)]);
  const nodes = relations?.nodes ?? [];
  const busy = !relations || relations.searched < relations.kinds;
  return (
    <section class="box">
      <h2>
        Owners and dependents
        <button class="icon" aria-label="Search again" title="Search again" disabled={busy} onClick={() => setRound(round + 1)}>
          ↻
        </button>
      </h2>
      <Graph nodes={nodes} />
      <p class="note">
        {busy && relations && `${relations.searched} of ${relations.kinds} kinds searched…`}
        {!busy && nodes.length === 1 && 'No owners and no dependents.'}
        {relations && relations.unread.length > 0 && ` Not wholly read: ${relations.unread.join(', ')}.`}
      </p>
    </section>
  );
}

interface Placed extends Node {
  x: number;
  y: number;
}

function Graph({ nodes }: { nodes: Node[] }) {
  if (nodes.length < 2) return null;
  const placed = layOut(nodes);
  const at = new Map(placed.map((node) => [node.uid, node]));
  const w = Math.max(...placed.map((node) => node.x)) + width;
  const h = Math.max(...placed.map((node) => node.y)) + height;
  return (
    <div class="graph" tabIndex={0} role="region" aria-label="Graph of owners and dependents">
      <div style={{ width: `${w}px`, height: `${h}px` }}>
        <svg width={w} height={h} aria-hidden="true">
          {placed.map((node) => {
            const other = node.beside === undefined ? undefined : at.get(node.beside);
            if (!other) return null;
            const [from, to] = node.level < other.level ? [node, other] : [other, node];
            const [x1, y1, x2, y2] = [from.x + width, from.y + height / 2, to.x, to.y + height / 2];
            return <path d={`M${x1} ${y1}C${x1 + gapX / 2} ${y1} ${x2 - gapX / 2} ${y2} ${x2} ${y2}`} />;
          })}
        </svg>
        <ul>
          {placed.map((node) => (
            <li
              key={node.uid}
              class={`node ${node.level === 0 ? 'self' : ''} ${node.missing ? 'missing' : ''}`}
              style={{ left: `${node.x}px`, top: `${node.y}px`, width: `${width}px`, height: `${height}px` }}
              title={node.missing ? 'This owner does not exist.' : node.name}
            >
              <small>
                {node.level < 0 ? 'owner ' : node.level > 0 ? 'dependent ' : ''}
                {node.kind}
              </small>
              {node.place && !node.missing && node.level !== 0 ? <a href={hrefOf(node.place)}>{node.name}</a> : <b>{node.name}</b>}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

/** layOut puts each level into a column, centred beside the highest one. */
function layOut(nodes: Node[]): Placed[] {
  const levels = new Map<number, Node[]>();
  for (const node of nodes) levels.set(node.level, [...(levels.get(node.level) ?? []), node]);
  const least = Math.min(...levels.keys());
  const most = Math.max(...[...levels.values()].map((level) => level.length));
  return [...levels].flatMap(([level, members]) => {
    const top = ((most - members.length) * (height + gapY)) / 2;
    return members.map((node, i) => ({ ...node, x: (level - least) * (width + gapX), y: top + i * (height + gapY) }));
  });
}
