// Parses a small Markdown dialect to a tree that Markdown.svelte renders. HTML stays
// text. Supported blocks: headings, paragraphs, lists (nested, numbered, with tasks),
// quotes, rules and fenced code. Supported within a line: strong, emphasis, strike,
// code and links.

export type Inline =
  | { kind: 'text'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'break' }
  | { kind: 'strong' | 'em' | 'del'; inside: Inline[] }
  | { kind: 'link'; href: string; inside: Inline[] };

export interface Item {
  inside: Inline[];
  below: Block[];
  done: boolean | null; // null: not a task
  line: number; // the line in the source, from 0
}

export type Block =
  | { kind: 'heading'; level: number; inside: Inline[] }
  | { kind: 'paragraph'; inside: Inline[] }
  | { kind: 'list'; numbered: boolean; start: number; items: Item[] }
  | { kind: 'quote'; inside: Block[] }
  | { kind: 'code'; text: string }
  | { kind: 'rule' };

interface Line {
  text: string;
  at: number;
}

const deepest = 8; // levels of quotes and lists; deeper ones are shown as text

export function parse(source: string): Block[] {
  return blocks(
    source
      .replaceAll('\r\n', '\n')
      .split('\n')
      .map((text, at) => ({ text: text.replaceAll('\t', '    '), at })),
    0,
  );
}

const bullet = /^( *)([-*+]|\d{1,9}[.)])(?: +(.*)|)$/;
const box = /^\[([ xX])\](?: +|$)(.*)$/;

