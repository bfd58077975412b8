import { useEffect, useRef, useState } from 'preact/hooks';

export interface Suggestion {
  /** The whole text of the field after the suggestion is taken. */
  value: string;
  label: string;
  /** Whether the user goes on typing, such as the value after a key. */
  more?: boolean;
}

interface Props {
  id: string;
  label: string;
  placeholder: string;
  value: string;
  suggest: (text: string) => Suggestion[];
  onCommit: (text: string) => void;
}

/** Completing is a text field that suggests how to go on. */
export function Completing({ id, label, placeholder, value, suggest, onCommit }: Props) {
  const [text, setText] = useState(value);
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(-1);
  // What the field has now, also between an event and the next render.
  const typed = useRef(value);
  const type = (next: string) => {
    typed.current = next;
    setText(next);
  };
  useEffect(() => type(value), [value]);
  const suggestions = open ? suggest(text).slice(0, 40) : [];
  const commit = (next: string) => {
    setOpen(false);
    setAt(-1);
    type(next);
    if (next !== value) onCommit(next);
  };
  const take = (suggestion: Suggestion) => {
    if (!suggestion.more) return commit(suggestion.value);
    type(suggestion.value);
    setAt(-1);
  };
  const press = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0 && suggestions.length > 0) {
      event.preventDefault();
      setAt((at + step + suggestions.length) % suggestions.length);
    } else if (step !== 0) setOpen(true);
    else if (event.key === 'Enter') {
      const chosen = suggestions[at] ?? { value: text.trim(), label: '' };
      take(chosen);
      // The keys of the view work again.
      if (!chosen.more) (event.target as HTMLElement).blur();
    } else if (event.key === 'Escape') {
      setOpen(false);
      type(value);
      (event.target as HTMLElement).blur();
    }
  };
  return (
    <div class="completing">
      <input
        id={id}
        role="combobox"
        aria-label={label}
        title={label}
        aria-expanded={suggestions.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        {...(at >= 0 ? { 'aria-activedescendant': `${id}-${at}` } : {})}
        autocomplete="off"
        spellcheck={false}
        placeholder={placeholder}
        value={text}
        onFocus={() => setOpen(true)}
        onInput={(e) => {
          type(e.currentTarget.value);
          setOpen(true);
          setAt(-1);
        }}
        onKeyDown={press}
        onBlur={() => commit(typed.current.trim())}
      />
      <ul id={`${id}-list`} role="listbox" aria-label={`${label}: suggestions`} hidden={suggestions.length === 0}>
        {suggestions.map((s, i) => (
          <li
            id={`${id}-${i}`}
            key={s.label}
            role="option"
            aria-selected={i === at}
            onMouseDown={(e) => {
              e.preventDefault();
              take(s);
            }}
          >
            {s.label}
          </li>
        ))}
      </ul>
    </div>
  );
}
