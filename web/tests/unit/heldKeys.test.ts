import { describe, expect, it } from 'vitest';
import { holdKeys } from '../../src/lib/heldKeys';

function press(target: EventTarget, key: string, more: Partial<KeyboardEvent> = {}) {
  const event = Object.assign(new Event('keydown', { cancelable: true }), { key, ...more });
  target.dispatchEvent(event);
  return event;
}

describe('holdKeys', () => {
  it('keeps what is typed until it is asked for', () => {
    const target = new EventTarget();
    const release = holdKeys(target as Window);
    for (const key of ['n', 'x', 'Backspace', 'q', 'Shift', 'Enter']) press(target, key);
    expect(release()).toEqual({ text: 'nq', entered: true });
    expect(press(target, 'a').defaultPrevented).toBe(false);
    expect(release()).toEqual({ text: 'nq', entered: true });
  });

  it('leaves keys of the browser alone', () => {
    const target = new EventTarget();
    const release = holdKeys(target as Window);
    expect(press(target, 'r', { ctrlKey: true }).defaultPrevented).toBe(false);
    expect(press(target, 'r').defaultPrevented).toBe(true);
    expect(release()).toEqual({ text: 'r', entered: false });
  });
});
