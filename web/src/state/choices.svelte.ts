// What holds on every page of this browser: the theme, and the zone of all times.

import type { Zone } from '../text/clock';
import { applyTheme, nextTheme, readTheme, readZone, rememberTheme, rememberZone, type Theme } from './preferences';

export class Choices {
  theme = $state<Theme>(readTheme());
  zone = $state<Zone>(readZone());

  toggleTheme(): void {
    this.theme = nextTheme(this.theme);
    rememberTheme(this.theme);
    applyTheme(this.theme);
  }

  toggleZone(): void {
    this.zone = this.zone === 'utc' ? 'local' : 'utc';
    rememberZone(this.zone);
  }
}
