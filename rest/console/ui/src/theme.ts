// Dark, light, or as the system says.
export type Theme = 'auto' | 'dark' | 'light';

const themes: Theme[] = ['auto', 'dark', 'light'];

export function theme(): Theme {
  const kept = storage()?.getItem('theme');
  return themes.find((t) => t === kept) ?? 'auto';
}

export function showTheme(next: Theme): void {
  storage()?.setItem('theme', next);
  if (next === 'auto') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = next;
}

export function themeAfter(now: Theme): Theme {
  return themes[(themes.indexOf(now) + 1) % themes.length] ?? 'auto';
}

/** storage returns the browser's storage, which a private window may refuse. */
function storage(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}
