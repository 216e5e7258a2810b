// Counts what a user does: a click, a key press, a typed text or a choice is one action.

import type { Locator, Page } from '@playwright/test';

export type Files = Record<string, string>; // name to text

export interface Actions {
  readonly count: number;
  click: (on: Locator) => Promise<void>;
  press: (key: string) => Promise<void>;
  type: (into: Locator, text: string) => Promise<void>;
  choose: (input: Locator, files: Files) => Promise<void>;
  select: (list: Locator, label: string) => Promise<void>;
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
    select: async (list, label) => {
      count++;
      await list.selectOption({ label });
    },
    choose: (input, files) => {
      count++;
      const list = Object.entries(files).map(([name, text]) => ({
        name,
        mimeType: 'text/csv',
        buffer: Buffer.from(text),
      }));
      return input.setInputFiles(list);
    },
  };
}
