const version = '8889677a';
const files = ["/assets/AlertPanel-CwoiQ3RR.css","/assets/AlertPanel-nxYe8Myl.js","/assets/ArrangeCards-D4RjVUhF.css","/assets/ArrangeCards-DXnZHpfw.js","/assets/BarChart-Bw9GMR3Q.js","/assets/BuyPrices-CBFxO71J.js","/assets/CandleChart-BFnfdLuX.js","/assets/CandleChart-C5h1kp1q.css","/assets/ChoiceCard-CNsAWEwW.css","/assets/ChoiceCard-CTypSxUc.js","/assets/CodeInput-DBx938af.js","/assets/CommandPalette-BfyMvO4R.css","/assets/CommandPalette-DetyTqWy.js","/assets/ConflictDialog-BE7JI4fx.js","/assets/ConflictDialog-wcdZ7I8W.css","/assets/ConnectApp-DGODsFWL.css","/assets/ConnectApp-DwQUewdq.js","/assets/ConnectBroker-2zBTrhRQ.js","/assets/ConnectBroker-BWstx59c.css","/assets/ConnectionForm-B64hG--A.css","/assets/ConnectionForm-xIkXrmPz.js","/assets/DataTable-BczS158a.js","/assets/DayLogEditor-kZes9HOb.js","/assets/DemoJournal-FC8OONXD.js","/assets/EditCondition-BoDBrtWQ.js","/assets/EditCondition-trOO7QBw.css","/assets/EntryDialog-CveI9Be2.css","/assets/EntryDialog-FqB0EbZp.js","/assets/FilterInput-DgvtF97D.css","/assets/FilterInput-oIbRZ2gS.js","/assets/FilterSheet-DQzEOfxJ.js","/assets/FirstRun-VmzGd9rn.js","/assets/FirstRun-bWA-v7Yh.css","/assets/GroupResults-0qq5W9Ga.css","/assets/GroupResults-EQF6hZzM.js","/assets/HelpDialog-DPen8wX3.js","/assets/HelpDialog-UCZRNqpj.css","/assets/Limits-BIxILTjE.css","/assets/Limits-BZjypO72.js","/assets/LinesChart-BaChRC8H.js","/assets/LinesChart-Bo6yVHzn.css","/assets/MissingRates-CwrBwDp9.css","/assets/MissingRates-DagTODqK.js","/assets/MixedCurrencies-BFhTf0Qz.css","/assets/MixedCurrencies-BYm6icqM.js","/assets/OfflineDay-D99NsfzL.css","/assets/OfflineDay-DfSTyqtK.js","/assets/PictureDialog-C-TqoFF0.css","/assets/PictureDialog-DBIww4lC.js","/assets/Positions-B7T75iMA.js","/assets/Positions-ccEiSPKU.css","/assets/PriceChart-B9YVnaU6.css","/assets/PriceChart-Cb8ye1AL.js","/assets/Register-d9zQnJX-.js","/assets/Replay-Bn7y_Qvh.js","/assets/Replay-CXOQ2mMN.css","/assets/ReportCard-BaLrqNWb.js","/assets/ReportCard-DRUVIwF_.css","/assets/Review-BQ6NuYHG.css","/assets/Review-DX0xpdnt.js","/assets/RuleResults-Ck9Euur6.js","/assets/RuleResults-kUDMWMsV.css","/assets/Runs-CsR3FI6j.js","/assets/Runs-I2Z-Wtv0.css","/assets/Screen-BDpO_iy9.css","/assets/Screen-BFKtOjTT.css","/assets/Screen-BGYXy8sk.css","/assets/Screen-BfGsClX9.css","/assets/Screen-Bg2SbkNt.css","/assets/Screen-BrsZimG7.css","/assets/Screen-C-EE9g6c.css","/assets/Screen-C056fbii.css","/assets/Screen-CGMTDuYO.css","/assets/Screen-CZ2BH-yW.css","/assets/Screen-Cvk5Uqie.css","/assets/Screen-CxrD0ALA.css","/assets/Screen-DAXrT0FL.css","/assets/Screen-DFpKUX-y.css","/assets/Screen-XuTmzdpq.css","/assets/Screen-YUviYBBH.css","/assets/Screen-hphZJRDP.css","/assets/Screen-o02xRY8a.css","/assets/Screen-t45Omi-C.css","/assets/Screen-tsMuX7kQ.css","/assets/Screen-vSnOm4ov.css","/assets/SelectedTrades-C6mrHgRX.js","/assets/SelectedTrades-C841mbbs.css","/assets/ShareDialog-B67EvheW.css","/assets/ShareDialog-D0TdF0Le.js","/assets/SignIn-CdG8s5Mm.js","/assets/SourceForm-DHummNd_.css","/assets/SourceForm-DkPNPq2D.js","/assets/StackedCharts-BcIqbfQu.css","/assets/StackedCharts-H9iUGJO0.js","/assets/Standing-C8fVkxMO.js","/assets/Standing-CPYmCedH.css","/assets/Steps-BaziyoHB.js","/assets/Steps-cQMnWOjM.css","/assets/TagEffects-BbzoTq8o.css","/assets/TagEffects-DQo233ng.js","/assets/Templates-DfZ5TiE1.js","/assets/Templates-gA4KaTAu.css","/assets/TradeDrawer-DCO_ipkW.js","/assets/TradeDrawer-DX-jiD_v.css","/assets/TradeFills-BRZ97ZwT.js","/assets/TradingKey-B406sDrR.js","/assets/TradingKey-BueksCby.css","/assets/UndoConflictDialog-DKa8khGd.js","/assets/ViewControls-DAEUZv0q.js","/assets/accounts-AFqBa2JI.js","/assets/actions-CChSzruF.js","/assets/admin-HrmACYEN.js","/assets/alerts-DQhWsZCQ.js","/assets/base-Dh-RCXxF.js","/assets/calendar-CCE2k381.js","/assets/connections-BeE1mdPQ.js","/assets/download-D4kkzgnv.js","/assets/export-ARuh6jp4.js","/assets/favicon-1OJO7IKO.svg","/assets/grip-vertical-BA6gegP4.js","/assets/history-eYH6BHh8.js","/assets/icon-192-2a379d67.png","/assets/icon-512-9949e86d.png","/assets/icon-maskable-a4f40e07.png","/assets/import-CSmkLOY5.js","/assets/index-B4XAvEK5.css","/assets/index-CYf8l2fA.js","/assets/inter-latin-l50pdHVL.woff2","/assets/manifest-5d606986.webmanifest","/assets/missed-B3qV-KF7.js","/assets/notes-CPLGVFgs.js","/assets/notes-DyFSL-CP.js","/assets/options-CPLg0LCS.js","/assets/options-wz41ltu6.js","/assets/order-B_2Bz1gY.js","/assets/passwordLength.svelte-kWVPiJyi.js","/assets/prices-ByLMIllq.js","/assets/programs-GtH2xQQV.js","/assets/reports-BmLOgXjs.js","/assets/routines-C6ZQpP8m.js","/assets/rules-DL6C-dsI.js","/assets/settings-_Wya__Vz.js","/assets/setups-CpOrXrIn.js","/assets/share-CdtzlmxO.js","/assets/shared-CFdOWllT.css","/assets/shared-Ckrma6hS.js","/assets/symbols-CM-umxM2.js","/assets/tags-DgL59Ccs.js","/assets/theme-5bdcd13c.js","/assets/tokenScopes-BYyYKVzR.js","/assets/trades-BmGWLCEM.js","/assets/weekdays-CPupAv7u.js"];
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
