import { useEffect, useState } from 'preact/hooks';
import { useNow } from './age';
import type { Kind } from './discovery';
import { placeOf } from './discovery';
import { lazy } from './lazy';
import { go, hrefOf } from './route';
import type { Place } from './route';
import { schemaOf } from './schema';
import type { KindSchema } from './schema';

export const LazyEdit = lazy(() => import('./editview').then((m) => m.EditView));

/** NewView makes a new object of a kind. */
export function NewView({ kind, place, query }: { kind: Kind; place: Place; query: URLSearchParams }) {
  // Null if the API publishes no schema.
  const [schema, setSchema] = useState<KindSchema | null>();
  const now = useNow();
  useEffect(() => void schemaOf(kind).then((found) => setSchema(found ?? null)), [kind]);
  return (
    <div class="object">
      <header>
        <p class="kind">{kind.kind}</p>
        <h1>New</h1>
      </header>
      {schema === undefined ? (
        <p class="note">Reading the schema…</p>
      ) : (
        <LazyEdit
          kind={kind}
          place={place}
          query={query}
          schema={schema ?? undefined}
          ways={['create']}
          now={now}
          onDone={(made) => go(hrefOf(placeOf(kind, made.metadata?.namespace ?? '', made.metadata?.name)))}
        />
      )}
    </div>
  );
}
