// Sets the theme and the colors of gain and loss on <html>, and stores copies that src/theme.js reads before
// the first paint of the next visit.

export type Theme = 'system' | 'light' | 'dark';

/** The colors of gain and loss. */
export type Colors = 'blue-orange' | 'green-red';

export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  localStorage.setItem('fillbook.theme', theme);
}

export function applyColors(colors: Colors): void {
  if (colors === 'blue-orange') delete document.documentElement.dataset.colors;
  else document.documentElement.dataset.colors = colors;
  localStorage.setItem('fillbook.colors', colors);
}

/** Sets the height of table rows. */
export function applyDensity(isCompact: boolean): void {
  if (isCompact) document.documentElement.dataset.density = 'compact';
  else delete document.documentElement.dataset.density;
}

export function storedTheme(): Theme {
  const stored = localStorage.getItem('fillbook.theme');
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}
