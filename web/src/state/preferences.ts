// What this browser remembers. Without storage (a private window) the page only forgets sooner.

import type { Zone } from '../text/clock';

export type Theme = 'auto' | 'light' | 'dark';

const THEMES: readonly Theme[] = ['auto', 'light', 'dark'];

function read(name: string): string | null {
  try {
    return localStorage.getItem(`logwood.${name}`);
  } catch {
    return null;
  }
}

function write(name: string, value: string): void {
  try {
    localStorage.setItem(`logwood.${name}`, value);
  } catch {
    // Nothing to do: the choice holds until the page is closed.
  }
}

export function readTheme(): Theme {
  return THEMES.find((theme) => theme === read('theme')) ?? 'auto';
}

export function nextTheme(theme: Theme): Theme {
  return THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'auto';
}

export function rememberTheme(theme: Theme): void {
  write('theme', theme);
}

/** Puts the theme on the page; `auto` leaves it to the system's preference. */
export function applyTheme(theme: Theme): void {
  if (theme === 'auto') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

export function readZone(): Zone {
  return read('zone') === 'utc' ? 'utc' : 'local';
}

export function rememberZone(zone: Zone): void {
  write('zone', zone);
}

/** Whether single letters act as shortcuts; they can be switched off (WCAG 2.1.4). */
export function readShortcutsOn(): boolean {
  return read('shortcuts') !== 'off';
}

export function rememberShortcutsOn(on: boolean): void {
  write('shortcuts', on ? 'on' : 'off');
}
