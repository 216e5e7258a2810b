import { describe, expect, test } from 'vitest';
import { MadeChanges } from '../../src/lib/changes.svelte';

describe('changes of this tab', () => {
  test('a write gets the changes that its responses name', async () => {
    const changes = new MadeChanges();
    const { result, changes: made } = await changes.track(async () => {
      changes.record('1');
      changes.record('2');
      return 'done';
    });
    expect(result).toBe('done');
    expect(made).toEqual(['1', '2']);
  });

  test('writes at the same time offer no undo, and the keyboard still undoes the newest', async () => {
    const changes = new MadeChanges();
    let finish = () => {};
    const slow = changes.track(() => new Promise<void>((resolve) => (finish = resolve)));
    const fast = await changes.track(async () => changes.record('1'));
    changes.record('2');
    finish();
    expect(fast.changes).toEqual([]);
    expect((await slow).changes).toEqual([]);
    expect(changes.newest('change')).toBe('2');
  });

  test('a write that fails is no longer running', async () => {
    const changes = new MadeChanges();
    await expect(changes.track(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect((await changes.track(async () => changes.record('1'))).changes).toEqual(['1']);
  });

  test('undo and redo walk back and forth', () => {
    const changes = new MadeChanges();
    changes.record('1');
    changes.record('2');
    changes.recordUndo('2', 'undo of 2');
    changes.recordUndo('1', 'undo of 1');
    expect(changes.newest('change')).toBeUndefined();
    expect(changes.newest('undo')).toBe('undo of 1');
    changes.recordUndo('undo of 1', 'redo of 1');
    expect(changes.newest('change')).toBe('redo of 1');
    expect(changes.newest('undo')).toBe('undo of 2');
    changes.record('3');
    expect(changes.newest('undo')).toBeUndefined();
  });

  test('a change that cannot be undone is passed over', () => {
    const changes = new MadeChanges();
    changes.record('1');
    changes.record('2');
    changes.drop('2');
    expect(changes.newest('change')).toBe('1');
  });
});
