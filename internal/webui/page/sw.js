const version = '3ce37d60';
const files = ["/assets/AlertPanel-CwoiQ3RR.css","/assets/AlertPanel-D0Ctp4q_.js","/assets/ArrangeCards-BQFOF1QJ.js","/assets/ArrangeCards-D4RjVUhF.css","/assets/BarChart-B0BZBIMt.js","/assets/BuyPrices-s2UuryBN.js","/assets/CandleChart-BrAn_64o.js","/assets/CandleChart-C5h1kp1q.css","/assets/ChoiceCard-CNsAWEwW.css","/assets/ChoiceCard-D8jTZGkW.js","/assets/CodeInput-BnTy3bEK.js","/assets/CommandPalette-BfyMvO4R.css","/assets/CommandPalette-h1qI48R7.js","/assets/ConflictDialog-MxEvf6kG.js","/assets/ConflictDialog-wcdZ7I8W.css","/assets/ConnectApp-DGODsFWL.css","/assets/ConnectApp-D_DQiu-t.js","/assets/ConnectBroker-BWstx59c.css","/assets/ConnectBroker-BbEEhXGG.js","/assets/ConnectionForm-B64hG--A.css","/assets/ConnectionForm-Bg742V70.js","/assets/DataTable-BkqqQuay.js","/assets/DayLogEditor-CJBMy5M7.js","/assets/DemoJournal-Btar6e3x.js","/assets/EditCondition-h5GVDhwK.js","/assets/EditCondition-trOO7QBw.css","/assets/EntryDialog-CveI9Be2.css","/assets/EntryDialog-DfI0MgsZ.js","/assets/FilterInput-DgvtF97D.css","/assets/FilterInput-eBE9-qrQ.js","/assets/FilterSheet-D1DxUGrt.js","/assets/FirstRun-CkMZXG9Y.js","/assets/FirstRun-bWA-v7Yh.css","/assets/GroupResults-0qq5W9Ga.css","/assets/GroupResults-kDXtCNN0.js","/assets/HelpDialog-3Jfc-2Xz.js","/assets/HelpDialog-UCZRNqpj.css","/assets/Limits-BE8vdWNs.js","/assets/Limits-BIxILTjE.css","/assets/LinesChart-Bo6yVHzn.css","/assets/LinesChart-CcWXBeDh.js","/assets/MissingRates-CN3V_gCx.js","/assets/MissingRates-CwrBwDp9.css","/assets/MixedCurrencies-BFhTf0Qz.css","/assets/MixedCurrencies-CLkdjdoN.js","/assets/OfflineDay-D99NsfzL.css","/assets/OfflineDay-DrJWC0Gf.js","/assets/PictureDialog-B4FC8wIN.js","/assets/PictureDialog-C-TqoFF0.css","/assets/Positions-Bwa09DJU.js","/assets/Positions-ccEiSPKU.css","/assets/PriceChart-B9YVnaU6.css","/assets/PriceChart-DVQh7jmM.js","/assets/Register-2ZTdXMl7.js","/assets/Replay-CXOQ2mMN.css","/assets/Replay-iNom1pPA.js","/assets/ReportCard-DRUVIwF_.css","/assets/ReportCard-G0kLvyWZ.js","/assets/Review-BQ6NuYHG.css","/assets/Review-C0Di6I30.js","/assets/RuleResults-Dn8Q8bhK.js","/assets/RuleResults-kUDMWMsV.css","/assets/Runs-CepD0Cji.js","/assets/Runs-I2Z-Wtv0.css","/assets/Screen-BDpO_iy9.css","/assets/Screen-BFKtOjTT.css","/assets/Screen-BGYXy8sk.css","/assets/Screen-BfGsClX9.css","/assets/Screen-Bg2SbkNt.css","/assets/Screen-BrsZimG7.css","/assets/Screen-C-EE9g6c.css","/assets/Screen-C056fbii.css","/assets/Screen-CGMTDuYO.css","/assets/Screen-CZ2BH-yW.css","/assets/Screen-Cvk5Uqie.css","/assets/Screen-CxrD0ALA.css","/assets/Screen-DAXrT0FL.css","/assets/Screen-DFpKUX-y.css","/assets/Screen-XuTmzdpq.css","/assets/Screen-YUviYBBH.css","/assets/Screen-hphZJRDP.css","/assets/Screen-o02xRY8a.css","/assets/Screen-t45Omi-C.css","/assets/Screen-tsMuX7kQ.css","/assets/Screen-vSnOm4ov.css","/assets/SelectedTrades-93gMuKr5.js","/assets/SelectedTrades-C841mbbs.css","/assets/ShareDialog-7ZfaOAkj.js","/assets/ShareDialog-B67EvheW.css","/assets/SignIn-Bm51yh9k.js","/assets/SourceForm-Crufxn_-.js","/assets/SourceForm-DHummNd_.css","/assets/StackedCharts-BcIqbfQu.css","/assets/StackedCharts-CIQ8jYFo.js","/assets/Standing-CPYmCedH.css","/assets/Standing-QkDdCd59.js","/assets/Steps-BQpAMFVw.js","/assets/Steps-cQMnWOjM.css","/assets/TagEffects-BbzoTq8o.css","/assets/TagEffects-BmL0iGlu.js","/assets/Templates-gA4KaTAu.css","/assets/Templates-tgBscHrj.js","/assets/TradeDrawer-DF5AfxbT.js","/assets/TradeDrawer-DX-jiD_v.css","/assets/TradeFills-BD5_akqv.js","/assets/TradingKey-BueksCby.css","/assets/TradingKey-HcPRk-em.js","/assets/UndoConflictDialog-CBueh9UT.js","/assets/ViewControls-CPYui2YC.js","/assets/accounts-DFqWMvCN.js","/assets/actions-B-DB0hN6.js","/assets/admin-DFlPAKsd.js","/assets/alerts-DQhWsZCQ.js","/assets/base-8hu2DwRK.js","/assets/calendar-C29t0KEu.js","/assets/connections-DWN7RY_w.js","/assets/download-DmphC9hq.js","/assets/export-BFSgAi-O.js","/assets/favicon-1OJO7IKO.svg","/assets/grip-vertical-BWW2yQqL.js","/assets/history-CFwnRUFr.js","/assets/icon-192-2a379d67.png","/assets/icon-512-9949e86d.png","/assets/icon-maskable-a4f40e07.png","/assets/import-BUopFU5t.js","/assets/index-B4XAvEK5.css","/assets/index-CY-iP4tg.js","/assets/inter-latin-l50pdHVL.woff2","/assets/manifest-5d606986.webmanifest","/assets/missed-BHGWVhO9.js","/assets/notes-DPhCabgS.js","/assets/notes-xHWV8CNm.js","/assets/options-CO7NV4RL.js","/assets/options-wz41ltu6.js","/assets/order-B_2Bz1gY.js","/assets/passwordLength.svelte-5WwhaRLw.js","/assets/prices-COoH6jxr.js","/assets/programs-BxakpR2U.js","/assets/reports-B7eMTRND.js","/assets/routines-DTY8pzZu.js","/assets/rules-Duv5mDva.js","/assets/settings-PWslz3cL.js","/assets/setups-D5zyOYKb.js","/assets/share-iIQ6Ijyl.js","/assets/shared-CFdOWllT.css","/assets/shared-CFgQKDeX.js","/assets/symbols-DRtNMbbU.js","/assets/tags-Z-iNjgY3.js","/assets/theme-5bdcd13c.js","/assets/tokenScopes-DNLro5CL.js","/assets/trades-BQc4dFhk.js","/assets/weekdays-zAL6fvcX.js"];
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
