// The editor of YAML: CodeMirror in a shadow root. There it writes its styles into adopted style sheets, which the policy for content
// allows, and not into style elements, which it forbids.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import type { Diagnostic } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { Completions } from './complete';

export interface EditorOptions {
  host: HTMLElement;
  label: string;
  text: string;
  complete: (lines: string[], below: string[]) => Completions | undefined;
  onChange: (text: string) => void;
  onCursor: (offset: number) => void;
  onReview: () => void;
}

export interface Editor {
  show: (text: string) => void;
  mark: (problems: Diagnostic[]) => void;
  goTo: (offset: number) => void;
  close: () => void;
}

const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--panel)', fontSize: '12px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '20px' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--ground)', color: 'var(--quiet)', borderRight: '1px solid var(--line)' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--tint) 45%, transparent)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--flash)' },
  '.cm-tooltip': { backgroundColor: 'var(--panel)', color: 'var(--text)', border: '1px solid var(--line)', borderRadius: '6px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', fontSize: '12px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--tint)', color: 'var(--accent)' },
  '.cm-completionDetail': { color: 'var(--quiet)', fontStyle: 'normal' },
  '.cm-completionInfo': { maxWidth: '280px', whiteSpace: 'pre-line' },
  '.cm-diagnostic': { whiteSpace: 'pre-wrap' },
  // The marks of the package are images in data URLs, which the policy for content forbids.
  '.cm-lint-marker': { content: 'none', borderRadius: '50%', width: '8px', height: '8px', margin: '6px 2px' },
  '.cm-lint-marker-error': { content: 'none', backgroundColor: 'var(--bad)' },
  '.cm-lint-marker-warning': { content: 'none', backgroundColor: 'var(--warn)' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--bad)' },
  '.cm-lintRange-warning': { backgroundImage: 'none', textDecoration: 'underline wavy var(--warn)' },
  '.cm-lintRange-active': { backgroundColor: 'var(--tint)' },
});

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.definition(tags.propertyName), color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--string)' },
  { tag: tags.content, color: 'var(--string)' },
  { tag: tags.comment, color: 'var(--quiet)' },
  { tag: tags.keyword, color: 'var(--word)' },
]);

/** openEditor shows an editor inside of an element. */
export function openEditor(options: EditorOptions): Editor {
  const root = options.host.shadowRoot ?? options.host.attachShadow({ mode: 'open' });
  let showing = false;
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        lineNumbers(),
        lintGutter(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        highlightActiveLine(),
        yaml(),
        syntaxHighlighting(colours),
        theme,
        autocompletion({ override: [(context) => source(context, options.complete)], activateOnTyping: true }),
        keymap.of([
          { key: 'Mod-Enter', run: () => (options.onReview(), true) },
          ...closeBracketsKeymap,
          ...defaultKeymap,
          ...historyKeymap,
          ...completionKeymap,
          ...lintKeymap,
        ]),
        EditorState.tabSize.of(2),
        EditorView.contentAttributes.of({ 'aria-label': options.label, spellcheck: 'false', tabindex: '0' }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !showing) options.onChange(update.state.doc.toString());
          if (update.selectionSet || update.docChanged) options.onCursor(update.state.selection.main.head);
        }),
      ],
    }),
  });
  return {
    show: (text) => {
      if (text === view.state.doc.toString()) return;
      showing = true;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
      showing = false;
    },
    mark: (problems) => {
      const end = view.state.doc.length;
      const inside = problems.map((p) => ({ ...p, from: Math.min(p.from, end), to: Math.min(Math.max(p.from, p.to), end) }));
      view.dispatch(setDiagnostics(view.state, inside));
    },
    goTo: (offset) => {
      const at = Math.min(offset, view.state.doc.length);
      view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) });
      view.focus();
    },
    close: () => view.destroy(),
  };
}

function source(context: CompletionContext, complete: EditorOptions['complete']): CompletionResult | null {
  const { doc } = context.state;
  const line = doc.lineAt(context.pos);
  const lines = doc.sliceString(0, context.pos).split('\n');
  const found = complete(lines, doc.sliceString(line.to + 1).split('\n'));
  if (!found || found.options.length === 0) return null;
  if (!context.explicit && line.from + found.from === context.pos && !/[-:] *$|^ *$/.test(line.text)) return null;
  return {
    from: line.from + found.from,
    options: found.options.map(({ label, text, detail, info }) => ({ label, apply: text, detail, ...(info === '' ? {} : { info }) })),
    validFor: /^[\w./-]*$/,
  };
}
