const version = '062ba6e4';
const files = ["/assets/ArrangeCards-CKRi0n7G.js","/assets/ArrangeCards-D4RjVUhF.css","/assets/BarChart-BMbYtrV_.js","/assets/BuyPrices-BzFGPEyJ.js","/assets/ChoiceCard-CNsAWEwW.css","/assets/ChoiceCard-DUwLFxJ2.js","/assets/CodeInput-Cmmzoj4L.js","/assets/CommandPalette-Bbw2dAXN.js","/assets/CommandPalette-BfyMvO4R.css","/assets/ConflictDialog-BX7_7Yf9.js","/assets/ConflictDialog-wcdZ7I8W.css","/assets/ConnectBroker-BWstx59c.css","/assets/ConnectBroker-_Y8L9Zql.js","/assets/ConnectionForm-B64hG--A.css","/assets/ConnectionForm-CGWVl2kY.js","/assets/DataTable-B9qXtHWO.js","/assets/DayLogEditor-CVSFCJe0.js","/assets/DemoJournal-CgyBJuDj.js","/assets/EditCondition-BE61oNa9.js","/assets/EditCondition-trOO7QBw.css","/assets/EntryDialog-D0AT3H_p.js","/assets/EntryDialog-VeW8M7NC.css","/assets/FilterInput-BbERUi55.js","/assets/FilterInput-DgvtF97D.css","/assets/FilterSheet-Dur_f5Ao.js","/assets/FirstRun-B7U6eDBO.js","/assets/FirstRun-bWA-v7Yh.css","/assets/OfflineDay-B2bsW8vh.js","/assets/OfflineDay-D99NsfzL.css","/assets/PictureDialog-C-TqoFF0.css","/assets/PictureDialog-DsTW-Hec.js","/assets/Positions-BwCR1CLh.js","/assets/Positions-C9ATQ6Ni.css","/assets/PriceChart-BqFiCJsU.css","/assets/PriceChart-CgjywG6-.js","/assets/Register-3EFGXyg_.js","/assets/Replay-CXOQ2mMN.css","/assets/Replay-oTc43Y-q.js","/assets/ReportCard-DRUVIwF_.css","/assets/ReportCard-sCvDo7F4.js","/assets/Review--yEWnvnJ.js","/assets/Review-BQ6NuYHG.css","/assets/RuleResults-BCFWXmai.js","/assets/RuleResults-kUDMWMsV.css","/assets/Runs-Cenuy3eg.js","/assets/Runs-kqkf9Wkk.css","/assets/Screen-BDpO_iy9.css","/assets/Screen-BFKtOjTT.css","/assets/Screen-BGYXy8sk.css","/assets/Screen-BfGsClX9.css","/assets/Screen-Bg2SbkNt.css","/assets/Screen-BnylY2NG.css","/assets/Screen-C056fbii.css","/assets/Screen-CZ2BH-yW.css","/assets/Screen-Cvk5Uqie.css","/assets/Screen-DryvwGCY.css","/assets/Screen-E-Sw4jEF.css","/assets/Screen-N6D0nETz.css","/assets/Screen-Wi0Kbxf4.css","/assets/Screen-XuTmzdpq.css","/assets/Screen-YUviYBBH.css","/assets/Screen-o02xRY8a.css","/assets/Screen-xSQ76_m5.css","/assets/SelectedTrades-C841mbbs.css","/assets/SelectedTrades-U-yxaPYe.js","/assets/ShareDialog-B67EvheW.css","/assets/ShareDialog-Dp0_SLFn.js","/assets/SignIn-CtPj1BXv.js","/assets/SourceForm-CtAH1Q2J.js","/assets/SourceForm-DHummNd_.css","/assets/Steps-CdolvShE.js","/assets/Steps-cQMnWOjM.css","/assets/TagEffects-BbzoTq8o.css","/assets/TagEffects-CqJQXQVA.js","/assets/Templates-CsnqJ1QI.js","/assets/Templates-gA4KaTAu.css","/assets/TradeDrawer-BvvimHIb.js","/assets/TradeDrawer-DX-jiD_v.css","/assets/TradeFills-GyysKr0Y.js","/assets/TradingKey-BueksCby.css","/assets/TradingKey-DW7EJBbn.js","/assets/UndoConflictDialog-Cr9yLRdn.js","/assets/ViewControls-h48HAhhL.js","/assets/accounts-m_tHu8ox.js","/assets/admin-pB6-H_12.js","/assets/base-bdkrk4L2.js","/assets/calendar-CLxchcre.js","/assets/connections-x2Qq92S-.js","/assets/download-Crxr6UnN.js","/assets/export-nBoDcfe0.js","/assets/favicon-1OJO7IKO.svg","/assets/grip-vertical-ECAcC04s.js","/assets/history-Chz97mga.js","/assets/icon-192-2a379d67.png","/assets/icon-512-9949e86d.png","/assets/icon-maskable-a4f40e07.png","/assets/import-BKSYoIs2.js","/assets/index-D--rGeOH.css","/assets/index-DWGuOC2E.js","/assets/inter-latin-Dx4kXJAl.woff2","/assets/manifest-5d606986.webmanifest","/assets/missed-V-wqT-Du.js","/assets/notes-Bt7rsarQ.js","/assets/notes-CFhNyBfO.js","/assets/options-wz41ltu6.js","/assets/order-B_2Bz1gY.js","/assets/passwordLength.svelte-CgaoGbnY.js","/assets/phrase-BciMtgSn.js","/assets/prices-DuYeYUQv.js","/assets/reports-BPSJdv9g.js","/assets/rolldown-runtime-DK3Fl9T5.js","/assets/routines-DFuI0WrU.js","/assets/settings-AEF6rZMl.js","/assets/setups-D6uQm2PU.js","/assets/share-yAnTwWOk.js","/assets/shared-BNK1y4PR.js","/assets/shared-BTellq0c.css","/assets/tags-Ce9KconF.js","/assets/theme-5bdcd13c.js","/assets/today-DAtF6HSX.js","/assets/today-MbAvKqa-.css","/assets/trades-xPgdJGeg.js"];
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
