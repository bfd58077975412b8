import { render } from 'preact';
import { App } from './app';
import { handOver } from './oidc';
import { showTheme, theme } from './theme';

showTheme(theme());
const answered = handOver();
render(answered ? <p class="note">You may close this window.</p> : <App />, document.getElementById('app')!);
