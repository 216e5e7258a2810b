const version = '716f58e5';
const files = ["/assets/ArrangeCards-D4RjVUhF.css","/assets/ArrangeCards-DNz-AKn4.js","/assets/BarChart-D0VdNX9A.js","/assets/BuyPrices-BwqX2Tt_.js","/assets/ChoiceCard-Bd5mBJhn.js","/assets/ChoiceCard-CNsAWEwW.css","/assets/CodeInput-DvADeFNB.js","/assets/CommandPalette-BFmq4Ipq.js","/assets/CommandPalette-BfyMvO4R.css","/assets/ConflictDialog-BOt9MHc4.js","/assets/ConflictDialog-wcdZ7I8W.css","/assets/ConnectBroker-BWstx59c.css","/assets/ConnectBroker-Br60wiPQ.js","/assets/ConnectionForm-B64hG--A.css","/assets/ConnectionForm-DB6zlfH5.js","/assets/DataTable-B1fxQWnj.js","/assets/DayLogEditor-p02X5uM2.js","/assets/DemoJournal-DIrmoYjI.js","/assets/EditCondition-7ANFi9F7.js","/assets/EditCondition-trOO7QBw.css","/assets/EntryDialog-VeW8M7NC.css","/assets/EntryDialog-eqULLQdI.js","/assets/FilterInput-B-kAtfyC.js","/assets/FilterInput-DgvtF97D.css","/assets/FilterSheet-C0W0iWEh.js","/assets/FirstRun-bWA-v7Yh.css","/assets/FirstRun-pXOvs9-8.js","/assets/MissingRates-BhUY3fs9.js","/assets/MissingRates-CwrBwDp9.css","/assets/MixedCurrencies-9MCYkloU.js","/assets/MixedCurrencies-BFhTf0Qz.css","/assets/OfflineDay-BZKgNxF1.js","/assets/OfflineDay-D99NsfzL.css","/assets/PictureDialog-C-TqoFF0.css","/assets/PictureDialog-CxvXGcJw.js","/assets/Positions-C9ATQ6Ni.css","/assets/Positions-DbbaO7is.js","/assets/PriceChart-BqFiCJsU.css","/assets/PriceChart-Cmb0q6ye.js","/assets/Register-C-Rz2u91.js","/assets/Replay-BaXSbW6e.js","/assets/Replay-CXOQ2mMN.css","/assets/ReportCard-DRUVIwF_.css","/assets/ReportCard-DUmzLh2G.js","/assets/Review-5oivCh_E.js","/assets/Review-BQ6NuYHG.css","/assets/RuleResults-ClE9TWTK.js","/assets/RuleResults-kUDMWMsV.css","/assets/Runs-BdBG4QrQ.js","/assets/Runs-kqkf9Wkk.css","/assets/Screen-BDpO_iy9.css","/assets/Screen-BFKtOjTT.css","/assets/Screen-BGYXy8sk.css","/assets/Screen-BfGsClX9.css","/assets/Screen-Bg2SbkNt.css","/assets/Screen-BnylY2NG.css","/assets/Screen-C056fbii.css","/assets/Screen-CZ2BH-yW.css","/assets/Screen-Cvk5Uqie.css","/assets/Screen-DryvwGCY.css","/assets/Screen-E-Sw4jEF.css","/assets/Screen-N6D0nETz.css","/assets/Screen-Wi0Kbxf4.css","/assets/Screen-XuTmzdpq.css","/assets/Screen-YUviYBBH.css","/assets/Screen-o02xRY8a.css","/assets/Screen-xSQ76_m5.css","/assets/SelectedTrades-C841mbbs.css","/assets/SelectedTrades-qTIURbco.js","/assets/ShareDialog-B67EvheW.css","/assets/ShareDialog-CgdFnkfs.js","/assets/SignIn-BFbTKDzw.js","/assets/SourceForm-BT0NcoTO.js","/assets/SourceForm-DHummNd_.css","/assets/Steps-B1bH1iZB.js","/assets/Steps-cQMnWOjM.css","/assets/TagEffects-0L3FtHzU.js","/assets/TagEffects-BbzoTq8o.css","/assets/Templates-DkgPjhEc.js","/assets/Templates-gA4KaTAu.css","/assets/TradeDrawer-D84zlr3c.js","/assets/TradeDrawer-DX-jiD_v.css","/assets/TradeFills-DFqZM_yC.js","/assets/TradingKey-BueksCby.css","/assets/TradingKey-DYMn3LY-.js","/assets/UndoConflictDialog-Bwnw-b_-.js","/assets/ViewControls-Da4YQ3V1.js","/assets/accounts-BzaVSXpk.js","/assets/admin-DRxn2N3t.js","/assets/base-fyRsdvns.js","/assets/calendar-C7K8ILBM.js","/assets/connections-Du9ii7aC.js","/assets/download-NbD_d1rg.js","/assets/export-DPpSojyr.js","/assets/favicon-1OJO7IKO.svg","/assets/grip-vertical-BRtdVTU5.js","/assets/history-DOgJx1LH.js","/assets/icon-192-2a379d67.png","/assets/icon-512-9949e86d.png","/assets/icon-maskable-a4f40e07.png","/assets/import-DqWjdkXQ.js","/assets/index-CKzsH2fO.css","/assets/index-D0Xs1WC4.js","/assets/inter-latin-Dx4kXJAl.woff2","/assets/manifest-5d606986.webmanifest","/assets/missed-B9_XjSPt.js","/assets/notes-Ch_om2OL.js","/assets/notes-fr7gIy8G.js","/assets/options-wz41ltu6.js","/assets/order-B_2Bz1gY.js","/assets/passwordLength.svelte-BW6XAL3N.js","/assets/phrase-Dzbpw9FW.js","/assets/prices-DMCYoDd2.js","/assets/reports-C27qUxkw.js","/assets/rolldown-runtime-DK3Fl9T5.js","/assets/routines-D6OO6to5.js","/assets/settings-D1GS0kni.js","/assets/setups-CvkUce0q.js","/assets/share-2AML0W6I.js","/assets/shared-BTellq0c.css","/assets/shared-uFKZvMvj.js","/assets/tags-IgYw71da.js","/assets/theme-5bdcd13c.js","/assets/today-MbAvKqa-.css","/assets/today-ao4KpEU9.js","/assets/trades-uYPG29OH.js"];
// The service worker: keeps the page's own files, so that the page opens without the server. Answers of the API
// never pass through it. `version` and `files` come from the build (vite.config.ts).
/* global version, files */

const name = `fillbook-${version}`;

self.addEventListener('install', (event) => {
  event.waitUntil(
    caches.open(name).then(async (cache) => {
      await cache.addAll(['/', ...files]);
      await self.skipWaiting(); // the page decides itself when to reload: see lib/pageVersion.svelte.ts
    }),
  );
});

self.addEventListener('activate', (event) => {
  event.waitUntil(
    caches.keys().then(async (names) => {
      await Promise.all(names.filter((n) => n !== name).map((n) => caches.delete(n)));
      await self.clients.claim();
    }),
  );
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== self.location.origin) return;
  if (pathname.startsWith('/assets/')) event.respondWith(fromCache(request));
  else if (request.mode === 'navigate' && !/^\/(api|docs|guide)\b/.test(pathname))
    event.respondWith(fetch(request).catch(() => openCached('/')));
});

// Files are named after their content, so a kept one is never old.
async function fromCache(request) {
  return (await caches.match(request)) ?? fetch(request);
}

async function openCached(path) {
  return (await caches.match(path)) ?? Response.error();
}
