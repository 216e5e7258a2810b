import { describe, expect, it } from 'vitest';
import {
  completeCredentials,
  describeCounts,
  describeCoverage,
  describeDisconnect,
  describeHistory,
  describeState,
  describeTime,
  enteredCredentials,
  isDue,
  listFacts,
  needsUser,
  searchBrokers,
  type Broker,
  type Connection,
  type Run,
} from '../../src/screens/connections/brokers';

const formats = {
  date: (at: string) => at.slice(0, 10),
  time: (at: string) => at.slice(11, 16),
  dateTime: (at: string) => at.slice(0, 16),
  plural: (n: number, one: string, many = `${one}s`) => `${n} ${n === 1 ? one : many}`,
};
const today = '2026-03-04';
const now = Date.parse('2026-03-04T09:30:00Z');

const broker = {
  provider: 'acme',
  name: 'Acme',
  covers: 'Fills of futures',
  hosts: ['api.acme.example'],
  history_days: null,
  fields: [{ name: 'key', secret: true }],
} as unknown as Broker;

const connection = {
  name: 'Acme',
  provider: 'acme',
  status: 'ok',
  schedule: 'hourly',
  has_credentials: true,
  since: null,
  identity: null,
  covers_from: '2026-01-03T00:00:00Z',
  covers_to: '2026-03-04T09:12:00Z',
  last_run_at: '2026-03-04T09:13:00Z',
  next_run_at: '2026-03-04T10:15:00Z',
} as unknown as Connection;

const run = {
  outcome: 'ok',
  inserted: 0,
  skipped: 0,
  completed: 0,
  withdrawn: 0,
  missing: 0,
  cash_inserted: 0,
  problems: 0,
} as unknown as Run;

describe('a connection', () => {
  it('has a state in words', () => {
    const stateOf = (changes: Partial<Connection>, isOn = true) =>
      describeState({ ...connection, ...changes }, isOn, now).text;
    expect(stateOf({})).toBe('Up to date');
    expect(stateOf({}, false)).toBe('Off');
    expect(stateOf({ status: 'running' })).toBe('Syncing…');
    expect(stateOf({ status: 'needs_attention' })).toBe('Needs you');
    expect(stateOf({ status: 'failed' })).toBe('Failed');
    expect(stateOf({ status: 'waiting' })).toBe('Waiting');
    expect(stateOf({ status: 'waiting', last_run_at: null })).toBe('Not run yet');
    expect(stateOf({ status: 'waiting', next_run_at: '2026-03-04T09:30:00Z' })).toBe('Starting…');
  });

  it('needs the user if it stopped or has no key', () => {
    expect(needsUser(connection)).toBe(false);
    expect(needsUser({ ...connection, status: 'needs_attention' })).toBe(true);
    expect(needsUser({ ...connection, has_credentials: false })).toBe(true);
  });

  it('is due while it runs and when its time has come', () => {
    const at = (time: string) => Date.parse(`2026-03-04T${time}:00Z`);
    expect(isDue(connection, at('10:14'))).toBe(false);
    expect(isDue(connection, at('10:15'))).toBe(true);
    expect(isDue({ ...connection, next_run_at: null }, at('10:15'))).toBe(false);
    expect(isDue({ ...connection, status: 'running', next_run_at: null }, at('10:14'))).toBe(true);
  });

  it('says what it fetches, and when', () => {
    expect(listFacts(connection, broker, 'Main', formats, today, now)).toEqual([
      'into Main',
      'every hour',
      'next run today, 10:15',
    ]);
    const identity = {
      account: 'U1',
      name: '',
      expires_at: '2026-06-01T00:00:00Z',
    } as Connection['identity'];
    const manual = { ...connection, identity, schedule: 'manual', next_run_at: null } as Connection;
    expect(listFacts(manual, undefined, 'Main', formats, today, now)).toEqual([
      'acme',
      'into Main',
      'U1',
      'key ends 2026-06-01',
      'runs only when you ask',
    ]);
  });

  it('says what is covered', () => {
    expect(describeTime('2026-03-03T09:12:00Z', formats, today)).toBe('2026-03-03T09:12');
    expect(describeCoverage({ ...connection, covers_to: null }, broker, formats, today)).toBe('');
    expect(describeCoverage(connection, broker, formats, today)).toBe('Complete up to today, 09:12');
    const limited = 'Complete from 2026-01-03 to today, 09:12';
    expect(describeCoverage({ ...connection, since: '2026-01-03' }, broker, formats, today)).toBe(limited);
    expect(describeCoverage(connection, { ...broker, history_days: 90 }, formats, today)).toBe(limited);
  });

  it('counts what a run brought', () => {
    expect(describeCounts(run, formats)).toBe('nothing new');
    expect(describeCounts({ ...run, outcome: 'waiting' }, formats)).toBe('nothing fetched');
    expect(describeCounts({ ...run, skipped: 2 }, formats)).toBe(
      'nothing new, 2 fills already in your journal',
    );
    expect(describeCounts({ ...run, inserted: 1, cash_inserted: 3, problems: 1 }, formats)).toBe(
      '1 new fill, 3 new cash transactions, 1 record that couldn’t be read',
    );
    expect(describeCounts({ ...run, completed: 1, withdrawn: 2, missing: 1 }, formats)).toBe(
      '1 fill corrected, 2 fills canceled by the broker, 1 fill no longer reported',
    );
  });
});

describe('a broker', () => {
  it('is found by words of its name and of what it covers', () => {
    const other = { ...broker, name: 'Beta', covers: 'Crypto', hosts: ['beta.example'] };
    expect(searchBrokers([broker, other], '')).toHaveLength(2);
    expect(searchBrokers([broker, other], ' FUTURES ac')).toEqual([broker]);
    expect(searchBrokers([broker, other], 'forex')).toEqual([]);
  });

  it('says how far back it goes', () => {
    expect(describeHistory(broker, formats)).toBe('Full history');
    expect(describeHistory({ ...broker, history_days: 730 }, formats)).toBe('Last 2 years');
    expect(describeHistory({ ...broker, history_days: 90 }, formats)).toBe('Last 90 days');
  });

  it('reminds of the key when it is disconnected', () => {
    expect(describeDisconnect(broker)).toContain('Revoke it at Acme');
    expect(describeDisconnect({ ...broker, fields: [] })).not.toContain('Revoke');
  });

  it('keeps the environment when the key is replaced', () => {
    const choices = [
      { value: 'live', title: 'Live' },
      { value: 'paper', title: 'Paper' },
    ];
    const fields = [{ name: 'key' }, { name: 'environment', choices }].map((f) => ({ choices: [], ...f }));
    const paper = { ...broker, fields } as unknown as Broker;
    expect(completeCredentials(paper, { key: ' ' }, 'Paper')).toBeNull();
    expect(completeCredentials(paper, { key: 'x' }, 'Paper')).toEqual({ key: 'x', environment: 'paper' });
    expect(completeCredentials(paper, { key: 'x' }, null)).toEqual({ key: 'x', environment: 'live' });
    const changed = { key: 'x', environment: 'live' };
    expect(completeCredentials(paper, changed, 'Paper')).toEqual(changed);
  });

  it('gets only the credentials that were entered', () => {
    expect(enteredCredentials({ key: 'x', pin: ' ' })).toEqual({ key: 'x' });
  });
});
