import { describe, expect, test } from 'vitest';
import { reviewQuestions } from '../../src/lib/noteTemplates';
import { joinSections, splitSections } from '../../src/lib/sections';

describe('sections', () => {
  test('the three questions', () => {
    expect(splitSections(reviewQuestions)).toEqual([
      { heading: 'What went well?', text: '' },
      { heading: 'What cost money?', text: '' },
      { heading: 'What changes next week?', text: '- [ ]' },
    ]);
  });

  test('text before the first heading and other headings stay', () => {
    const body = 'Summary\n\n## First\n\na\n\n### Deeper\n\nb\n\n## Second\n\nc';
    const sections = splitSections(body);
    expect(sections).toEqual([
      { heading: '', text: 'Summary' },
      { heading: 'First', text: 'a\n\n### Deeper\n\nb' },
      { heading: 'Second', text: 'c' },
    ]);
    expect(joinSections(sections)).toBe(body);
  });

  test.each(['', 'no heading', '## Only a heading', '## A\n\n## B\n\nx'])('%j survives', (body) => {
    expect(joinSections(splitSections(body))).toBe(body);
  });
});
