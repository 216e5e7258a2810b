// The last opened day as text, kept in this browser so that it can be read without the server. It is removed when the
// user signs out. Amounts that are hidden are hidden in it too.

const key = 'fillbook.day';

export interface OfflineDay {
  at: string; // when it was kept, RFC 3339
  title: string;
  figures: [label: string, value: string][];
  trades: { name: string; result: string; r: string }[];
  notes: { title: string; body: string }[];
}

export function keepDay(day: OfflineDay): void {
  try {
    localStorage.setItem(key, JSON.stringify(day));
  } catch {
    localStorage.removeItem(key); // no room: an older day would be misleading
  }
}

export function readKeptDay(): OfflineDay | null {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null') as OfflineDay | null;
  } catch {
    return null;
  }
}

export function forgetDay(): void {
  localStorage.removeItem(key);
}
