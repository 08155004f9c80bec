// The keyboard: one table for the handler and for the help that lists it.

export type Action =
  | 'focus-query'
  | 'next-row'
  | 'previous-row'
  | 'toggle-details'
  | 'newest'
  | 'oldest'
  | 'toggle-tail'
  | 'earlier'
  | 'later'
  | 'narrower'
  | 'wider'
  | 'help';

interface Shortcut {
  key: string;
  action: Action;
  label: string;
}

export const SHORTCUTS: readonly Shortcut[] = [
  { key: '/', action: 'focus-query', label: 'Go to the query' },
  { key: 'j', action: 'next-row', label: 'Next row' },
  { key: 'k', action: 'previous-row', label: 'Previous row' },
  { key: 'o', action: 'toggle-details', label: 'Open or close the details of the row' },
  { key: 'g', action: 'newest', label: 'Newest row' },
  { key: 'G', action: 'oldest', label: 'Oldest row loaded' },
  { key: 'l', action: 'toggle-tail', label: 'Live tail on or off' },
  { key: '[', action: 'earlier', label: 'Earlier: move the time window back by half' },
  { key: ']', action: 'later', label: 'Later: move the time window on by half' },
  { key: '+', action: 'narrower', label: 'Zoom in' },
  { key: '-', action: 'wider', label: 'Zoom out' },
  { key: '?', action: 'help', label: 'This help' },
];

/** Keys with a meaning of their own in one place, listed in the help only. */
export const LOCAL_KEYS: readonly { keys: string; label: string }[] = [
  { keys: 'Enter', label: 'In the query: run. In the rows: open the details' },
  { keys: 'Esc', label: 'Stop the search or the tail, close the details, go to the rows' },
  { keys: '\u2190 \u2192', label: 'In the histogram: bar by bar; with Shift: select; Enter zooms' },
];

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

/** The action of a key press; none while typing or with a modifier held. */
export function actionOf(event: KeyboardEvent): Action | null {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return null;
  return SHORTCUTS.find((shortcut) => shortcut.key === event.key)?.action ?? null;
}
