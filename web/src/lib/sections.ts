// A text with headings as a list of questions and answers, and back.

export interface Section {
  heading: string; // '' for text before the first heading
  text: string;
}

/** Splits a text at its headings of the second level. */
export function splitSections(body: string): Section[] {
  const sections: Section[] = [{ heading: '', text: '' }];
  for (const line of body.split('\n')) {
    const heading = /^##\s+(.+)$/.exec(line)?.[1]?.trim();
    if (heading) sections.push({ heading, text: '' });
    else sections.at(-1)!.text += `${line}\n`;
  }
  const trimmed = sections.map(({ heading, text }) => ({ heading, text: text.replace(/^\n+|\s+$/g, '') }));
  return trimmed.filter((s, i) => i > 0 || s.text !== '');
}

/** Joins sections to a text. */
export function joinSections(sections: Section[]): string {
  return sections
    .map(({ heading, text }) => (heading ? `## ${heading}\n\n${text}`.trimEnd() : text.trimEnd()))
    .join('\n\n');
}
