// Starts the page in the place of the plain form that index.html brings.

import './style/base.css';
import './style/controls.css';

import { mount } from 'svelte';

import App from './app/App.svelte';
import Check from './app/Check.svelte';
import Overview from './app/Overview.svelte';
import { applyTheme, readTheme } from './state/preferences';

applyTheme(readTheme());

const target = document.getElementById('app');
if (target) {
  // What has been typed before the script was there is not lost.
  const typed = target.querySelector('input')?.value ?? '';
  const wasTyping = target.contains(document.activeElement);
  target.replaceChildren();
  if (location.pathname === '/overview') mount(Overview, { target });
  else if (location.pathname === '/check') mount(Check, { target });
  else mount(App, { target, props: { typed, wasTyping } });
}
