import { useState } from 'preact/hooks';
import { age } from './age';
import type { Meta } from './meta';

/** A longer value of an annotation is folded, as is one of several lines. */
const longest = 160;

/** Facts shows what the metadata says, one fact a line. */
export function Facts({ meta, now }: { meta: Meta; now: number }) {
  const pairs = (map: Record<string, string> | undefined) => Object.entries(map ?? {});
  const managers = meta.managedFields ?? [];
  return (
    <section class="box">
      <h2>Metadata</h2>
      <dl class="facts">
        <Fact name="Labels" items={pairs(meta.labels)} />
        <Fact name="Annotations" items={pairs(meta.annotations)} />
        {(meta.finalizers ?? []).length > 0 && (
          <>
            <dt>Finalizers</dt>
            <dd>
              {meta.finalizers?.map((f) => (
                <span class="chip" title="The object stays until its controller has removed this finalizer.">
                  {f}
                </span>
              ))}
            </dd>
          </>
        )}
        <dt>Managers</dt>
        <dd>
          {managers.map((m) => (
            <span class="chip" title={m.time}>
              {m.manager} <i>{[m.operation, m.subresource, age(m.time, now)].filter(Boolean).join(' · ')}</i>
            </span>
          ))}
        </dd>
        <dt>UID</dt>
        <dd>
          <code>{meta.uid}</code>
        </dd>
      </dl>
    </section>
  );
}

function Fact({ name, items }: { name: string; items: [string, string][] }) {
  if (items.length === 0) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>
        {items.map(([key, value]) =>
          value.length > longest || value.includes('\n') ? (
            <Folded key={key} name={key} value={value} />
          ) : (
            <span class="chip" key={key}>
              {key}
              <i>{value}</i>
            </span>
          ),
        )}
      </dd>
    </>
  );
}

/** Folded shows a long value once it is opened: until then it is not in the document. */
function Folded({ name, value }: { name: string; value: string }) {
  const [open, setOpen] = useState(false);
  return (
    <details class="folded" onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>
        {name} <i>{value.length.toLocaleString('en')} characters</i>
      </summary>
      {open && <pre tabIndex={0}>{value}</pre>}
    </details>
  );
}
