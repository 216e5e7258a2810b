// Registers the service worker, which keeps the files of the page so that it opens without the server.

/** Registers the worker. The page's policy requires a trusted address, and this policy knows only one. */
export function registerWorker(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  const address = '/sw.js';
  const trusted =
    (window as unknown as TrustedWindow).trustedTypes
      ?.createPolicy('fillbook-worker', {
        createScriptURL: (url: string) => (url === address ? url : ''),
      })
      .createScriptURL(address) ?? address;
  // Without https, or in a private window, there is no worker, and the page works as before.
  void navigator.serviceWorker.register(trusted as string).catch(() => undefined);
}

interface TrustedWindow {
  trustedTypes?: {
    createPolicy: (
      name: string,
      rules: { createScriptURL: (url: string) => string },
    ) => { createScriptURL: (url: string) => unknown };
  };
}
