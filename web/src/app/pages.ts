// The pages that are no search, as one script that is loaded by whoever looks at them.

export { default as Check } from './Check.svelte';
export { default as Overview } from './Overview.svelte';
