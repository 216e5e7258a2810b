const version = 'b42e73e1';
const files = ["/assets/AlertPanel-95d7NB3t.js","/assets/AlertPanel-CwoiQ3RR.css","/assets/ArrangeCards-BFBm4C1M.js","/assets/ArrangeCards-D4RjVUhF.css","/assets/BarChart-DBBi2xMW.js","/assets/BuyPrices-DJHnHDAF.js","/assets/CandleChart-C5h1kp1q.css","/assets/CandleChart-dO5jaQpm.js","/assets/ChoiceCard-CNsAWEwW.css","/assets/ChoiceCard-D0FLir3z.js","/assets/CodeInput-m86CeQ-o.js","/assets/CommandPalette-BfyMvO4R.css","/assets/CommandPalette-DCddbWZL.js","/assets/ConflictDialog-B-MuQRfx.js","/assets/ConflictDialog-wcdZ7I8W.css","/assets/ConnectApp-DGODsFWL.css","/assets/ConnectApp-Dd1kw_Gs.js","/assets/ConnectBroker-BWstx59c.css","/assets/ConnectBroker-CE1QlrpG.js","/assets/ConnectionForm-B64hG--A.css","/assets/ConnectionForm-CkI6SXql.js","/assets/DataTable-B7plmC7h.js","/assets/DayLogEditor-DW_IG88d.js","/assets/DemoJournal-Bmnr9K6S.js","/assets/EditCondition-CN-b3EAk.js","/assets/EditCondition-trOO7QBw.css","/assets/EntryDialog-BfCo0g0e.js","/assets/EntryDialog-VeW8M7NC.css","/assets/FilterInput-CzGBJh-j.js","/assets/FilterInput-DgvtF97D.css","/assets/FilterSheet-D1hbbcHd.js","/assets/FirstRun-Csx-EgoH.js","/assets/FirstRun-bWA-v7Yh.css","/assets/GroupResults-0qq5W9Ga.css","/assets/GroupResults-BVxGdoIS.js","/assets/HelpDialog-CdAJo6wC.js","/assets/HelpDialog-UCZRNqpj.css","/assets/Limits-BrnGLozz.css","/assets/Limits-C3Ne6MNf.js","/assets/LinesChart-BQBq7XzA.js","/assets/LinesChart-Bo6yVHzn.css","/assets/MissingRates-CwrBwDp9.css","/assets/MissingRates-XIiwag0P.js","/assets/MixedCurrencies-BFhTf0Qz.css","/assets/MixedCurrencies-CtRVz8J4.js","/assets/OfflineDay--E9gf0V4.js","/assets/OfflineDay-D99NsfzL.css","/assets/PictureDialog-C-TqoFF0.css","/assets/PictureDialog-C-YqRwOg.js","/assets/Positions-DlwYhAe1.js","/assets/Positions-ccEiSPKU.css","/assets/PriceChart-1tp6p3x-.js","/assets/PriceChart-B9YVnaU6.css","/assets/Register-CRmBH6ij.js","/assets/Replay-CXOQ2mMN.css","/assets/Replay-OAXFp74Y.js","/assets/ReportCard-DRUVIwF_.css","/assets/ReportCard-DfY0Q7cP.js","/assets/Review-BQ6NuYHG.css","/assets/Review-DpKdnQm8.js","/assets/RuleResults-C-t4vWnf.js","/assets/RuleResults-kUDMWMsV.css","/assets/Runs-Zs27Cc47.js","/assets/Runs-kqkf9Wkk.css","/assets/Screen-BAwYBm3g.css","/assets/Screen-BDpO_iy9.css","/assets/Screen-BFKtOjTT.css","/assets/Screen-BGYXy8sk.css","/assets/Screen-BfGsClX9.css","/assets/Screen-Bg2SbkNt.css","/assets/Screen-BrsZimG7.css","/assets/Screen-C056fbii.css","/assets/Screen-CZ2BH-yW.css","/assets/Screen-CZt4mPPB.css","/assets/Screen-Cvk5Uqie.css","/assets/Screen-D7E1ZSon.css","/assets/Screen-N6D0nETz.css","/assets/Screen-XuTmzdpq.css","/assets/Screen-YUviYBBH.css","/assets/Screen-ZF2JureY.css","/assets/Screen-hphZJRDP.css","/assets/Screen-o02xRY8a.css","/assets/Screen-t45Omi-C.css","/assets/Screen-vSnOm4ov.css","/assets/Screen-y4TKK5aA.css","/assets/SelectedTrades-C841mbbs.css","/assets/SelectedTrades-e59yhEf9.js","/assets/ShareDialog-B67EvheW.css","/assets/ShareDialog-BRkTQIBW.js","/assets/SignIn-DbQKR1SB.js","/assets/SourceForm-CGYGBzyM.js","/assets/SourceForm-DHummNd_.css","/assets/StackedCharts-B1xHJRHY.js","/assets/StackedCharts-BcIqbfQu.css","/assets/Standing-DzCsDBQy.js","/assets/Standing-h1WxMfPR.css","/assets/Steps-CS8Rq-kp.js","/assets/Steps-cQMnWOjM.css","/assets/TagEffects-BbzoTq8o.css","/assets/TagEffects-CWtQYV85.js","/assets/Templates-Co85bP9K.js","/assets/Templates-gA4KaTAu.css","/assets/TradeDrawer-B3fWL8lz.js","/assets/TradeDrawer-DX-jiD_v.css","/assets/TradeFills-DlHClH93.js","/assets/TradingKey-BueksCby.css","/assets/TradingKey-C-3XS6b_.js","/assets/UndoConflictDialog-NPCnkMqL.js","/assets/ViewControls-BVF631DD.js","/assets/accounts-CEvzIHlf.js","/assets/actionText-y1Qg2vhi.js","/assets/actions-6genmn5o.js","/assets/admin-CS03OF8J.js","/assets/alerts-DQhWsZCQ.js","/assets/base-DJ0QILiS.js","/assets/calendar-DP9uj8lN.js","/assets/connections-BN6zkzWJ.js","/assets/download-DfrJwQyb.js","/assets/export-BkMhIrC5.js","/assets/favicon-1OJO7IKO.svg","/assets/grip-vertical-BLLKokqR.js","/assets/history-ClLeRUsI.js","/assets/icon-192-2a379d67.png","/assets/icon-512-9949e86d.png","/assets/icon-maskable-a4f40e07.png","/assets/import-qW4aNB6B.js","/assets/index-3HqHyQm6.css","/assets/index-DhsO1FrH.js","/assets/inter-latin-Dx4kXJAl.woff2","/assets/manifest-5d606986.webmanifest","/assets/missed-CrCSDtgD.js","/assets/notes-B5fdrH_r.js","/assets/notes-b__CFc37.js","/assets/options-wz41ltu6.js","/assets/options-yUTr7JX8.js","/assets/order-B_2Bz1gY.js","/assets/passwordLength.svelte-CYoMOSg4.js","/assets/prices-BVPgx594.js","/assets/programs-CWFZuRDL.js","/assets/reports-DtKc6BRT.js","/assets/routines-Dd3wi7-o.js","/assets/rules-Dh9NFziU.js","/assets/settings-Aa8bd68F.js","/assets/setups-BL5NuQkW.js","/assets/share-C4dTVLvT.js","/assets/shared-DB3Hu4NF.css","/assets/shared-Wjkmj-UK.js","/assets/symbols-HkJwKkXP.js","/assets/tags-FwNcH0Me.js","/assets/theme-5bdcd13c.js","/assets/tokenScopes-8VuOD1U_.js","/assets/trades-Dx4m0oZo.js","/assets/weekdays-B7EVrAZY.js"];
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
