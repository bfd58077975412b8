import { useEffect, useMemo, useReducer, useState } from 'preact/hooks';
import { age, useNow } from './age';
import { Attention } from './attention';
import type { Look } from './attention';
import { groupName, listable, placeOf } from './discovery';
import type { Kind } from './discovery';
import { explain } from './explain';
import { hrefOf } from './route';
import { troublesOf } from './troubles';
import type { Group, Trouble } from './troubles';

/** How many objects of a kind are shown at first, and at most. */
const few = 5;
const most = 200;

/** AttentionView shows what needs attention, live, and which objects it has looked at. */
export function AttentionView({ kinds, namespace }: { kinds: Kind[]; namespace: string }) {
  const [changes, changed] = useReducer((n: number) => n + 1, 0);
  const [attention, setAttention] = useState<Attention>();
  const looked = useMemo(() => listable(kinds), [kinds]);
  const now = useNow();
  useEffect(() => {
    const next = new Attention(looked, namespace, () => changed(0));
    setAttention(next);
    return () => next.close();
  }, [looked, namespace]);
  const groups = useMemo(() => (attention ? troublesOf(attention, kinds, now) : []), [attention, kinds, changes, now]);
  if (!attention) return null;
  const count = groups.reduce((sum, group) => sum + group.troubles.length, 0);
  const waiting = attention.looks.filter((look) => look.state === 'waiting').length;
  return (
    <section class="attention" aria-labelledby="attention">
      <div class="head">
        <h2 id="attention">Needs attention</h2>
        <p role="status" class="summary">
          {waiting === 0 && (count === 0 ? 'Nothing that the page has looked at needs attention.' : `${number(count)} ${count === 1 ? 'object' : 'objects'}`)}
        </p>
      </div>
      <div class="groups">
        {groups.map((group) => (
          <GroupBox key={group.key} group={group} namespace={namespace} now={now} />
        ))}
      </div>
      <Extent attention={attention} waiting={waiting} />
    </section>
  );
}

function GroupBox({ group, namespace, now }: { group: Group; namespace: string; now: number }) {
  const [all, setAll] = useState(false);
  const { title, kind, troubles } = group;
  return (
    <section class="box">
      <h3>
        {kind ? (
          <a href={hrefOf(placeOf(kind, namespace))} title={groupName(kind.group)}>
            {title}
          </a>
        ) : (
          title
        )}
        <small class="count">{number(troubles.length)}</small>
      </h3>
      <ul class="troubles">
        {troubles.slice(0, all ? most : few).map((trouble) => (
          <Row key={trouble.key} trouble={trouble} now={now} />
        ))}
      </ul>
      {troubles.length > few && (
        <button class="link" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? 'Show fewer' : `Show ${troubles.length > most ? `${most} of ${number(troubles.length)}` : `all ${troubles.length}`}`}
        </button>
      )}
    </section>
  );
}

function Row({ trouble, now }: { trouble: Trouble; now: number }) {
  const { place, name, namespace, problems, more } = trouble;
  return (
    <li>
      <p class="subject">
        {place ? <a href={hrefOf(place)}>{name}</a> : <b>{name}</b>}
        {namespace !== '' && <small>in {namespace}</small>}
      </p>
      <ul>
        {problems.map((problem, i) => (
          <li key={i}>
            <b>{problem.title}</b>
            <span class="reason">{problem.reason}</span>
            <time datetime={problem.since} title={problem.since}>
              {age(problem.since, now)}
            </time>
            {problem.message !== '' && <p title={problem.message}>{problem.message}</p>}
          </li>
        ))}
        {more > 0 && <li class="reason">and {more} more</li>}
      </ul>
    </li>
  );
}

/** Extent says what the page has looked at, and what not. */
function Extent({ attention, waiting }: { attention: Attention; waiting: number }) {
  const { looks, round, warningsError } = attention;
  const parts = looks.filter((look) => look.state === 'read' && !look.whole);
  const where = (state: Look['state']) => looks.filter((look) => look.state === state);
  const denied = where('denied');
  const partOf = ({ read, total, kind }: Look) => `${number(read)}${total > read ? ` of ${number(total)}` : ''} ${kind.resource}`;
  const names = (of: Look[]) => of.map((look) => look.kind.resource).join(', ');
  const said = [
    waiting > 0 && `Reading: ${looks.length - waiting} of ${looks.length} kinds.`,
    parts.length > 0 && `Looked at the first ${parts.map(partOf).join(', ')}; others appear when they change.`,
    attention.moreWarnings && `Looked at the first ${number(attention.warnings.length)} warnings.`,
    warningsError !== undefined && `Warnings are missing: ${explain(warningsError)}`,
    denied.length > 0 && denied.length === looks.length && 'You may list none of the kinds here: choose a namespace that is yours.',
    denied.length > 0 && denied.length < looks.length && `You may not list ${names(denied)} here.`,
    where('failed').length > 0 && `The page could not read ${names(where('failed'))}.`,
    looks.some((look) => look.busy) && `Too many changes to follow, so read again every 30 seconds: ${names(looks.filter((look) => look.busy))}.`,
    looks.some((look) => look.lost) && 'Connection lost; the page resumes.',
    waiting === 0 && round > 0 && `Changes appear within about ${round} seconds.`,
  ];
  return <p class="note">{said.filter(Boolean).join(' ')}</p>;
}

function number(n: number): string {
  return n.toLocaleString('en');
}
