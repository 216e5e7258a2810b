const version = 'c4d8c9fb';
const files = ["/assets/ArrangeCards-D4RjVUhF.css","/assets/ArrangeCards-ScLvMswm.js","/assets/BarChart-Dp6jUmRk.js","/assets/BuyPrices-HJAX2dDl.js","/assets/ChoiceCard-Bf_pHeu6.js","/assets/ChoiceCard-CNsAWEwW.css","/assets/CodeInput-C4S3rVdc.js","/assets/CommandPalette-BfyMvO4R.css","/assets/CommandPalette-vpdxY55L.js","/assets/ConflictDialog-T_uMDgDy.js","/assets/ConflictDialog-wcdZ7I8W.css","/assets/ConnectBroker-BWstx59c.css","/assets/ConnectBroker-CVEh0okA.js","/assets/ConnectionForm-B64hG--A.css","/assets/ConnectionForm-DpC2MLLL.js","/assets/DataTable-DwU6q3JJ.js","/assets/DayLogEditor-DpEXq7ag.js","/assets/DemoJournal-CnW3I7cP.js","/assets/EditCondition-2Krvu1yd.js","/assets/EditCondition-trOO7QBw.css","/assets/EntryDialog-BOTFI9GD.js","/assets/EntryDialog-VeW8M7NC.css","/assets/FilterInput-BU8NJ7gG.js","/assets/FilterInput-DgvtF97D.css","/assets/FilterSheet-l-tSZfuN.js","/assets/FirstRun-B-OadpDd.js","/assets/FirstRun-bWA-v7Yh.css","/assets/LinesChart-Bo6yVHzn.css","/assets/LinesChart-n5O7gUln.js","/assets/MissingRates-BYprLsnu.js","/assets/MissingRates-CwrBwDp9.css","/assets/MixedCurrencies-BFhTf0Qz.css","/assets/MixedCurrencies-t3ofjDy4.js","/assets/OfflineDay-BK7t3hjb.js","/assets/OfflineDay-D99NsfzL.css","/assets/PictureDialog-BHsTqXRV.js","/assets/PictureDialog-C-TqoFF0.css","/assets/Positions-ccEiSPKU.css","/assets/Positions-oOx3FMWY.js","/assets/PriceChart-BTmLN7rH.js","/assets/PriceChart-BqFiCJsU.css","/assets/Register-DveZtTAW.js","/assets/Replay-CXOQ2mMN.css","/assets/Replay-Clwdhor_.js","/assets/ReportCard-CxA4Wqcq.js","/assets/ReportCard-DRUVIwF_.css","/assets/Review-BQ6NuYHG.css","/assets/Review-CR8ugnHl.js","/assets/RuleResults-CsZTQars.js","/assets/RuleResults-kUDMWMsV.css","/assets/Runs-C68HvPVr.js","/assets/Runs-kqkf9Wkk.css","/assets/Screen-BAwYBm3g.css","/assets/Screen-BDpO_iy9.css","/assets/Screen-BFKtOjTT.css","/assets/Screen-BGYXy8sk.css","/assets/Screen-BfGsClX9.css","/assets/Screen-Bg2SbkNt.css","/assets/Screen-BnylY2NG.css","/assets/Screen-C056fbii.css","/assets/Screen-CZ2BH-yW.css","/assets/Screen-Cvk5Uqie.css","/assets/Screen-Dl2k9RTw.css","/assets/Screen-E-Sw4jEF.css","/assets/Screen-N6D0nETz.css","/assets/Screen-Wi0Kbxf4.css","/assets/Screen-XuTmzdpq.css","/assets/Screen-YUviYBBH.css","/assets/Screen-edjujnZi.css","/assets/Screen-hphZJRDP.css","/assets/Screen-o02xRY8a.css","/assets/Screen-xSQ76_m5.css","/assets/Screen-y4TKK5aA.css","/assets/SelectedTrades-C841mbbs.css","/assets/SelectedTrades-zX9qyZv-.js","/assets/ShareDialog-B67EvheW.css","/assets/ShareDialog-BsvbgEgh.js","/assets/SignIn-D0l_d0vj.js","/assets/SourceForm-DHummNd_.css","/assets/SourceForm-Dir7RW__.js","/assets/Steps-D24hqBgQ.js","/assets/Steps-cQMnWOjM.css","/assets/TagEffects-BbzoTq8o.css","/assets/TagEffects-Drelz-SP.js","/assets/Templates-gA4KaTAu.css","/assets/Templates-scc2B7Ds.js","/assets/TradeDrawer-BTfGht2V.js","/assets/TradeDrawer-DX-jiD_v.css","/assets/TradeFills-BwDXMzmr.js","/assets/TradingKey-BueksCby.css","/assets/TradingKey-SJozNcXC.js","/assets/UndoConflictDialog-1S3lfP6J.js","/assets/ViewControls-DolheK4Y.js","/assets/accounts-bfiCRzDH.js","/assets/actions-K72G4f6i.js","/assets/admin-BAi-BpF_.js","/assets/base-BlnNZ-n8.js","/assets/calendar-CH0jKSot.js","/assets/connections-gzYnN7PY.js","/assets/download-Bk7oJy5J.js","/assets/export-Botmjbn6.js","/assets/favicon-1OJO7IKO.svg","/assets/grip-vertical-g0iC75es.js","/assets/history-BiOwcnBs.js","/assets/icon-192-2a379d67.png","/assets/icon-512-9949e86d.png","/assets/icon-maskable-a4f40e07.png","/assets/import-BAC8LNam.js","/assets/index-CKzsH2fO.css","/assets/index-fQc04CuO.js","/assets/inter-latin-Dx4kXJAl.woff2","/assets/manifest-5d606986.webmanifest","/assets/missed-B3vSPCzf.js","/assets/notes-CTEJLO-n.js","/assets/notes-snoS-NQk.js","/assets/options-B8kpXZS7.js","/assets/options-wz41ltu6.js","/assets/order-B_2Bz1gY.js","/assets/passwordLength.svelte-D-2aJ4Pu.js","/assets/prices-DIkMWU5G.js","/assets/programs-o8XmbS2t.js","/assets/reports-B7GR4hHP.js","/assets/rolldown-runtime-DK3Fl9T5.js","/assets/routines-BpARghQC.js","/assets/rules-CMDxySkK.js","/assets/settings-D_NICBYh.js","/assets/setups-OhqDafzZ.js","/assets/share-n9R4V6SG.js","/assets/shared-CMdo8jnv.js","/assets/shared-CtGsnBKV.css","/assets/tags-Bbolvo2D.js","/assets/theme-5bdcd13c.js","/assets/today-DaIAz-8p.css","/assets/today-DfIG8QjR.js","/assets/trades-B335EQio.js","/assets/weekdays-mb3WjN7W.js"];
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
