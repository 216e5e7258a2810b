// The routine of a day, with its ticks.
//
//   const routine = readRoutineDay(() => day);
//   <Async of={routine.list}> … onchange={(done) => void routine.tick(item.id, done)}

import { answer, api, type Schemas } from './client';
import { queueWrites, query, queryClient } from './queries.svelte';

export function readRoutineDay(day: () => string) {
  const list = query(() => ({
    key: keyOf(day()),
    load: (signal) =>
      answer(api.GET('/api/v1/routines/day/{day}', { params: { path: { day: day() } }, signal })),
    // Keeping the items of another day would let the user tick them for the wrong day.
    keep: false,
  }));
  const send = queueWrites(['routines', 'analytics']);

  /** Ticks an item at once. Afterwards the list is reloaded, so a refused tick disappears. */
  async function tick(id: string, done: boolean): Promise<void> {
    const path = { day: day(), id };
    const key = keyOf(path.day);
    await queryClient.cancelQueries({ queryKey: key }); // a response under way lacks the tick
    queryClient.setQueryData<Schemas['RoutineDay']>(key, (now) => now && withTick(now, id, done));
    await send(() =>
      answer(api.PUT('/api/v1/routines/day/{day}/items/{id}', { params: { path }, body: { done } })),
    );
  }
  return { list, tick };
}

function keyOf(day: string): ['routines', 'day', string] {
  return ['routines', 'day', day];
}

function withTick(day: Schemas['RoutineDay'], id: string, done: boolean): Schemas['RoutineDay'] {
  const items = day.items.map((item) => (item.id === id ? { ...item, done } : item));
  return { ...day, items, done: items.filter((item) => item.done).length };
}
