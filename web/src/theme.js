// Runs before the first paint, as a plain script of its own file: a reader who
// chose a theme never sees the other one flash by. The choice is a copy of the
// stored preference; src/lib/theme.ts keeps it.
(function () {
  try {
    var chosen = localStorage.getItem('fillbook.theme');
    if (chosen === 'dark' || chosen === 'light') document.documentElement.dataset.theme = chosen;
  } catch {
    // No storage: the page follows the system.
  }
})();
