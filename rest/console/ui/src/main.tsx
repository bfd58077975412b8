import { render } from 'preact';
import { App } from './app';
import { showTheme, theme } from './theme';

showTheme(theme());
render(<App />, document.getElementById('app')!);
