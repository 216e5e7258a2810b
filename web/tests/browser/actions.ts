// Counts what a user does: a click, a key press or a typed text is one action.

import type { Locator, Page } from '@playwright/test';

export interface Actions {
  readonly count: number;
  click: (on: Locator) => Promise<void>;
  press: (key: string) => Promise<void>;
  type: (into: Locator, text: string) => Promise<void>;
}

export function countActions(page: Page): Actions {
  let count = 0;
  return {
    get count() {
      return count;
    },
    click: (on) => (count++, on.click()),
    press: (key) => (count++, page.keyboard.press(key)),
    type: (into, text) => (count++, into.pressSequentially(text)),
  };
}
