const version = '1250bab2';
const files = ["/assets/AlertPanel-CwoiQ3RR.css","/assets/AlertPanel-DEpcFUWf.js","/assets/ArrangeCards-D-dyo7-T.js","/assets/ArrangeCards-D4RjVUhF.css","/assets/BarChart-DILKoeIs.js","/assets/BuyPrices-YDxQbyDs.js","/assets/ChoiceCard-CNsAWEwW.css","/assets/ChoiceCard-DC8kcX23.js","/assets/CodeInput-CNhW6jWl.js","/assets/CommandPalette-BfyMvO4R.css","/assets/CommandPalette-JVDbrRk0.js","/assets/ConflictDialog-D1ry-Arf.js","/assets/ConflictDialog-wcdZ7I8W.css","/assets/ConnectApp-B9uG7wjB.js","/assets/ConnectApp-IeD_PbsN.css","/assets/ConnectBroker-BWstx59c.css","/assets/ConnectBroker-DPc3nuaR.js","/assets/ConnectionForm-B64hG--A.css","/assets/ConnectionForm-PQRGSci1.js","/assets/DataTable-B12pnxYq.js","/assets/DayLogEditor-5isOBis0.js","/assets/DemoJournal-B3LjTHSi.js","/assets/EditCondition-6uu5yDE9.js","/assets/EditCondition-trOO7QBw.css","/assets/EntryDialog-VeW8M7NC.css","/assets/EntryDialog-ggzMonne.js","/assets/FilterInput-DgvtF97D.css","/assets/FilterInput-XsOBa05w.js","/assets/FilterSheet-B0C1Qbgv.js","/assets/FirstRun-C_KqS1In.js","/assets/FirstRun-bWA-v7Yh.css","/assets/GroupResults-0qq5W9Ga.css","/assets/GroupResults-BPSgHxX7.js","/assets/HelpDialog-CR8qIn6g.js","/assets/HelpDialog-UCZRNqpj.css","/assets/Limits-BrnGLozz.css","/assets/Limits-ClgdcAG_.js","/assets/LinesChart-Bo6yVHzn.css","/assets/LinesChart-BrduWnxh.js","/assets/MissingRates-BcK2_wGx.js","/assets/MissingRates-CwrBwDp9.css","/assets/MixedCurrencies-BFhTf0Qz.css","/assets/MixedCurrencies-uUoOf7sh.js","/assets/OfflineDay-D99NsfzL.css","/assets/OfflineDay-DU9hAW2t.js","/assets/PictureDialog-C-TqoFF0.css","/assets/PictureDialog-D5zww2Qg.js","/assets/Positions-BVhqrDAz.js","/assets/Positions-ccEiSPKU.css","/assets/PriceChart-BDsgQxFE.js","/assets/PriceChart-BqFiCJsU.css","/assets/Register-t0brN8M2.js","/assets/Replay-CXOQ2mMN.css","/assets/Replay-Dckzbxh0.js","/assets/ReportCard-BxEXgh8I.js","/assets/ReportCard-DRUVIwF_.css","/assets/Review-BQ6NuYHG.css","/assets/Review-C9xKbWti.js","/assets/RuleResults-DRraUlyn.js","/assets/RuleResults-kUDMWMsV.css","/assets/Runs-RlagaHJo.js","/assets/Runs-kqkf9Wkk.css","/assets/Screen-BAwYBm3g.css","/assets/Screen-BDpO_iy9.css","/assets/Screen-BFKtOjTT.css","/assets/Screen-BGYXy8sk.css","/assets/Screen-BfGsClX9.css","/assets/Screen-Bg2SbkNt.css","/assets/Screen-BnylY2NG.css","/assets/Screen-BrsZimG7.css","/assets/Screen-C056fbii.css","/assets/Screen-CZ2BH-yW.css","/assets/Screen-CZt4mPPB.css","/assets/Screen-Cvk5Uqie.css","/assets/Screen-D7E1ZSon.css","/assets/Screen-N6D0nETz.css","/assets/Screen-XuTmzdpq.css","/assets/Screen-YUviYBBH.css","/assets/Screen-ZF2JureY.css","/assets/Screen-hphZJRDP.css","/assets/Screen-o02xRY8a.css","/assets/Screen-t45Omi-C.css","/assets/Screen-y4TKK5aA.css","/assets/SelectedTrades-C841mbbs.css","/assets/SelectedTrades-CU1II74Y.js","/assets/ShareDialog-B67EvheW.css","/assets/ShareDialog-Db5MH9kL.js","/assets/SignIn-CMNYfhQN.js","/assets/SourceForm-DHummNd_.css","/assets/SourceForm-wKMQBbpW.js","/assets/Standing-DR5wtLnw.js","/assets/Standing-h1WxMfPR.css","/assets/Steps-B8l9I8B-.js","/assets/Steps-cQMnWOjM.css","/assets/TagEffects-BbzoTq8o.css","/assets/TagEffects-CRGJVVk0.js","/assets/Templates-DliGXjtM.js","/assets/Templates-gA4KaTAu.css","/assets/TradeDrawer-BdEQbUn1.js","/assets/TradeDrawer-DX-jiD_v.css","/assets/TradeFills-N-4OGDX-.js","/assets/TradingKey-BueksCby.css","/assets/TradingKey-Z5nT8NVx.js","/assets/UndoConflictDialog-S43TtqOX.js","/assets/ViewControls-B42nEQdL.js","/assets/accounts-C47dgEVf.js","/assets/actions-9dgT1UtJ.js","/assets/admin-DHaNQgOL.js","/assets/alerts-DQhWsZCQ.js","/assets/base-fimoMKex.js","/assets/calendar-CcETk9M3.js","/assets/connections-GzL66-le.js","/assets/download-CQd4ZOOR.js","/assets/export-hA71y4RW.js","/assets/favicon-1OJO7IKO.svg","/assets/grip-vertical-B6M0ZgfC.js","/assets/history-B5kvdGgg.js","/assets/icon-192-2a379d67.png","/assets/icon-512-9949e86d.png","/assets/icon-maskable-a4f40e07.png","/assets/import-BfjOM0wE.js","/assets/index-BqYk8riD.css","/assets/index-H7ACU8kx.js","/assets/inter-latin-Dx4kXJAl.woff2","/assets/manifest-5d606986.webmanifest","/assets/missed-BZCOmLGK.js","/assets/notes-C2TM3fnx.js","/assets/notes-Cvnf7uPQ.js","/assets/options-DMbZZDS9.js","/assets/options-wz41ltu6.js","/assets/order-B_2Bz1gY.js","/assets/passwordLength.svelte-BB0NP89v.js","/assets/prices-NMgCFNZl.js","/assets/programs-Tu3lNA94.js","/assets/reports-DcOQ5Ckn.js","/assets/routines--yJPdYJx.js","/assets/rules-Cta__zC9.js","/assets/settings-BdUPxZMN.js","/assets/setups-0dugZAKD.js","/assets/share-D9xYY2gX.js","/assets/shared-Cm7DZ2a9.js","/assets/shared-DB3Hu4NF.css","/assets/symbols-BaiC7Wyd.js","/assets/tags-BNocMOSN.js","/assets/theme-5bdcd13c.js","/assets/tokenScopes-CaLGZsQz.js","/assets/trades-B1o2XZjd.js","/assets/weekdays-o9-H4ctu.js"];
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
