// Starts the page in the place of the plain form that index.html brings.

import './style/base.css';
import './style/controls.css';

import { mount } from 'svelte';

import App from './app/App.svelte';
import { applyTheme, readTheme } from './state/preferences';

/** Addresses of pages that are no search. */
const OTHERS: Record<string, 'Check' | 'Overview'> = { '/check': 'Check', '/overview': 'Overview' };

applyTheme(readTheme());

const target = document.getElementById('app');
if (target) {
  // What has been typed before the script was there is not lost.
  const typed = target.querySelector('input')?.value ?? '';
  const wasTyping = target.contains(document.activeElement);
  target.replaceChildren();
  const other = OTHERS[location.pathname];
  if (other) void import('./app/pages').then((pages) => mount(pages[other], { target }));
  else mount(App, { target, props: { typed, wasTyping } });
}