function blocks(lines: Line[], depth: number): Block[] {
  const out: Block[] = [];
  let i = 0;
  while (i < lines.length) {
    const { text } = lines[i]!;
    const heading = /^(#{1,6}) +(.*?)(?: +#+)?$/.exec(text);
    if (text.trim() === '') i++;
    else if (/^ {0,3}(```|~~~)/.test(text)) i = fence(lines, i, out);
    else if (heading) {
      out.push({ kind: 'heading', level: heading[1]!.length, inside: inline(heading[2]!) });
      i++;
    } else if (/^ {0,3}([-*_])( *\1){2,} *$/.test(text)) {
      out.push({ kind: 'rule' });
      i++;
    } else if (/^ {0,3}>/.test(text) && depth < deepest) i = quote(lines, i, out, depth);
    else if (bullet.test(text) && depth < deepest) i = list(lines, i, out, depth);
    else i = paragraph(lines, i, out);
  }
  return out;
}

function fence(lines: Line[], from: number, out: Block[]): number {
  const mark = lines[from]!.text.trim().slice(0, 3);
  let end = from + 1;
  while (end < lines.length && !lines[end]!.text.trim().startsWith(mark)) end++;
  out.push({
    kind: 'code',
    text: lines
      .slice(from + 1, end)
      .map((l) => l.text)
      .join('\n'),
  });
  return end + 1;
}

function quote(lines: Line[], from: number, out: Block[], depth: number): number {
  let end = from;
  while (end < lines.length && /^ {0,3}>/.test(lines[end]!.text)) end++;
  const inner = lines.slice(from, end).map((l) => ({ ...l, text: l.text.replace(/^ {0,3}> ?/, '') }));
  out.push({ kind: 'quote', inside: blocks(inner, depth + 1) });
  return end;
}

function list(lines: Line[], from: number, out: Block[], depth: number): number {
  const first = bullet.exec(lines[from]!.text)!;
  const indent = first[1]!.length;
  const numbered = /\d/.test(first[2]!);
  const items: Item[] = [];
  let i = from;
  while (i < lines.length) {
    const found = bullet.exec(lines[i]!.text);
    if (!found || found[1]!.length !== indent || /\d/.test(found[2]!) !== numbered) break;
    const below = belongsTo(lines, i + 1, indent);
    items.push(item(found[3] ?? '', lines[i]!.at, lines.slice(i + 1, below), indent, depth));
    i = below;
  }
  out.push({ kind: 'list', numbered, start: numbered ? Number.parseInt(first[2]!, 10) : 1, items });
  return i;
}

// Lines indented more than the bullet belong to the item.
function belongsTo(lines: Line[], from: number, indent: number): number {
  let end = from;
  for (let i = from; i < lines.length; i++) {
    const { text } = lines[i]!;
    if (text.trim() === '') continue;
    if (text.length - text.trimStart().length <= indent) break;
    end = i + 1;
  }
  return end;
}

function item(text: string, line: number, rest: Line[], indent: number, depth: number): Item {
  const ticked = box.exec(text);
  const strip = Math.min(
    ...rest.filter((l) => l.text.trim()).map((l) => l.text.length - l.text.trimStart().length),
    indent + 6,
  );
  const inner = rest.map((l) => ({
    ...l,
    text: l.text.slice(Math.min(strip, l.text.length - l.text.trimStart().length)),
  }));
  return {
    inside: inline(ticked ? ticked[2]! : text),
    below: blocks(inner, depth + 1),
    done: ticked ? ticked[1] !== ' ' : null,
    line,
  };
}

const interrupts = /^( {0,3}(```|~~~|>)|#{1,6} | *([-*+]|\d{1,9}[.)]) )/;

function paragraph(lines: Line[], from: number, out: Block[]): number {
  let end = from + 1;
  while (end < lines.length && lines[end]!.text.trim() !== '' && !interrupts.test(lines[end]!.text)) end++;
  out.push({
    kind: 'paragraph',
    inside: inline(
      lines
        .slice(from, end)
        .map((l) => l.text.trimStart())
        .join('\n'),
    ),
  });
  return end;
}

const spans: [RegExp, (m: RegExpExecArray, depth: number) => Inline][] = [
  [/^`([^`]+)`/, (m) => ({ kind: 'code', text: m[1]! })],
  [/^\*\*(?=\S)([^\n]+?\S|\S)\*\*/, (m, d) => ({ kind: 'strong', inside: inline(m[1]!, d + 1) })],
  [/^__(?=\S)([^\n]+?\S|\S)__(?!\w)/, (m, d) => ({ kind: 'strong', inside: inline(m[1]!, d + 1) })],
  [/^~~(?=\S)([^\n]+?)~~/, (m, d) => ({ kind: 'del', inside: inline(m[1]!, d + 1) })],
  [/^\*(?=[^\s*])([^*\n]*[^\s*])\*/, (m, d) => ({ kind: 'em', inside: inline(m[1]!, d + 1) })],
  [/^_(?=[^\s_])([^_\n]*[^\s_])_(?!\w)/, (m, d) => ({ kind: 'em', inside: inline(m[1]!, d + 1) })],
  [/^!?\[([^\]\n]*)\]\(([^()\s]*)\)/, (m, d) => link(m[2]!, m[1]! || m[2]!, d)],
  [
    /^<?(https?:\/\/[^\s<>]*[^\s<>.,;:!?'")\]])>?/,
    (m) => ({ kind: 'link', href: m[1]!, inside: [{ kind: 'text', text: m[1]! }] }),
  ],
];

/** Parses the markup within a line. */
export function inline(source: string, depth = 0): Inline[] {
  const out: Inline[] = [];
  let plain = '';
  const flush = () => {
    if (plain) out.push({ kind: 'text', text: plain });
    plain = '';
  };
  let i = 0;
  while (i < source.length) {
    const found = depth < deepest && starts(source, i) ? span(source, i, depth) : null;
    if (found) {
      flush();
      out.push(found.node);
      i += found.length;
    } else if (source[i] === '\\' && /[!-/:-@[-`{-~]/.test(source[i + 1] ?? '')) {
      plain += source[i + 1];
      i += 2;
    } else if (source[i] === '\n') {
      flush();
      out.push({ kind: 'break' });
      i++;
    } else plain += source[i++];
  }
  flush();
  return out;
}

// Markup inside a word (snake_case) is text, except * and `.
function starts(source: string, i: number): boolean {
  const c = source[i]!;
  if (c === '_' || c === 'h') return i === 0 || !/\w/.test(source[i - 1]!);
  return '`*~[!<'.includes(c);
}

function span(source: string, i: number, depth: number): { node: Inline; length: number } | null {
  const rest = source.slice(i, i + 4000);
  for (const [pattern, make] of spans) {
    const found = pattern.exec(rest);
    if (found) return { node: make(found, depth), length: found[0].length };
  }
  return null;
}

function link(href: string, words: string, depth: number): Inline {
  const safe = safeHref(href);
  if (safe === null) return { kind: 'text', text: words };
  return { kind: 'link', href: safe, inside: inline(words, depth + 1) };
}

/** Reports whether a link is allowed: web, mail and addresses of this page, but no javascript: or data:. */
export function safeHref(href: string): string | null {
  if (/^(https?:\/\/|mailto:)/i.test(href)) return href;
  return /^(\/(?![/\\])|#)/.test(href) ? href : null;
}

/** Returns the source with the task on a line ticked or cleared. */
export function tick(source: string, line: number, done: boolean): string {
  const lines = source.split('\n');
  const text = lines[line];
  if (text === undefined) return source;
  lines[line] = text.replace(/^(\s*(?:>\s*)*(?:[-*+]|\d+[.)])\s+)\[[ xX]\]/, `$1[${done ? 'x' : ' '}]`);
  return lines.join('\n');
}
