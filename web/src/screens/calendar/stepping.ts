import { isForPage } from '../../app/keys';
import { navigate } from '../../app/router.svelte';

/** Listens to [ and ], which go one back and one on; step gives the address. */
export function stepWithKeys(step: (n: number) => string): (event: KeyboardEvent) => void {
  return (event) => {
    if (!isForPage(event) || (event.key !== '[' && event.key !== ']')) return;
    event.preventDefault();
    navigate(step(event.key === '[' ? -1 : 1), { keepScroll: true });
  };
}
