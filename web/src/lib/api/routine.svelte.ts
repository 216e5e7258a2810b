// The routine of a day, ticked wherever it is shown.
//
//   const routine = readRoutineDay(() => day);
//   <Async of={routine.reading}> … onchange={(done) => void routine.tick(item.id, done)}

import { answer, api, type Schemas } from './client';
import { act, query, queryClient } from './queries.svelte';

export function readRoutineDay(day: () => string) {
  const reading = query(() => ({
    key: keyOf(day()),
    load: (signal) =>
      answer(api.GET('/api/v1/routines/day/{day}', { params: { path: { day: day() } }, signal })),
    // The boxes of one day under the name of another would be ticked for the wrong one.
    keep: false,
  }));
  return { reading, tick: (id: string, done: boolean) => tick(day(), id, done) };
}

function keyOf(day: string): ['routines', 'day', string] {
  return ['routines', 'day', day];
}

/** The box changes at once; what the server has then counts, also when it refused. */
async function tick(day: string, id: string, done: boolean): Promise<void> {
  const key = keyOf(day);
  await queryClient.cancelQueries({ queryKey: key }); // an answer on its way knows nothing of it
  queryClient.setQueryData<Schemas['RoutineDay']>(key, (now) => now && ticked(now, id, done));
  await act({
    run: () =>
      answer(
        api.PUT('/api/v1/routines/day/{day}/items/{id}', { params: { path: { day, id } }, body: { done } }),
      ),
    touches: ['routines', 'analytics'],
  }).catch(() => queryClient.invalidateQueries({ queryKey: key }));
}

function ticked(day: Schemas['RoutineDay'], id: string, done: boolean): Schemas['RoutineDay'] {
  const items = day.items.map((item) => (item.id === id ? { ...item, done } : item));
  return { ...day, items, done: items.filter((item) => item.done).length };
}
