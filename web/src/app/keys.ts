// Keyboard shortcuts that work on every screen. They are off while the user types,
// and with Ctrl, Alt or Meta, which belong to the browser, except Ctrl-K and Ctrl-Z.

export function isTyping(event: KeyboardEvent): boolean {
  const at = event.target as HTMLElement | null;
  if (!at?.closest) return false;
  return (
    at.isContentEditable ||
    at.closest('input:not([type="checkbox"], [type="radio"]), textarea, select, [role="menu"]') !== null
  );
}

/** Reports whether a modifier is pressed. Many keyboards have brackets on AltGr, which is Ctrl and Alt, or on Alt. */
function isModified({ key, ctrlKey, altKey, metaKey }: KeyboardEvent): boolean {
  const isBracket = key === '[' || key === ']';
  return metaKey || (isBracket ? ctrlKey && !altKey : ctrlKey || altKey);
}

/** Reports whether a shortcut applies: the user is not typing and no dialog is open. */
export function isForPage(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || isModified(event)) return false;
  return !isTyping(event) && document.querySelector('dialog[open]') === null;
}

export interface Keys {
  help: () => void;
  palette: () => void;
  go: (letter: string) => boolean;
  newTrade: () => void;
  importFile: () => void;
  addFilter: () => void;
  stepRange: (by: -1 | 1) => boolean;
  undo: () => void;
  redo: () => void;
}

const sequenceMillis = 1200; // between g and the letter

/** Listens for shortcuts until the returned function is called. */
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
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'z') {
      if (event.defaultPrevented || event.altKey || isTyping(event)) return;
      event.preventDefault();
      (event.shiftKey ? keys.redo : keys.undo)();
      return;
    }
    if (!isForPage(event)) return;
    const afterG = event.timeStamp - gAt < sequenceMillis;
    gAt = -Infinity;
    if (afterG) {
      if (keys.go(event.key)) event.preventDefault();
      return;
    }
    if (event.key === 'g') {
      gAt = event.timeStamp;
      return;
    }
    if (event.key === '[' || event.key === ']') {
      if (keys.stepRange(event.key === '[' ? -1 : 1)) event.preventDefault();
      return;
    }
    const action = {
      '?': keys.help,
      '/': keys.palette,
      n: keys.newTrade,
      i: keys.importFile,
      f: keys.addFilter,
    }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  };

  target.addEventListener('keydown', press as EventListener);
  return () => target.removeEventListener('keydown', press as EventListener);
}
