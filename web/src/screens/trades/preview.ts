// Previews the net P&L of a trade while it is entered; the server computes the
// stored one. The preview is exact, in whole units of the last decimal, so that
// both are the same to the last digit.

interface FixedPoint {
  units: bigint;
  scale: number; // decimals
}

function parse(text: string): FixedPoint | null {
  const found = /^([-+]?)(\d*)\.?(\d*)$/.exec(text.trim());
  if (!found || found[2]! + found[3]! === '') return null;
  const units = BigInt(found[2]! + found[3]!);
  return { units: found[1] === '-' ? -units : units, scale: found[3]!.length };
}

function multiply(a: FixedPoint, b: FixedPoint): FixedPoint {
  return { units: a.units * b.units, scale: a.scale + b.scale };
}

function subtract(a: FixedPoint, b: FixedPoint): FixedPoint {
  const scale = Math.max(a.scale, b.scale);
  const scaled = (e: FixedPoint) => e.units * 10n ** BigInt(scale - e.scale);
  return { units: scaled(a) - scaled(b), scale };
}

function format({ units, scale }: FixedPoint): string {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const rest = digits.slice(digits.length - scale).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${whole}${rest ? `.${rest}` : ''}`;
}

export interface EnteredTrade {
  direction: 'long' | 'short';
  quantity: string;
  entry: string;
  exit: string;
  fees: string[]; // '' counts as zero
  multiplier: string; // '' if unknown
}

/** Returns the net P&L as decimal text, or null while a value is missing or not a number. */
export function previewNet(trade: EnteredTrade): string | null {
  const [quantity, entry, exit, multiplier] = [trade.quantity, trade.entry, trade.exit, trade.multiplier].map(
    parse,
  );
  if (!quantity || !entry || !exit || !multiplier) return null;
  const move = trade.direction === 'long' ? subtract(exit, entry) : subtract(entry, exit);
  let net = multiply(multiply(move, quantity), multiplier);
  for (const text of trade.fees) {
    if (text.trim() === '') continue;
    const fee = parse(text);
    if (!fee) return null;
    net = subtract(net, fee);
  }
  return format(net);
}

/** Returns the usual multiplier of an instrument; '' for futures, which differ by contract. */
export function defaultMultiplier(instrument: string): string {
  if (instrument === 'option') return '100';
  return instrument === 'future' ? '' : '1';
}
