// Sets the theme and the colors before the first paint, so others never flash. It
// reads the copies of the preferences that src/lib/theme.ts stores.
(function () {
  try {
    var chosen = localStorage.getItem('fillbook.theme');
    if (chosen === 'dark' || chosen === 'light') document.documentElement.dataset.theme = chosen;
    if (localStorage.getItem('fillbook.colors') === 'green-red')
      document.documentElement.dataset.colors = 'green-red';
  } catch {
    // No storage: the page follows the system.
  }
})();
