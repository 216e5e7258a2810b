// A hint at how long a password would hold. The server decides what it takes;
// this only helps to choose.

export interface Hint {
  level: 0 | 1 | 2 | 3;
  text: string;
}

const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^a-zA-Z\d]/];

export function hintFor(password: string, email: string, least: number): Hint {
  const length = [...password].length;
  const name = email.split('@')[0]!.toLowerCase();
  if (length < least)
    return { level: 0, text: `At least ${least} characters; ${Math.max(0, least - length)} more to go.` };
  if (new Set(password).size < 4) return { level: 0, text: 'Too few different characters.' };
  if (name.length > 2 && password.toLowerCase().includes(name))
    return { level: 1, text: 'It contains your name. Better leave that out.' };
  const variety = kinds.filter((k) => k.test(password)).length;
  const worth = length + 2 * variety;
  if (worth < 18) return { level: 1, text: 'It will do. A few more words make it strong.' };
  if (worth < 24) return { level: 2, text: 'Good.' };
  return { level: 3, text: 'Strong.' };
}
