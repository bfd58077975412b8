import { firstFields } from './firstfields';
import type { Field } from './firstfields';
import { pathText } from './lines';
import type { Thing } from './meta';
import { hrefOf } from './route';
import type { Place } from './route';
import type { KindSchema } from './schema';
import { Cell } from './tableview';
import type { Cell as ColumnCell } from './thing';

interface Props {
  object: Thing;
  cells: ColumnCell[];
  place: Place;
  schema: KindSchema | undefined;
}

/** FieldsView shows the columns of the server, and the first fields of spec and status. Each field leads to its documentation. */
export function FieldsView({ object, cells, place, schema }: Props) {
  const shown = cells.filter((cell) => cell.text !== '');
  const parts = ['spec', 'status'].map((part) => [part, firstFields(object, part, schema, shown)] as const);
  if (shown.length === 0 && parts.every(([, fields]) => fields.length === 0)) return null;
  const documentOf = (settings: Record<string, string> = {}) => hrefOf(place, new URLSearchParams({ tab: 'document', ...settings }));
  return (
    <section class="box">
      <h2>
        Spec and status
        <a href={documentOf()}>All fields</a>
      </h2>
      {shown.length > 0 && (
        <dl class="facts columns">
          {shown.map((cell) => (
            <>
              <dt title={cell.about}>{cell.title}</dt>
              <dd>
                <Cell text={cell.text} />
              </dd>
            </>
          ))}
        </dl>
      )}
      {parts.map(([part, fields]) => fields.length > 0 && <FieldList key={part} part={part} fields={fields} documentOf={documentOf} />)}
    </section>
  );
}

interface ListProps {
  part: string;
  fields: Field[];
  documentOf: (settings: Record<string, string>) => string;
}

function FieldList({ part, fields, documentOf }: ListProps) {
  return (
    <>
      <h3>{part}</h3>
      <dl class={`facts ${part}`}>
        {fields.map((field) => (
          <>
            <dt>
              <a href={documentOf({ field: pathText(field.path) })} title={field.about}>
                {pathText(field.path.slice(1))}
              </a>
            </dt>
            <dd>{field.text}</dd>
          </>
        ))}
      </dl>
    </>
  );
}
