// The side panel of fields: whether it is there, and which of its fields are open.

import { readList, readSwitch, rememberList, rememberSwitch } from './preferences';

const OPEN_FIRST: readonly string[] = ['severity', 'host', 'program'];

export class Facets {
  shown = $state(readSwitch('facets', matchMedia('(min-width: 1180px)').matches));
  opened = $state.raw<readonly string[]>(readList('facets.open') ?? OPEN_FIRST);

  toggleShown(): void {
    this.shown = !this.shown;
    rememberSwitch('facets', this.shown);
  }

  isOpen(name: string): boolean {
    return this.opened.includes(name);
  }

  toggle(name: string): void {
    const open = this.isOpen(name);
    this.opened = open ? this.opened.filter((each) => each !== name) : [...this.opened, name];
    rememberList('facets.open', this.opened);
  }
}
