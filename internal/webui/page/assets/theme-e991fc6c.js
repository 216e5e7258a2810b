// Sets the theme before the first paint, so the other theme never flashes. It
// reads the copy of the preference that src/lib/theme.ts stores.
(function () {
  try {
    var chosen = localStorage.getItem('fillbook.theme');
    if (chosen === 'dark' || chosen === 'light') document.documentElement.dataset.theme = chosen;
  } catch {
    // No storage: the page follows the system.
  }
})();
