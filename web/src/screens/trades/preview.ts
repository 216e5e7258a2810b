// What a trade that is being typed would come to. Only a preview: the server
// computes what is kept. Exact all the same, in whole units of the last decimal,
// so that the preview and the answer do not differ by a rounding.

interface Exact {
  units: bigint;
  scale: number; // decimals
}

function parse(text: string): Exact | null {
  const found = /^([-+]?)(\d*)\.?(\d*)$/.exec(text.trim());
  if (!found || found[2]! + found[3]! === '') return null;
  const units = BigInt(found[2]! + found[3]!);
  return { units: found[1] === '-' ? -units : units, scale: found[3]!.length };
}

function times(a: Exact, b: Exact): Exact {
  return { units: a.units * b.units, scale: a.scale + b.scale };
}

function minus(a: Exact, b: Exact): Exact {
  const scale = Math.max(a.scale, b.scale);
  const at = (e: Exact) => e.units * 10n ** BigInt(scale - e.scale);
  return { units: at(a) - at(b), scale };
}

function write({ units, scale }: Exact): string {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const rest = digits.slice(digits.length - scale).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${whole}${rest ? `.${rest}` : ''}`;
}

export interface Typed {
  direction: 'long' | 'short';
  quantity: string;
  entry: string;
  exit: string;
  costs: string[]; // '' counts as nothing
  multiplier: string; // '' when it is not known here
}

/** The net result as decimal text, or null while something is missing or cannot be read. */
export function previewNet(typed: Typed): string | null {
  const [quantity, entry, exit, multiplier] = [typed.quantity, typed.entry, typed.exit, typed.multiplier].map(
    parse,
  );
  if (!quantity || !entry || !exit || !multiplier) return null;
  const move = typed.direction === 'long' ? minus(exit, entry) : minus(entry, exit);
  let net = times(times(move, quantity), multiplier);
  for (const text of typed.costs) {
    if (text.trim() === '') continue;
    const cost = parse(text);
    if (!cost) return null;
    net = minus(net, cost);
  }
  return write(net);
}

/** What a contract is worth, where the page can say; futures differ and the server knows them. */
export function usualMultiplier(instrument: string): string {
  if (instrument === 'option') return '100';
  return instrument === 'future' ? '' : '1';
}
