const version = 'ff524470';
const files = ["/assets/AlertPanel-CwoiQ3RR.css","/assets/AlertPanel-h_t3pzDB.js","/assets/ArrangeCards-D4RjVUhF.css","/assets/ArrangeCards-DaQKSDYF.js","/assets/BarChart-BtdKAf8_.js","/assets/BuyPrices-n1pZPrad.js","/assets/CandleChart-C5h1kp1q.css","/assets/CandleChart-DvnRtDNx.js","/assets/ChoiceCard-CNsAWEwW.css","/assets/ChoiceCard-CgBNkpGC.js","/assets/CodeInput-lH2TV6fI.js","/assets/CommandPalette-B8JS8tJX.js","/assets/CommandPalette-BfyMvO4R.css","/assets/ConflictDialog-OO38VDdg.js","/assets/ConflictDialog-wcdZ7I8W.css","/assets/ConnectApp-DGODsFWL.css","/assets/ConnectApp-DZ10XNI8.js","/assets/ConnectBroker--dWlk2YU.js","/assets/ConnectBroker-BWstx59c.css","/assets/ConnectionForm-B64hG--A.css","/assets/ConnectionForm-DbJCf6xN.js","/assets/DataTable-DDk91Vnp.js","/assets/DayLogEditor-mySXNlks.js","/assets/DemoJournal-0EhVPR9K.js","/assets/EditCondition-CvLHjCuA.js","/assets/EditCondition-trOO7QBw.css","/assets/EntryDialog-BR-ipUT7.js","/assets/EntryDialog-CveI9Be2.css","/assets/FilterInput-B2Q0GZz1.js","/assets/FilterInput-DgvtF97D.css","/assets/FilterSheet-B_G6tuVh.js","/assets/FirstRun-bWA-v7Yh.css","/assets/FirstRun-oUuH96TV.js","/assets/GroupResults-0qq5W9Ga.css","/assets/GroupResults-Cama4_C9.js","/assets/HelpDialog-DU9xPV_l.js","/assets/HelpDialog-UCZRNqpj.css","/assets/Limits-BIxILTjE.css","/assets/Limits-DIt1Zh7u.js","/assets/LinesChart-84jHD_nm.js","/assets/LinesChart-Bo6yVHzn.css","/assets/MissingRates-4Cj0eEim.js","/assets/MissingRates-CwrBwDp9.css","/assets/MixedCurrencies-BFhTf0Qz.css","/assets/MixedCurrencies-CJOLj-_B.js","/assets/OfflineDay-D99NsfzL.css","/assets/OfflineDay-DDx6czw3.js","/assets/PictureDialog-C-TqoFF0.css","/assets/PictureDialog-C9JSP2Rg.js","/assets/Positions-ccEiSPKU.css","/assets/Positions-rHILAorb.js","/assets/PriceChart-B9YVnaU6.css","/assets/PriceChart-CS87PCtd.js","/assets/Register-Bm6Uajs9.js","/assets/Replay-BAD0I3zG.js","/assets/Replay-CXOQ2mMN.css","/assets/ReportCard-DRUVIwF_.css","/assets/ReportCard-DWE2Lp5X.js","/assets/Review-BQ6NuYHG.css","/assets/Review-K0_etaFy.js","/assets/RuleResults-D_1NeDjd.js","/assets/RuleResults-kUDMWMsV.css","/assets/Runs-2OuT9aZj.js","/assets/Runs-I2Z-Wtv0.css","/assets/Screen-BDpO_iy9.css","/assets/Screen-BFKtOjTT.css","/assets/Screen-BGYXy8sk.css","/assets/Screen-BfGsClX9.css","/assets/Screen-Bg2SbkNt.css","/assets/Screen-BrsZimG7.css","/assets/Screen-C-EE9g6c.css","/assets/Screen-C056fbii.css","/assets/Screen-CGMTDuYO.css","/assets/Screen-CZ2BH-yW.css","/assets/Screen-Cvk5Uqie.css","/assets/Screen-CxrD0ALA.css","/assets/Screen-DAXrT0FL.css","/assets/Screen-DFpKUX-y.css","/assets/Screen-XuTmzdpq.css","/assets/Screen-YUviYBBH.css","/assets/Screen-hphZJRDP.css","/assets/Screen-o02xRY8a.css","/assets/Screen-t45Omi-C.css","/assets/Screen-tsMuX7kQ.css","/assets/Screen-vSnOm4ov.css","/assets/SelectedTrades-C841mbbs.css","/assets/SelectedTrades-DRI-8e8G.js","/assets/ShareDialog-B67EvheW.css","/assets/ShareDialog-Bal2soLL.js","/assets/SignIn-mD9zLsGn.js","/assets/SourceForm-CM3y1B_4.js","/assets/SourceForm-DHummNd_.css","/assets/StackedCharts-BcIqbfQu.css","/assets/StackedCharts-Dl0B7wji.js","/assets/Standing-CPYmCedH.css","/assets/Standing-DxgIxV06.js","/assets/Steps-D_ooDmn5.js","/assets/Steps-cQMnWOjM.css","/assets/TagEffects-BbzoTq8o.css","/assets/TagEffects-BryNvv6V.js","/assets/Templates-75KndymX.js","/assets/Templates-gA4KaTAu.css","/assets/TradeDrawer-BRd0-tVS.js","/assets/TradeDrawer-DX-jiD_v.css","/assets/TradeFills-BhYsjoBK.js","/assets/TradingKey-BueksCby.css","/assets/TradingKey-CNU0xL6f.js","/assets/UndoConflictDialog-Cm9aT0_c.js","/assets/ViewControls-CGFk7RS8.js","/assets/accounts-DmOwwzqZ.js","/assets/actions-6NS4SchC.js","/assets/admin-C0mz6thK.js","/assets/alerts-DQhWsZCQ.js","/assets/base-K-I07dc2.js","/assets/calendar-BCbSwZEF.js","/assets/connections-dXCCLOoT.js","/assets/download-C0s3tOH9.js","/assets/export-wX-p_-F4.js","/assets/favicon-1OJO7IKO.svg","/assets/grip-vertical-DxMMal_I.js","/assets/history-B8crTbH-.js","/assets/icon-192-2a379d67.png","/assets/icon-512-9949e86d.png","/assets/icon-maskable-a4f40e07.png","/assets/import-hgJfgmQT.js","/assets/index-B4XAvEK5.css","/assets/index-klzM5twY.js","/assets/inter-latin-l50pdHVL.woff2","/assets/manifest-5d606986.webmanifest","/assets/missed-mODWryWu.js","/assets/notes-Bcc8gXKW.js","/assets/notes-ghTM6Wo4.js","/assets/options-CvUatkzg.js","/assets/options-wz41ltu6.js","/assets/order-B_2Bz1gY.js","/assets/passwordLength.svelte-dSfai7dk.js","/assets/prices-ywGg25PM.js","/assets/programs-BlnnmXBL.js","/assets/reports-CRP07LdO.js","/assets/routines-CEoUXpKt.js","/assets/rules-BfGoXM9q.js","/assets/settings-BjeQ3xXx.js","/assets/setups-CzdlHPKo.js","/assets/share-CWbYpQ-2.js","/assets/shared-CFdOWllT.css","/assets/shared-zGlr60xu.js","/assets/symbols-3TC9wj1j.js","/assets/tags-DlGFwPYw.js","/assets/theme-5bdcd13c.js","/assets/tokenScopes-CZd3Inlf.js","/assets/trades-u8qydyTh.js","/assets/weekdays-D1T-w9UO.js"];
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
