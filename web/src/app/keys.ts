// Keys that work everywhere. A key never acts while somebody types, and never
// with Ctrl, Alt or Meta, which belong to the browser; Ctrl-K alone is ours.

export function isTyping(event: KeyboardEvent): boolean {
  const at = event.target as HTMLElement | null;
  if (!at?.closest) return false;
  return (
    at.isContentEditable ||
    at.closest('input:not([type="checkbox"], [type="radio"]), textarea, select, [role="menu"]') !== null
  );
}

/** Whether a key may act on the page: nobody has taken it or types, and nothing lies over the page. */
export function isForPage(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return false;
  return !isTyping(event) && document.querySelector('dialog[open]') === null;
}

export interface Keys {
  help: () => void;
  palette: () => void;
  go: (letter: string) => boolean;
  newTrade: () => void;
  importFile: () => void;
}

const patience = 1200; // milliseconds between g and the letter

/** Listens until the returned function is called. */
export function listenForKeys(
  keys: Keys,
  target: Pick<Window, 'addEventListener' | 'removeEventListener'> = window,
): () => void {
  let gAt = -Infinity;

  const press = (event: KeyboardEvent) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      keys.palette();
      return;
    }
    if (!isForPage(event)) return;
    const afterG = event.timeStamp - gAt < patience;
    gAt = -Infinity;
    if (afterG) {
      if (keys.go(event.key)) event.preventDefault();
      return;
    }
    if (event.key === 'g') {
      gAt = event.timeStamp;
      return;
    }
    const does = { '?': keys.help, '/': keys.palette, n: keys.newTrade, i: keys.importFile }[event.key];
    if (!does) return;
    event.preventDefault();
    does();
  };

  target.addEventListener('keydown', press as EventListener);
  return () => target.removeEventListener('keydown', press as EventListener);
}
