// Extracts the prose of a source file: comments, texts with a space in them, and the
// text between tags. Identifiers and code are left out.

export interface Prose {
  line: number;
  text: string;
}

const comments = /\/\*[\s\S]*?\*\/|(?<![:'"`\w])\/\/.*$|<!--[\s\S]*?-->/gm;
const strings = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;
const markup = />[^<>{}]*[A-Za-z]{2}[^<>{}]*(?=[<{])|\}[^<>{}]*[A-Za-z]{2}[^<>{}]*(?=<)/g;

export function extractProse(source: string, file: string): Prose[] {
  const found: Prose[] = [];
  const collect = (text: string, pattern: RegExp) =>
    text.replace(pattern, (part: string, ...rest: unknown[]) => {
      const offset = rest.find((value) => typeof value === 'number') as number;
      found.push({ line: text.slice(0, offset).split('\n').length, text: part });
      return part.replace(/[^\n]/g, ' '); // keeps the line numbers of what follows
    });
  const code = collect(source, comments);
  if (file.endsWith('.css')) return found;
  const withoutStrings = collect(code, strings);
  if (file.endsWith('.svelte'))
    collect(withoutStrings.replace(/<(script|style)[\s\S]*?<\/\1>/g, blank), markup);
  return found.filter(({ text }) => /\s/.test(text.trim()));
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}
