import { useEffect, useState } from 'preact/hooks';
import { useMay } from './access';
import { Actions, Finalizers } from './actions';
import { age, useNow } from './age';
import { ApiError } from './api';
import { Conditions } from './conditions';
import type { Kind } from './discovery';
import { DocumentView } from './documentview';
import { EventsView } from './eventsview';
import { Facts } from './facts';
import { Failure } from './failure';
import { FieldsView } from './fieldsview';
import { pastVerbs } from './history';
import { HistoryView } from './historyview';
import { useKeys } from './keys';
import { LazyEdit } from './newview';
import { RelationsView } from './relationsview';
import { go, hrefOf, withSettings } from './route';
import type { Place } from './route';
import { schemaOf } from './schema';
import type { KindSchema } from './schema';
import { StateLine } from './stateline';
import { SubresourcesView } from './subresourcesview';
import { follow } from './thing';
import type { Shown } from './thing';

interface Props {
  kind: Kind;
  kinds: Kind[];
  place: Place;
  query: URLSearchParams;
}

const views = ['overview', 'document', 'subresources', 'edit', 'history'] as const;

/** ObjectView shows one object, live. */
export function ObjectView({ kind, kinds, place, query }: Props) {
  const [shown, setShown] = useState<Shown>({ state: 'loading', revision: '' });
  const [round, setRound] = useState(0);
  const [schema, setSchema] = useState<KindSchema>();
  const now = useNow();
  useEffect(() => {
    const stop = new AbortController();
    void follow(place, kind.verbs.includes('watch'), stop.signal, setShown);
    return () => stop.abort();
  }, [round]);
  useEffect(() => void schemaOf(kind).then(setSchema), [kind]);
  const allowed = useMay(
    place,
    [...['update', 'patch'].filter((verb) => kind.verbs.includes(verb)), ...pastVerbs(kind)],
  );
  const hasPast = allowed.has('get/history');
  const ways = [allowed.has('update') ? ('update' as const) : [], allowed.has('patch') ? ('apply' as const) : []].flat();
  const keepsPast = pastVerbs(kind).length > 0;
  const tab = views.find((t) => t === query.get('tab') && (t !== 'history' || keepsPast)) ?? 'overview';
  const offered = { overview: true, document: true, subresources: true, edit: ways.length > 0, history: hasPast };
  const tabs = views.filter((t) => offered[t] || t === tab);
  const set = (changes: Record<string, string>) => go(hrefOf(place, withSettings(query, changes)), true);
  const show = (next: string) => set({ tab: next === 'overview' ? '' : next });
  useKeys({
    '1': () => show('overview'),
    '2': () => show('document'),
    '3': () => show('subresources'),
    '4': () => show('edit'),
    '5': () => hasPast && show('history'),
    e: () => show('edit'),
  });

  const { object } = shown;
  const again = () => setRound(round + 1);
  const historyOf = (of: typeof object) => (
    <HistoryView kind={kind} place={place} object={of} mayUndo={allowed.has('create/undo')} now={now} onUndone={again} />
  );
  if (!object && shown.error instanceof ApiError && shown.error.code === 404 && hasPast) {
    return (
      <div class="object">
        <header class="gone">
          <p class="kind">{kind.kind}</p>
          <h1>{place.name}</h1>
        </header>
        <div class="panel history">{historyOf(undefined)}</div>
      </div>
    );
  }
  if (!object) return shown.error ? <Failure error={shown.error} again={again} /> : <p class="note">Reading…</p>;
  const meta = object.metadata ?? {};
  return (
    <div class="object">
      <header class={shown.state === 'deleted' ? 'gone' : ''}>
        <p class="kind">{kind.kind}</p>
        <h1>{meta.name}</h1>
        <p class="line">
          {meta.namespace && <>in {meta.namespace} · </>}
          created {age(meta.creationTimestamp, now)} ago
          {meta.generation !== undefined && <> · generation {meta.generation}</>}
          {meta.deletionTimestamp && <b> · being deleted since {age(meta.deletionTimestamp, now)}</b>}
        </p>
        {shown.state !== 'deleted' && <Actions kind={kind} place={place} object={object} />}
        {meta.deletionTimestamp && shown.state !== 'deleted' && <Finalizers names={meta.finalizers ?? []} />}
      </header>
      <div class="tabs" role="tablist" aria-label="Views of the object">
        {tabs.map((t, i) => (
          <button
            key={t}
            role="tab"
            id={`tab-${t}`}
            aria-selected={t === tab}
            aria-controls="panel"
            tabIndex={t === tab ? 0 : -1}
            title={`${i + 1}`}
            onClick={() => show(t)}
            onKeyDown={(e) => {
              const step = e.key === 'ArrowRight' ? 1 : e.key === 'ArrowLeft' ? -1 : 0;
              const next = tabs[(i + step + tabs.length) % tabs.length];
              if (step === 0 || next === undefined) return;
              show(next);
              document.getElementById(`tab-${next}`)?.focus();
            }}
          >
            {t}
          </button>
        ))}
      </div>
      <div id="panel" class={`panel ${tab}`} role="tabpanel" aria-labelledby={`tab-${tab}`} tabIndex={0}>
        {tab === 'overview' && (
          <>
            <div class="column">
              <FieldsView object={object} cells={shown.cells ?? []} place={place} schema={schema} />
              <Conditions object={object} now={now} />
              <EventsView kinds={kinds} object={object} now={now} />
            </div>
            <div class="column">
              <RelationsView kind={kind} kinds={kinds} object={object} />
              <Facts meta={meta} now={now} />
            </div>
          </>
        )}
        {tab === 'document' && <DocumentView object={object} schema={schema} query={query} set={set} now={now} />}
        {tab === 'edit' && ways.length > 0 && (
          <LazyEdit kind={kind} place={place} query={query} schema={schema} ways={ways} object={object} now={now} onDone={() => show('document')} />
        )}
        {tab === 'edit' && ways.length === 0 && <p class="note">You may not change this object.</p>}
        {tab === 'history' && hasPast && historyOf(shown.state === 'deleted' ? undefined : object)}
        {tab === 'history' && !hasPast && <p class="note">You may not see the history of this object.</p>}
        {tab === 'subresources' && <SubresourcesView kind={kind} place={place} object={object} query={query} />}
      </div>
      <StateLine state={shown.state} revision={shown.revision} />
    </div>
  );
}
