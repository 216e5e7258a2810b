/** Things of the journal to choose from by their name, or none of them. */
export function noneOr(things: { id: string; name: string }[] = []): { value: string; label: string }[] {
  return [{ value: '', label: 'None' }, ...things.map((t) => ({ value: t.id, label: t.name }))];
}
