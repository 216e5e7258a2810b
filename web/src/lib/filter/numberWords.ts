// Numbers as people type them in a phrase: 2, two, 2nd, second, a.

const cardinals = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const ordinals = [
  '',
  'first',
  'second',
  'third',
  'fourth',
  'fifth',
  'sixth',
  'seventh',
  'eighth',
  'ninth',
  'tenth',
];

/** Returns a whole number such as 2, two or a, null for any other word. */
export function parseCount(word: string): number | null {
  if (word === 'a' || word === 'an') return 1;
  const at = cardinals.indexOf(word);
  if (at >= 0) return at;
  return /^\d{1,4}$/.test(word) ? Number(word) : null;
}

/** Returns the number of a place such as 2nd or second, null for any other word. */
export function parseOrdinal(word: string): number | null {
  const at = ordinals.indexOf(word);
  if (at > 0) return at;
  const found = /^(\d{1,3})(st|nd|rd|th)$/.exec(word);
  return found && Number(found[1]) > 0 ? Number(found[1]) : null;
}

/** Writes a place: 1st, 2nd, 3rd, 11th. */
export function writeOrdinal(n: number): string {
  const teen = n % 100 >= 11 && n % 100 <= 13;
  return `${n}${teen ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th')}`;
}
