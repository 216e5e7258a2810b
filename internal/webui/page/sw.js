const version = 'a8ebff7e';
const files = ["/assets/ArrangeCards-Bi_c1Um9.js","/assets/ArrangeCards-D4RjVUhF.css","/assets/BarChart-DTfa7eLy.js","/assets/BuyPrices-18CFkJNJ.js","/assets/ChoiceCard-C18dRRne.js","/assets/ChoiceCard-CNsAWEwW.css","/assets/CodeInput-CTKHYVG_.js","/assets/CommandPalette-BfyMvO4R.css","/assets/CommandPalette-D29bgKBA.js","/assets/ConflictDialog-DyuhWkRx.js","/assets/ConflictDialog-wcdZ7I8W.css","/assets/ConnectApp-D7FB5K2O.js","/assets/ConnectApp-IeD_PbsN.css","/assets/ConnectBroker-BWstx59c.css","/assets/ConnectBroker-CFgzVgvb.js","/assets/ConnectionForm-B64hG--A.css","/assets/ConnectionForm-C-kondjC.js","/assets/DataTable-B3FoeIZo.js","/assets/DayLogEditor-Cb0sjKLD.js","/assets/DemoJournal-BfxzN_BC.js","/assets/EditCondition-CDcqLche.js","/assets/EditCondition-trOO7QBw.css","/assets/EntryDialog-GxCcCv0W.js","/assets/EntryDialog-VeW8M7NC.css","/assets/FilterInput-CkqCLErs.js","/assets/FilterInput-DgvtF97D.css","/assets/FilterSheet-4zgjaT66.js","/assets/FirstRun-BrPWNNjf.js","/assets/FirstRun-bWA-v7Yh.css","/assets/GroupResults-0qq5W9Ga.css","/assets/GroupResults-BCOXurJu.js","/assets/LinesChart-Bo6yVHzn.css","/assets/LinesChart-D0qFcz8U.js","/assets/MissingRates-CEGN9Eqp.js","/assets/MissingRates-CwrBwDp9.css","/assets/MixedCurrencies-BFhTf0Qz.css","/assets/MixedCurrencies-Xy5yxnV3.js","/assets/OfflineDay-D8hXLRN6.js","/assets/OfflineDay-D99NsfzL.css","/assets/PictureDialog-C-TqoFF0.css","/assets/PictureDialog-CjjvpSh2.js","/assets/Positions-ccEiSPKU.css","/assets/Positions-lq4a86CJ.js","/assets/PriceChart-BqFiCJsU.css","/assets/PriceChart-DgZaTt0X.js","/assets/Register-BwBgyg1u.js","/assets/Replay-C5pLIvzJ.js","/assets/Replay-CXOQ2mMN.css","/assets/ReportCard-DRUVIwF_.css","/assets/ReportCard-Dghc0L5f.js","/assets/Review-BQ6NuYHG.css","/assets/Review-DFdidudQ.js","/assets/RuleResults-eU6l9zEl.js","/assets/RuleResults-kUDMWMsV.css","/assets/Runs-DtJFukkK.js","/assets/Runs-kqkf9Wkk.css","/assets/Screen-BAwYBm3g.css","/assets/Screen-BDpO_iy9.css","/assets/Screen-BFKtOjTT.css","/assets/Screen-BGYXy8sk.css","/assets/Screen-BfGsClX9.css","/assets/Screen-Bg2SbkNt.css","/assets/Screen-BnylY2NG.css","/assets/Screen-BrsZimG7.css","/assets/Screen-C056fbii.css","/assets/Screen-CZ2BH-yW.css","/assets/Screen-CZt4mPPB.css","/assets/Screen-Cvk5Uqie.css","/assets/Screen-Dl2k9RTw.css","/assets/Screen-N6D0nETz.css","/assets/Screen-Wi0Kbxf4.css","/assets/Screen-XuTmzdpq.css","/assets/Screen-YUviYBBH.css","/assets/Screen-ZF2JureY.css","/assets/Screen-hphZJRDP.css","/assets/Screen-o02xRY8a.css","/assets/Screen-y4TKK5aA.css","/assets/SelectedTrades-A4rrnh_P.js","/assets/SelectedTrades-C841mbbs.css","/assets/ShareDialog-B67EvheW.css","/assets/ShareDialog-D2p7JXfL.js","/assets/SignIn-BOlMN4c6.js","/assets/SourceForm-DHummNd_.css","/assets/SourceForm-ZhA-qbJF.js","/assets/Steps-BS6Pajg6.js","/assets/Steps-cQMnWOjM.css","/assets/TagEffects-BbzoTq8o.css","/assets/TagEffects-CLQjlq75.js","/assets/Templates-SeMJDg0O.js","/assets/Templates-gA4KaTAu.css","/assets/TradeDrawer-CNBCfwIx.js","/assets/TradeDrawer-DX-jiD_v.css","/assets/TradeFills-CSLAvg47.js","/assets/TradingKey-BueksCby.css","/assets/TradingKey-DyoLX9EL.js","/assets/UndoConflictDialog-4jnP9J4W.js","/assets/ViewControls-D2NY1Hba.js","/assets/accounts-CQVB33I_.js","/assets/actions-Wrpyt6QV.js","/assets/admin-K5EG1q99.js","/assets/base-B-3-ikFY.js","/assets/calendar-DeBdnEEM.js","/assets/connections-DgDLlOVu.js","/assets/download-CD4scq9I.js","/assets/export-BPCjO2x-.js","/assets/favicon-1OJO7IKO.svg","/assets/grip-vertical-Bb3ukwRI.js","/assets/history-CiSfLNUr.js","/assets/icon-192-2a379d67.png","/assets/icon-512-9949e86d.png","/assets/icon-maskable-a4f40e07.png","/assets/import-ckmbyABA.js","/assets/index-CKzsH2fO.css","/assets/index-Cl7wglcY.js","/assets/inter-latin-Dx4kXJAl.woff2","/assets/manifest-5d606986.webmanifest","/assets/missed-Dzn1n4Bu.js","/assets/notes-BTN3OWT7.js","/assets/notes-CB0fOlhH.js","/assets/options-DQ2896qh.js","/assets/options-wz41ltu6.js","/assets/order-B_2Bz1gY.js","/assets/passwordLength.svelte-DGdJRRQP.js","/assets/prices-eHrpHWcV.js","/assets/programs-B4Umizd2.js","/assets/reports-D-zdjZDW.js","/assets/rolldown-runtime-DK3Fl9T5.js","/assets/routines-DnLTLLUW.js","/assets/rules-DUlJV9Md.js","/assets/settings-D4jLFqhA.js","/assets/setups-rXRLqQXZ.js","/assets/share-C7Hanwju.js","/assets/shared-BiP6Wq7t.js","/assets/shared-DB3Hu4NF.css","/assets/symbols-DbPnZWh_.js","/assets/tags-DgikYaOP.js","/assets/theme-5bdcd13c.js","/assets/today-BTvxc3te.css","/assets/today-lwF22wwx.js","/assets/tokenScopes-CaLGZsQz.js","/assets/trades-CqkGRUKP.js","/assets/weekdays-BCPNQqk9.js"];
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
