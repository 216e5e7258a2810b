// What every screen must fulfil at phone width: nothing scrolls sideways, no scroller
// is inside another, and every target is large enough for a thumb. In make soak, axe
// checks every screen at this width too.

import { expect, type Page } from '@playwright/test';
import { expectAccessible, isLong } from './axe';

export const phone = { width: 390, height: 844 };

/**
 * Checks the current screen at phone width, and restores the width afterwards. Tables may be wider if a name in them
 * is one long word.
 */
export async function expectFitsPhone(page: Page, what: string, { tables = true } = {}): Promise<void> {
  const before = page.viewportSize()!;
  await page.setViewportSize(phone);
  // In one task, so the browser does not draw what it scrolls to.
  const findFaults = () =>
    page.evaluate(`({
      'pixels beyond the edge': (${countPixelsBeyond})(),
      'tables wider than their card': ${tables} ? (${findWideTables})() : [],
      'scrollers inside a scroller': (${findNestedScrollers})(),
      'targets below 40 × 40 pixels': (${findSmallTargets})(),
      'words that break in the middle': (${findBrokenWords})(),
    })`);
  // Tables and filters change after the width, from a media query and in the next frame.
  await page.evaluate(
    () => new Promise((resume) => requestAnimationFrame(() => requestAnimationFrame(resume))),
  );
  await expect.poll(findFaults, { message: `${what}, on a phone` }).toEqual({
    'pixels beyond the edge': 0,
    'tables wider than their card': [],
    'scrollers inside a scroller': [],
    'targets below 40 × 40 pixels': [],
    'words that break in the middle': [],
  });
  if (isLong) await expectAccessible(page, `${what}, on a phone`);
  await page.setViewportSize(before);
}

/** Returns how far the page scrolls sideways. Runs in the page. */
function countPixelsBeyond(): number {
  return document.documentElement.scrollWidth - document.documentElement.clientWidth;
}

/** Returns the short tables that must be scrolled sideways. Runs in the page. */
function findWideTables(): string[] {
  return [...document.querySelectorAll('table.listing')]
    .filter((table) => table.checkVisibility() && table.scrollWidth > table.parentElement!.clientWidth + 1)
    .map((table) => `${table.scrollWidth} ${table.ariaLabel} ${table.textContent!.slice(0, 80)}`);
}

/** Returns the words of ordinary length whose letters are on two lines. Runs in the page. */
function findBrokenWords(): string[] {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const found: string[] = [];
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const around = node.parentElement!;
    if (!around.checkVisibility() || around.closest('.sr-only, svg, option') || around.clientWidth === 1)
      continue;
    for (const word of node.textContent!.matchAll(/(?<!\S)[\p{L}’]{2,20}(?=[.,:;?!)]?(?!\S))/gu)) {
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      if (new Set([...range.getClientRects()].map((box) => box.top)).size > 1)
        found.push(`${word[0]} in ${node.parentElement!.outerHTML.slice(0, 100)}`);
    }
  }
  return found;
}

/** Returns the elements that scroll up and down inside of another one that does. Runs in the page. */
function findNestedScrollers(): string[] {
  const scrolls = (e: Element) =>
    e === document.documentElement
      ? e.scrollHeight > e.clientHeight + 1
      : /auto|scroll/.test(getComputedStyle(e).overflowY) && e.scrollHeight > e.clientHeight + 1;
  const isFixed = (e: Element) => getComputedStyle(e).position === 'fixed' || e.matches('dialog, [popover]');
  return [...document.body.querySelectorAll('*')]
    .filter((e) => e.checkVisibility() && !e.matches('textarea') && scrolls(e) && !isFixed(e))
    .filter((e) => {
      for (let up = e.parentElement; up; up = up.parentElement) {
        if (scrolls(up)) return true;
        if (isFixed(up)) return false;
      }
      return false;
    })
    .map((e) => e.outerHTML.slice(0, 120));
}

/**
 * Returns the controls a tap beside their middle misses: 19 pixels to each side must still hit them. A link
 * within a text and the links in a chart are exempt: the first is as high as its line, and the second are also in
 * the chart's table. Runs in the page.
 */
function findSmallTargets(): string[] {
  const reach = 19; // half of 40, without the pixel that rounding may cost
  const selector =
    'a[href], button, input:not([type=hidden]), select, textarea, summary, [role=slider], [role=option], [role=menuitem]';
  const top = [...document.querySelectorAll('dialog:modal')].at(-1) ?? document.body;
  const isInline = (e: Element) =>
    e.matches('a') &&
    getComputedStyle(e).display === 'inline' &&
    (e.closest('p, li, dd, td, .message') ?? e.parentElement)!.textContent!.trim() !== e.textContent!.trim();
  const isShown = (e: Element) => {
    const box = e.getBoundingClientRect();
    return (
      e.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
      box.width > 1 &&
      box.height > 1 &&
      !e.matches('svg *, .skip, .sr-only')
    );
  };
  const found: string[] = [];
  for (const e of top.querySelectorAll(selector)) {
    if (e.matches(':disabled, [aria-hidden=true], [aria-disabled=true]')) continue;
    const target = e.closest('label') ?? e;
    if (!isShown(target) || isInline(e)) continue;
    target.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    const box = target.getBoundingClientRect();
    const x = box.left + box.width / 2;
    const y = box.top + box.height / 2;
    const hits = (dx: number, dy: number) => {
      const at = document.elementFromPoint(
        Math.min(innerWidth - 1, Math.max(0, x + dx)),
        Math.min(innerHeight - 1, Math.max(0, y + dy)),
      );
      return at !== null && target.contains(at);
    };
    const missed = [
      [-reach, 0],
      [reach, 0],
      [0, -reach],
      [0, reach],
    ].filter(([dx, dy]) => !hits(dx!, dy!));
    if (missed.length > 0)
      found.push(
        `${Math.round(box.width)}×${Math.round(box.height)} ${e.getAttribute('aria-label') ?? e.textContent?.trim().slice(0, 30)} ${e.outerHTML.slice(0, 90)}`,
      );
  }
  scrollTo(0, 0);
  return found;
}
