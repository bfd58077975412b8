import { useEffect, useState } from 'preact/hooks';
import { send } from './api';
import { Failure } from './failure';
import { checkApplied, conditionsOf, isEqual, toggled } from './queries';

/** The most fields and the most values of each that are shown. */
const mostFields = 6;
const mostValues = 12;
/** How long the counts stay while the objects change. */
const patience = 3000;

interface Facet {
  field: string;
  values: { value: unknown; count: number }[];
  absent?: number;
  others?: number;
}

interface Props {
  path: string;
  /** The selectors of the table. */
  selectors: Record<string, string>;
  fields: string[];
  /** The revision of the table: other objects have other counts. */
  revision: string;
  onQuery: (query: string) => void;
}

/** Facets counts the objects by their values. Each value is a button that selects the objects with it. */
export function Facets({ path, selectors, fields, revision, onQuery }: Props) {
  const [facets, setFacets] = useState<Facet[]>();
  const [error, setError] = useState<unknown>();
  const [due, setDue] = useState(revision);
  useEffect(() => {
    const timer = setTimeout(() => setDue(revision), patience);
    return () => clearTimeout(timer);
  }, [revision]);
  const asked = JSON.stringify([path, selectors, fields, due]);
  useEffect(() => {
    const stop = new AbortController();
    const read = async () => {
      const response = await send(path, { query: { ...selectors, facets: fields.slice(0, mostFields).join(',') }, signal: stop.signal });
      checkApplied(response, ['facets']);
      setFacets(((await response.json()) as { facets?: Facet[] }).facets ?? []);
      setError(undefined);
    };
    read().catch((failed) => stop.signal.aborted || setError(failed));
    return () => stop.abort();
  }, [asked]);
  if (error !== undefined) return <Failure error={error} />;
  const query = selectors['fieldQuery'] ?? '';
  const conditions = conditionsOf(query);
  return (
    <div class="facets">
      {(facets ?? []).filter(groups).map(({ field, values, absent = 0, others = 0 }) => {
        const rest = others + values.slice(mostValues).reduce((sum, v) => sum + v.count, 0);
        return (
          <div key={field} role="group" aria-label={`Counts by ${field}`}>
            <code>{field}</code>
            {values.slice(0, mostValues).map(({ value, count }) => (
              <button key={String(value)} aria-pressed={conditions.includes(isEqual(field, String(value)))} onClick={() => onQuery(toggled(query, field, String(value)))}>
                {value === '' ? '""' : String(value)} <b>{count.toLocaleString('en')}</b>
              </button>
            ))}
            {rest > 0 && <span>others {rest.toLocaleString('en')}</span>}
            {absent > 0 && <span>absent {absent.toLocaleString('en')}</span>}
          </div>
        );
      })}
    </div>
  );
}

/** groups reports whether the values of a field make groups of objects. Unlike names, they then are worth a look. */
function groups({ values }: Facet): boolean {
  return values.length <= mostValues || values.some((v) => v.count > 1);
}
