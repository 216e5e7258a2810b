// Keeps what is typed into a form as a draft, and puts it back when the form is
// opened again. Call it once, at the top of the script of a component:
//
//   const draft = formDraft('setup 42', () => ({ name, thesis }), (v) => ({ name, thesis } = v));
//   …after saving:  draft.done();

import { Draft } from './drafts';

export interface FormDraft {
  /** Whether the form opened with what was typed before. */
  readonly restored: boolean;
  /** Whether anything differs from what the form began with. */
  readonly changed: boolean;
  /** Goes back to what the form began with. */
  discard: () => void;
  /** Forgets the draft: it is saved, or not wanted any more. */
  done: () => void;
}

export function formDraft<T extends object>(
  name: string,
  read: () => T,
  write: (value: T) => void,
): FormDraft {
  const draft = new Draft<T>(name);
  const start = JSON.stringify(read());
  const found = draft.found;
  let restored = $state(found !== undefined);
  let finished = false;
  if (found) write({ ...(JSON.parse(start) as T), ...found });
  const changed = $derived(JSON.stringify(read()) !== start);
  $effect(() => {
    const now = read();
    if (finished || JSON.stringify(now) === start) draft.drop();
    else draft.keep(now);
  });
  return {
    get restored() {
      return restored;
    },
    get changed() {
      return changed;
    },
    discard: () => {
      write(JSON.parse(start) as T);
      restored = false;
    },
    done: () => {
      finished = true;
      draft.drop();
    },
  };
}
