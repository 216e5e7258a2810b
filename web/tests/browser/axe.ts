// Runs axe on the current page, with open dialogs. The content security policy allows
// no injected script, so axe runs in an isolated world: it sees the same document, and
// the scripts of the page do not see it.

import { expect, type CDPSession, type Page } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

// All rules in the light theme. In the dark theme only colors differ, so only the
// contrast is checked again, after animations have finished. Without contrast, only the
// other rules are checked: they take a fraction of the time.
const run = (contrast: boolean) => `(async () => {
  const root = document.documentElement;
  const chosen = root.dataset.theme;
  const found = [];
  for (const theme of ${contrast ? "['light', 'dark']" : "['light']"}) {
    root.dataset.theme = theme;
    const moving = document.getAnimations().filter((a) => a.effect.getComputedTiming().endTime !== Infinity);
    await Promise.all(moving.map((a) => a.finished.catch(() => {})));
    const { violations } = await axe.run({
      resultTypes: ['violations'],
      preload: false,
      ...(theme === 'dark' ? { runOnly: ['color-contrast'] } : {}),
      rules: { 'color-contrast': { enabled: ${contrast} } },
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

/** Checks the current page. */
export async function expectAccessible(
  page: Page,
  what: string,
  { contrast = true }: { contrast?: boolean } = {},
): Promise<void> {
  await expect(page.locator('.skeleton')).toHaveCount(0);
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send('Page.getFrameTree');
  const { executionContextId } = await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
    worldName: 'axe',
  });
  await evaluate(session, executionContextId, source);
  const violations = await evaluate(session, executionContextId, run(contrast));
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
