// The keyboard: one table for the handler and for the help that lists it.

export type Action =
  | 'focus-query'
  | 'focus-range'
  | 'searches'
  | 'next-row'
  | 'previous-row'
  | 'newest'
  | 'oldest'
  | 'next-match'
  | 'previous-match'
  | 'next-error'
  | 'previous-error'
  | 'toggle-details'
  | 'context'
  | 'include'
  | 'exclude'
  | 'copy-row'
  | 'copy-link'
  | 'toggle-tail'
  | 'pause-tail'
  | 'toggle-fields'
  | 'toggle-statistics'
  | 'toggle-patterns'
  | 'toggle-wrap'
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
  { key: 't', action: 'focus-range', label: 'Choose the time range' },
  { key: 'q', action: 'searches', label: 'Saved and recent searches' },
  { key: 'j', action: 'next-row', label: 'Next row' },
  { key: 'k', action: 'previous-row', label: 'Previous row' },
  { key: 'g', action: 'newest', label: 'Newest row' },
  { key: 'G', action: 'oldest', label: 'Oldest row loaded' },
  { key: 'n', action: 'next-match', label: 'Next row with a match, which helps in a context' },
  { key: 'N', action: 'previous-match', label: 'Previous row with a match' },
  { key: 'e', action: 'next-error', label: 'Next row of severity err or worse' },
  { key: 'E', action: 'previous-error', label: 'Previous row of severity err or worse' },
  { key: 'o', action: 'toggle-details', label: 'Open or close the details of the row' },
  { key: 'c', action: 'context', label: 'Context of the row: what came before and after' },
  { key: 'f', action: 'include', label: 'Only records with the focused value' },
  { key: 'x', action: 'exclude', label: 'No records with the focused value' },
  { key: 'y', action: 'copy-row', label: 'Copy the row' },
  { key: 'u', action: 'copy-link', label: 'Copy a link to the row' },
  { key: 'l', action: 'toggle-tail', label: 'Live tail on or off' },
  { key: ' ', action: 'pause-tail', label: 'Pause the live tail, or let it go on' },
  { key: 'b', action: 'toggle-fields', label: 'Panel of fields on or off' },
  { key: 's', action: 'toggle-statistics', label: 'Statistics or records' },
  { key: 'p', action: 'toggle-patterns', label: 'Patterns or records' },
  { key: 'w', action: 'toggle-wrap', label: 'Wrap long messages or not' },
  { key: '[', action: 'earlier', label: 'Earlier: move the time window back by half' },
  { key: ']', action: 'later', label: 'Later: move the time window on by half' },
  { key: '+', action: 'narrower', label: 'Zoom in' },
  { key: '-', action: 'wider', label: 'Zoom out' },
  { key: '?', action: 'help', label: 'This help' },
];

/** How a key is called in print. */
export function keyName(key: string): string {
  return key === ' ' ? 'Space' : key;
}

/** Keys with a meaning of their own in one place, listed in the help only. */
export const LOCAL_KEYS: readonly { keys: string; label: string }[] = [
  { keys: 'Enter', label: 'In the query: run. In the rows: open the details' },
  { keys: 'Tab', label: 'In the query: take the completion that is offered' },
  { keys: 'Esc', label: 'Stop the search or the tail, close the details, leave a context, go to the rows' },
  { keys: '\u2190 \u2192', label: 'In the histogram: bar by bar; with Shift: select; Enter zooms' },
];

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

/** Whether a key press belongs to a control that has the focus: the space bar presses buttons. */
function isPress(event: KeyboardEvent): boolean {
  const { target } = event;
  return event.key === ' ' && target instanceof Element && target.closest('button, a, summary') !== null;
}

/** The action of a key press; none while typing or with a modifier held. */
export function actionOf(event: KeyboardEvent): Action | null {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  if (isTyping(event.target) || isPress(event)) return null;
  return SHORTCUTS.find((shortcut) => shortcut.key === event.key)?.action ?? null;
}
