// @vitest-environment jsdom

import { expect, test } from 'vitest';
import {
  dayState,
  floorSteps,
  meterTone,
  stateOf,
  type Day,
  type Enrollment,
  type Status,
} from '../../src/lib/programs';

test('the floor changes halfway between two days, and is exact on each', () => {
  const days = [
    { day: '2026-03-02', floor: 97000 },
    { day: '2026-03-04', floor: 98500 },
  ];
  const at = (day: string) => Date.parse(day);
  expect(floorSteps(days)).toEqual({
    x: [at('2026-03-02'), at('2026-03-03'), at('2026-03-03'), at('2026-03-04')],
    y: [97000, 97000, 98500, 98500],
  });
});

test('the label of an enrollment says what needs attention', () => {
  const enrollment = (state: string, ended_at: string | null) => ({ state, ended_at }) as Enrollment;
  const status = { state: 'active', rules: [{ state: 'ok' }, { state: 'warning' }] } as Status;
  expect(stateOf(enrollment('active', null)).name).toBe('Active');
  expect(stateOf(enrollment('active', null), status).name).toBe('Close to a limit');
  expect(stateOf(enrollment('failed', null)).name).toBe('Breached');
  expect(stateOf(enrollment('failed', '2026-03-04T00:00:00Z')).name).toBe('Failed');
});

test('a day shows its worst rules', () => {
  const day = (states: Record<string, string>) => ({ states }) as Day;
  expect(dayState(day({ max_loss: 'ok', daily_loss: 'breached', flat_by: 'warning' }))).toEqual({
    name: 'Breached: Daily loss',
    tone: 'loss',
  });
  expect(dayState(day({ max_loss: 'ok', profit_target: 'ok' })).tone).toBe('plain');
});

test('the meter of a limit warns, that of a requirement is reached', () => {
  expect(meterTone({ state: 'warning', met: null })).toBe('warn');
  expect(meterTone({ state: 'breached', met: null })).toBe('loss');
  expect(meterTone({ state: 'ok', met: false })).toBe('accent');
  expect(meterTone({ state: 'ok', met: true })).toBe('gain');
});
