// A rating that helps to choose a password. The server decides which passwords it
// accepts.

export interface Strength {
  level: 0 | 1 | 2 | 3;
  text: string;
}

const characterClasses = [/[a-z]/, /[A-Z]/, /\d/, /[^a-zA-Z\d]/];

export function rateStrength(password: string, email: string, minLength: number): Strength {
  const length = [...password].length;
  const name = email.split('@')[0]!.toLowerCase();
  if (length < minLength) {
    const missing = password === '' ? '' : ` (${minLength - length} more)`;
    return { level: 0, text: `At least ${minLength} characters${missing}` };
  }
  if (new Set(password).size < 4) return { level: 0, text: 'Use more different characters.' };
  if (name.length > 2 && password.toLowerCase().includes(name))
    return { level: 1, text: 'Avoid using your name.' };
  const classes = characterClasses.filter((c) => c.test(password)).length;
  const score = length + 2 * classes;
  if (score < 18) return { level: 1, text: 'Fair. Add a few words to make it strong.' };
  if (score < 24) return { level: 2, text: 'Good' };
  return { level: 3, text: 'Strong' };
}
