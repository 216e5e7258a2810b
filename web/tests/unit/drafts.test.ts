// @vitest-environment jsdom

import { afterEach, expect, test } from 'vitest';
import { Draft, parkDrafts } from '../../src/lib/drafts';

afterEach(() => localStorage.clear());

test('a draft is found again under its name', () => {
  new Draft<string>('note').keep('text');
  expect(new Draft('note').found).toBe('text');
  expect(new Draft('other note').found).toBeUndefined();
});

test('a dropped draft is not found', () => {
  const draft = new Draft<string>('note');
  draft.keep('text');
  draft.drop();
  expect(draft.found).toBeUndefined();
});

test('parked drafts leave the storage and are still found', () => {
  const draft = new Draft<string>('note');
  draft.keep('text');
  localStorage.setItem('other', 'stays');
  parkDrafts();
  expect(Object.keys(localStorage)).toEqual(['other']);
  expect(draft.found).toBe('text');
  draft.drop();
  expect(draft.found).toBeUndefined();
});

test('a draft that cannot be parsed counts as none', () => {
  localStorage.setItem('fillbook.draft. note', '{');
  expect(new Draft('note').found).toBeUndefined();
});
