// Keeps what the user types while the input it is meant for is loading. Without
// it, the first letters would be taken as shortcuts of the page.

export interface HeldKeys {
  text: string;
  entered: boolean; // Enter was pressed after the text
}

/** Keeps keys until the returned function is called, which returns them. */
export function holdKeys(
  target: Pick<Window, 'addEventListener' | 'removeEventListener'> = window,
): () => HeldKeys {
  const held: HeldKeys = { text: '', entered: false };
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter') held.entered = true;
    else if (event.key === 'Backspace') held.text = held.text.slice(0, -1);
    else if (event.key.length === 1) held.text += event.key;
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  target.addEventListener('keydown', press as EventListener, { capture: true });
  return () => {
    target.removeEventListener('keydown', press as EventListener, { capture: true });
    return held;
  };
}
