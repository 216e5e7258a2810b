/** Returns a Select's options, with None first. */
export function optionsWithNone(
  items: { id: string; name: string }[] = [],
): { value: string; label: string }[] {
  return [{ value: '', label: 'None' }, ...items.map((item) => ({ value: item.id, label: item.name }))];
}
