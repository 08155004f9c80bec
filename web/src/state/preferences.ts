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
  return readSwitch('shortcuts', true);
}

export function rememberShortcutsOn(on: boolean): void {
  rememberSwitch('shortcuts', on);
}

/** A choice between on and off; `usual` where none was made. */
export function readSwitch(name: string, usual: boolean): boolean {
  const value = read(name);
  return value === null ? usual : value === 'on';
}

export function rememberSwitch(name: string, on: boolean): void {
  write(name, on ? 'on' : 'off');
}

/** A list of texts; null where there is none, or something else lies in its place. */
export function readList(name: string): readonly string[] | null {
  try {
    const list: unknown = JSON.parse(read(name) ?? 'null');
    if (!Array.isArray(list)) return null;
    return list.filter((each): each is string => typeof each === 'string');
  } catch {
    return null;
  }
}

export function rememberList(name: string, list: readonly string[]): void {
  write(name, JSON.stringify(list));
}

/** Widths of columns, in pixels. */
export function readWidths(): Readonly<Record<string, number>> {
  try {
    const widths: unknown = JSON.parse(read('widths') ?? '{}');
    const pairs = Object.entries(widths ?? {}).filter(([, width]) => typeof width === 'number');
    return Object.fromEntries(pairs) as Record<string, number>;
  } catch {
    return {};
  }
}

export function rememberWidths(widths: Readonly<Record<string, number>>): void {
  write('widths', JSON.stringify(widths));
}
