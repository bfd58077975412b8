import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Dialog } from './dialog';
import { difference } from './difference';
import { Failure } from './failure';
import { textOfLines, yamlLines } from './lines';
import type { Thing } from './meta';
import { carryOut, hasNoDryRun, withoutNoise } from './proposal';
import type { Answer, Proposal } from './proposal';

interface Props {
  title: string;
  /** What the button that carries the change out says. */
  act: string;
  proposal: Proposal;
  /** The object as it is now. */
  before: Thing | undefined;
  danger?: boolean;
  children?: ComponentChildren;
  onDone: (answer: Answer) => void;
  /** Takes an error of the API. Without it, the dialog shows the error. */
  onFailed?: (error: unknown) => void;
  onClose: () => void;
}

type Trial = { answer: Answer } | { error: unknown } | { untried: true };

/** Review lets the API try a change, shows what it would make of the object, and carries it out when the user says so. */
export function Review({ title, act, proposal, before, danger, children, onDone, onFailed, onClose }: Props) {
  const [trial, setTrial] = useState<Trial>();
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    const stop = new AbortController();
    setTrial(undefined);
    carryOut(proposal, true, stop.signal).then(
      (answer) => setTrial({ answer }),
      (error) => {
        if (stop.signal.aborted) return;
        if (hasNoDryRun(error)) setTrial({ untried: true });
        else if (onFailed) onFailed(error);
        else setTrial({ error });
      },
    );
    return () => stop.abort();
  }, [proposal]);
  const go = () => {
    setBusy(true);
    carryOut(proposal, false).then(onDone, (error) => {
      setBusy(false);
      if (onFailed) onFailed(error);
      else setTrial({ error });
    });
  };
  return (
    <Dialog title={title} wide onClose={onClose}>
      {children}
      {!trial && <p class="note">The API tries the change, without making it…</p>}
      {trial && 'error' in trial && <Failure error={trial.error} />}
      {trial && 'untried' in trial && <p class="note">The API cannot try this before it happens.</p>}
      {trial && 'answer' in trial && (
        <>
          <Warnings texts={trial.answer.warnings} />
          {proposal.method !== 'DELETE' && <Difference before={before} after={trial.answer.object} />}
        </>
      )}
      <div class="choices">
        <button onClick={onClose}>Cancel</button>
        <button class={danger ? 'primary danger' : 'primary'} disabled={busy || !trial || 'error' in trial} onClick={go}>
          {act}
        </button>
      </div>
    </Dialog>
  );
}

export function Warnings({ texts }: { texts: string[] }) {
  if (texts.length === 0) return null;
  return (
    <ul class="warnings" aria-label="Warnings of the API">
      {texts.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );
}

/** Difference shows what a change makes of an object. */
export function Difference({ before, after }: { before: Thing | undefined; after: Thing | undefined }) {
  const lines = (object: Thing | undefined) => (object ? textOfLines(yamlLines(withoutNoise(object))).trimEnd().split('\n') : []);
  const parts = difference(lines(before), lines(after));
  if (parts.length === 0) return <p class="note">The object stays as it is.</p>;
  return (
    <pre class="difference" tabIndex={0} aria-label="Difference">
      {parts.map((part, i) => (
        <div key={i} class={part.kind}>
          {part.kind === 'in' ? <ins>{part.text || ' '}</ins> : part.kind === 'out' ? <del>{part.text || ' '}</del> : part.text || ' '}
        </div>
      ))}
    </pre>
  );
}
