// axe on the page as it is, open dialogs and all. The policy of the page lets no
// script in, so axe runs in a world of its own beside the page's: it sees the
// same document, and none of the page's scripts see it.

import { expect, type CDPSession, type Page } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

// Everything in the light theme; in the dark one, where only colours differ, the
// contrast again. What still moves has no colour yet.
const run = `(async () => {
  const root = document.documentElement;
  const chosen = root.dataset.theme;
  const found = [];
  for (const theme of ['light', 'dark']) {
    root.dataset.theme = theme;
    const moving = document.getAnimations().filter((a) => a.effect.getComputedTiming().endTime !== Infinity);
    await Promise.all(moving.map((a) => a.finished.catch(() => {})));
    const { violations } = await axe.run({
      resultTypes: ['violations'],
      preload: false,
      ...(theme === 'dark' ? { runOnly: ['color-contrast'] } : {}),
    });
    for (const v of violations) {
      if (v.impact !== 'serious' && v.impact !== 'critical') continue;
      const where = v.nodes.map((n) => n.html + ' ' + n.failureSummary).join(' | ');
      found.push(theme + ', ' + v.id + ': ' + where);
    }
  }
  if (chosen) root.dataset.theme = chosen;
  else delete root.dataset.theme;
  return found;
})()`;

export async function expectAccessible(page: Page, what: string): Promise<void> {
  await expect(page.locator('.skeleton')).toHaveCount(0);
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send('Page.getFrameTree');
  const { executionContextId } = await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
    worldName: 'axe',
  });
  await evaluate(session, executionContextId, source);
  const violations = await evaluate(session, executionContextId, run);
  await session.detach();
  expect(violations, `axe on ${what}`).toEqual([]);
}

async function evaluate(session: CDPSession, contextId: number, expression: string): Promise<unknown> {
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    expression,
    contextId,
    awaitPromise: true,
    returnByValue: true,
  });
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result.value;
}
