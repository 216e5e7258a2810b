// The routine of a day, ticked wherever it is shown.
//
//   const routine = readRoutineDay(() => day);
//   <Async of={routine.reading}> … onchange={(done) => void routine.tick(item.id, done)}

import { answer, api, type Schemas } from './client';
import { inTurn, query, queryClient } from './queries.svelte';

export function readRoutineDay(day: () => string) {
  const reading = query(() => ({
    key: keyOf(day()),
    load: (signal) =>
      answer(api.GET('/api/v1/routines/day/{day}', { params: { path: { day: day() } }, signal })),
    // The boxes of one day under the name of another would be ticked for the wrong one.
    keep: false,
  }));
  const send = inTurn(['routines', 'analytics']);

  /** The box changes at once; what the server has then counts, also when it refused. */
  async function tick(id: string, done: boolean): Promise<void> {
    const path = { day: day(), id };
    const key = keyOf(path.day);
    await queryClient.cancelQueries({ queryKey: key }); // an answer on its way knows nothing of it
    queryClient.setQueryData<Schemas['RoutineDay']>(key, (now) => now && ticked(now, id, done));
    await send(() =>
      answer(api.PUT('/api/v1/routines/day/{day}/items/{id}', { params: { path }, body: { done } })),
    );
  }
  return { reading, tick };
}

function keyOf(day: string): ['routines', 'day', string] {
  return ['routines', 'day', day];
}

function ticked(day: Schemas['RoutineDay'], id: string, done: boolean): Schemas['RoutineDay'] {
  const items = day.items.map((item) => (item.id === id ? { ...item, done } : item));
  return { ...day, items, done: items.filter((item) => item.done).length };
}
