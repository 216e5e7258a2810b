import { expect, test } from 'vitest';
import { rateStrength } from '../../src/lib/passwordStrength';

test('the level grows with the password', () => {
  const level = (password: string) => rateStrength(password, 'anna@example.com', 10).level;
  expect([
    level('short'),
    level('aaaaaaaaaaaa'),
    level('anna1234567'),
    level('tea and toast'),
    level('A quiet harbour at 7'),
  ]).toEqual([0, 0, 1, 1, 3]);
});

test('a short password shows how many characters are missing', () => {
  expect(rateStrength('', 'anna@example.com', 10).text).toBe('At least 10 characters');
  expect(rateStrength('short', 'anna@example.com', 10).text).toBe('At least 10 characters (5 more)');
});
