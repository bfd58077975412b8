import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Problem } from './check';
import type { Completions } from './complete';
import { Draft } from './draft';
import type { Editor } from './editor';
import { openEditor } from './editor';

interface Props {
  draft: Draft;
  problems: Problem[];
  complete: (lines: string[], below: string[]) => Completions | undefined;
  onChange: (draft: Draft) => void;
  onCursor: (offset: number) => void;
  onReview: () => void;
  /** Set to a function that moves the cursor. */
  jump: RefObject<(offset: number) => void>;
}

/** YAMLView is the editor of a draft, with the problems at their lines. */
export function YAMLView(props: Props) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor>(null);
  const latest = useRef(props);
  latest.current = props;
  // A draft that came from the editor is not shown in it again: the editor may be further by then.
  const typed = useRef(new WeakSet<Draft>());
  const { draft, problems } = props;
  useEffect(() => {
    if (!host.current) return;
    const opened = openEditor({
      host: host.current,
      label: 'YAML',
      text: latest.current.draft.text,
      complete: (lines, below) => latest.current.complete(lines, below),
      onChange: (text) => {
        const next = new Draft(text);
        typed.current.add(next);
        latest.current.onChange(next);
      },
      onCursor: (offset) => latest.current.onCursor(offset),
      onReview: () => latest.current.onReview(),
    });
    editor.current = opened;
    props.jump.current = opened.goTo;
    return () => {
      opened.close();
      props.jump.current = () => undefined;
    };
  }, []);
  useEffect(() => {
    if (!typed.current.has(draft)) editor.current?.show(draft.text);
  }, [draft]);
  useEffect(() => {
    const faults = draft.faults.map((f) => ({ ...f, severity: 'error' as const }));
    const marks = problems.map((p) => ({ ...draft.placeOf(p.path), message: p.message, severity: p.mild ? ('warning' as const) : ('error' as const) }));
    editor.current?.mark([...faults, ...marks]);
  }, [draft, problems]);
  return <div class="editor" ref={host} />;
}
