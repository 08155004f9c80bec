// The searches that are saved on the server, for everybody who uses it.

import * as api from '../api/client';
import { asProblem, type Problem } from '../api/problem';
import type { SavedSearch, SavedView } from '../api/types';
import { DEFAULT_COLUMNS, questionOf, type View } from './view';

/** What of a view is saved; the usual columns stay the usual ones. */
export function savedView(view: View): SavedView {
  const cols = view.cols.join(',');
  return { ...questionOf(view), split: view.split, cols: cols === DEFAULT_COLUMNS.join(',') ? '' : cols };
}

/** What a saved search changes in a view. */
export function changesOf({ q: _q, cols, ...same }: SavedView): Partial<View> {
  return { ...same, cols: cols === '' ? DEFAULT_COLUMNS : cols.split(',') };
}

export class SavedSearches {
  searches = $state.raw<readonly SavedSearch[]>([]);
  problem = $state.raw<Problem | null>(null);

  load(): Promise<void> {
    return this.#after(Promise.resolve());
  }

  save(name: string, view: View): Promise<void> {
    return this.#after(api.saveSearch(name, savedView(view)));
  }

  remove(name: string): Promise<void> {
    return this.#after(api.deleteSearch(name));
  }

  /** Reads the list anew when something is done. */
  async #after(done: Promise<void>): Promise<void> {
    try {
      await done;
      this.searches = await api.savedSearches();
      this.problem = null;
    } catch (error) {
      this.problem = asProblem(error);
    }
  }
}
