// Sets the theme on <html>, and stores a copy that src/theme.js reads before the
// first paint of the next visit.

export type Theme = 'system' | 'light' | 'dark';

export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  localStorage.setItem('fillbook.theme', theme);
}

export function storedTheme(): Theme {
  const stored = localStorage.getItem('fillbook.theme');
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}
