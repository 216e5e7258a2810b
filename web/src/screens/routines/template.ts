/** Returns the items of a template text: its lines without list markers, empty lines left out. */
export function parseTemplate(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/^\s*[-*+]\s+(\[[ xX]\]\s*)?/, '').trim())
    .filter(Boolean);
}
