// Runs axe on the current page, or on the modal dialog in front of it. The content
// security policy allows no injected script, so axe runs in an isolated world: it sees
// the same document, and the page's scripts do not see it.
//
// The contrast of texts is most of axe's work and needed twice, once per theme, so
// contrast.ts measures it. In make soak axe measures it as well.

import { expect, type Page } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { findLowContrast } from './contrast';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Whether this is the long run of make soak. */
export const isLong = Boolean(process.env.SVC_TEST_LONG);

const themes = ['light', 'dark'];

// Returns violations of all rules, the best practices as well.
const run = `(async () => {
  const off = ${isLong} ? [] : ['color-contrast'];
  const dialog = [...document.querySelectorAll('dialog:modal')].at(-1);
  const { violations } = await axe.run(dialog ?? document, {
    resultTypes: ['violations'],
    preload: false,
    rules: Object.fromEntries(off.map((id) => [id, { enabled: false }])),
  });
  return violations.map((v) => v.id + ': ' + v.nodes.map((n) => n.html + ' ' + n.failureSummary).join(' | '));
})()`;

/** Checks the current page: axe's rules, and the contrast in both themes. */
export async function expectAccessible(page: Page, what: string): Promise<void> {
  await expect(page.locator('.skeleton')).toHaveCount(0);
  expect.soft(await runAxe(page), `axe on ${what}`).toEqual([]);
  expect.soft(await findLowContrasts(page), `low contrast on ${what}`).toEqual({ light: [], dark: [] });
  if (!isLong) return;
  const chosen = await setTheme(page, themes[0]);
  for (const theme of themes) {
    await setTheme(page, theme);
    expect.soft(await runAxe(page), `axe on ${what}, ${theme}`).toEqual([]);
  }
  await setTheme(page, chosen);
}

/** Returns the texts with too little contrast in each theme, in one task, so the browser draws none of them. */
function findLowContrasts(page: Page): Promise<Record<string, string[]>> {
  return page.evaluate(`(() => {
    const { dataset } = document.documentElement;
    const chosen = dataset.theme;
    const found = {};
    for (const theme of ${JSON.stringify(themes)}) {
      dataset.theme = theme;
      found[theme] = (${findLowContrast})();
    }
    if (chosen) dataset.theme = chosen;
    else delete dataset.theme;
    return found;
  })()`);
}

/** Sets the page's theme and returns the previous one. */
function setTheme(page: Page, theme: string | undefined): Promise<string | undefined> {
  return page.evaluate((next) => {
    const { dataset } = document.documentElement;
    const previous = dataset.theme;
    if (next) dataset.theme = next;
    else delete dataset.theme;
    return previous;
  }, theme);
}

async function runAxe(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send('Page.getFrameTree');
  const { executionContextId } = await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
    worldName: 'axe',
  });
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    expression: `${source};${run}`,
    contextId: executionContextId,
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result.value as string[];
}
