const version = '5460cc4a';
const files = ["/assets/ArrangeCards-CpEebLgR.js","/assets/ArrangeCards-D4RjVUhF.css","/assets/BarChart-B0bruMdZ.js","/assets/BuyPrices-C-QvSCxJ.js","/assets/ChoiceCard-CNsAWEwW.css","/assets/ChoiceCard-DxUoy2oK.js","/assets/CodeInput-DHJbaJA0.js","/assets/CommandPalette-BfyMvO4R.css","/assets/CommandPalette-lKOEc_83.js","/assets/ConflictDialog-BsL-GuRF.js","/assets/ConflictDialog-wcdZ7I8W.css","/assets/ConnectBroker-BHmNvA4b.js","/assets/ConnectBroker-BWstx59c.css","/assets/ConnectionForm-B64hG--A.css","/assets/ConnectionForm-D6hptKOw.js","/assets/DataTable-eyTJjYUw.js","/assets/DayLogEditor-DnmbRzDI.js","/assets/DemoJournal-Cw56tHX1.js","/assets/EditCondition-trOO7QBw.css","/assets/EditCondition-w3bZBLAC.js","/assets/EntryDialog-BHPg41k9.js","/assets/EntryDialog-VeW8M7NC.css","/assets/FilterInput-DgvtF97D.css","/assets/FilterInput-Tg4usFud.js","/assets/FilterSheet-CDpI3qN2.js","/assets/FirstRun-BZNX6kYK.js","/assets/FirstRun-bWA-v7Yh.css","/assets/OfflineDay-D99NsfzL.css","/assets/OfflineDay-DjtQl6x6.js","/assets/PictureDialog-BpawPKHK.js","/assets/PictureDialog-C-TqoFF0.css","/assets/Positions-C9ATQ6Ni.css","/assets/Positions-g7zch8i4.js","/assets/PriceChart-BqFiCJsU.css","/assets/PriceChart-CP0Vffx4.js","/assets/Register-mMu0Uhue.js","/assets/Replay-CXOQ2mMN.css","/assets/Replay-DnaVrdnM.js","/assets/ReportCard-BLZNdn2u.js","/assets/ReportCard-CPDBZGva.css","/assets/Review-BQ6NuYHG.css","/assets/Review-jyWAHSZw.js","/assets/RuleResults-BUUllRy_.js","/assets/RuleResults-kUDMWMsV.css","/assets/Runs-BiDh24_1.js","/assets/Runs-kqkf9Wkk.css","/assets/Screen-BDpO_iy9.css","/assets/Screen-BFKtOjTT.css","/assets/Screen-BGYXy8sk.css","/assets/Screen-BHJaDf2S.css","/assets/Screen-BQAhMu9P.css","/assets/Screen-BfGsClX9.css","/assets/Screen-Bg2SbkNt.css","/assets/Screen-BnylY2NG.css","/assets/Screen-C056fbii.css","/assets/Screen-CZ2BH-yW.css","/assets/Screen-Cvk5Uqie.css","/assets/Screen-DryvwGCY.css","/assets/Screen-E-Sw4jEF.css","/assets/Screen-XuTmzdpq.css","/assets/Screen-YUviYBBH.css","/assets/Screen-o02xRY8a.css","/assets/Screen-xSQ76_m5.css","/assets/SelectedTrades-C841mbbs.css","/assets/SelectedTrades-izmnGp10.js","/assets/ShareDialog-B67EvheW.css","/assets/ShareDialog-CVZrvP38.js","/assets/SignIn-0sO5m3tz.js","/assets/SourceForm-CFmOHLCf.js","/assets/SourceForm-DHummNd_.css","/assets/Steps-DGJrU8sO.js","/assets/Steps-cQMnWOjM.css","/assets/TagEffects-BbzoTq8o.css","/assets/TagEffects-BsIOYnIO.js","/assets/Templates-Dfb2l6in.js","/assets/Templates-gA4KaTAu.css","/assets/TradeDrawer-5tVRvF4Q.js","/assets/TradeDrawer-DX-jiD_v.css","/assets/TradeFills-CkqCKhy6.js","/assets/TradingKey-BueksCby.css","/assets/TradingKey-C0VwrS2b.js","/assets/UndoConflictDialog-glbw4LFi.js","/assets/ViewControls-miyvdtQN.js","/assets/accounts-BtyA5T19.js","/assets/admin-CUP9dEYW.js","/assets/base--z2phykM.js","/assets/calendar-CA0iEHBm.js","/assets/connections-CLwh6KQF.js","/assets/download-Cup2xair.js","/assets/export-CqIvr-1O.js","/assets/favicon-1OJO7IKO.svg","/assets/grip-vertical-DG9LcRrP.js","/assets/history-CBuY023O.js","/assets/icon-192-2a379d67.png","/assets/icon-512-9949e86d.png","/assets/icon-maskable-a4f40e07.png","/assets/import-ibbza6fk.js","/assets/index-BstM7Sc5.css","/assets/index-DeDD_jLD.js","/assets/inter-latin-Dx4kXJAl.woff2","/assets/manifest-5d606986.webmanifest","/assets/missed-CFu-Ee9o.js","/assets/notes-B0CEpVEj.js","/assets/notes-Z8q2Zqli.js","/assets/options-wz41ltu6.js","/assets/order-B_2Bz1gY.js","/assets/passwordLength.svelte-BZOZwaVq.js","/assets/phrase-D7WRgwpL.js","/assets/prices-2SgRZLDP.js","/assets/reports-TX3yh0JJ.js","/assets/rolldown-runtime-DK3Fl9T5.js","/assets/routines-CALR88WX.js","/assets/settings-exyu6pWX.js","/assets/setups-BOXkfFzc.js","/assets/share-C_dCJn6L.js","/assets/shared-BTellq0c.css","/assets/shared-hz2PCDwt.js","/assets/tags-DwCDlvuC.js","/assets/theme-5bdcd13c.js","/assets/today-BIi1PdDd.js","/assets/today-MbAvKqa-.css","/assets/trades-DyUoYx7k.js"];
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
