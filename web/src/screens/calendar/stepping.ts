import { isForPage } from '../../app/keys';
import { navigate } from '../../app/router.svelte';

/** Returns a key handler: [ opens the previous and ] the next address, as returned by step. */
export function stepWithKeys(step: (n: number) => string): (event: KeyboardEvent) => void {
  return (event) => {
    if (!isForPage(event) || (event.key !== '[' && event.key !== ']')) return;
    event.preventDefault();
    navigate(step(event.key === '[' ? -1 : 1), { keepScroll: true });
  };
}
