const version = '64a77f69';
const files = ["/assets/AlertPanel-CwoiQ3RR.css","/assets/AlertPanel-QOzHdPMH.js","/assets/ArrangeCards-CnAOVKYE.js","/assets/ArrangeCards-D4RjVUhF.css","/assets/BarChart-wwfUbpIY.js","/assets/BuyPrices-DCYSCCCV.js","/assets/CandleChart-C5h1kp1q.css","/assets/CandleChart-CBCliQKM.js","/assets/ChoiceCard-CNsAWEwW.css","/assets/ChoiceCard-CftAsyW4.js","/assets/CodeInput-QNT9x8u9.js","/assets/CommandPalette-4eLcj9EZ.js","/assets/CommandPalette-BfyMvO4R.css","/assets/ConflictDialog-D-Z6H_NY.js","/assets/ConflictDialog-wcdZ7I8W.css","/assets/ConnectApp-D4LXop0b.js","/assets/ConnectApp-DGODsFWL.css","/assets/ConnectBroker-BWstx59c.css","/assets/ConnectBroker-DZErBjZJ.js","/assets/ConnectionForm-B64hG--A.css","/assets/ConnectionForm-DZ1zk3jG.js","/assets/DataTable-BKYGnA1E.js","/assets/DayLogEditor-F-u2Slm8.js","/assets/DemoJournal-CpiYakou.js","/assets/EditCondition-CaJfSfKx.js","/assets/EditCondition-trOO7QBw.css","/assets/EntryDialog-BqJ19quF.js","/assets/EntryDialog-VeW8M7NC.css","/assets/FilterInput-8tk3n290.js","/assets/FilterInput-DgvtF97D.css","/assets/FilterSheet-zb9OSxqm.js","/assets/FirstRun-BEKAKzXw.js","/assets/FirstRun-bWA-v7Yh.css","/assets/GroupResults-0qq5W9Ga.css","/assets/GroupResults-Detuz6M4.js","/assets/HelpDialog-C3DeaZNl.js","/assets/HelpDialog-UCZRNqpj.css","/assets/Limits-BIxILTjE.css","/assets/Limits-TWM2Lt1u.js","/assets/LinesChart-Bo6yVHzn.css","/assets/LinesChart-BteHtE9G.js","/assets/MissingRates-CwrBwDp9.css","/assets/MissingRates-KRxOeyN9.js","/assets/MixedCurrencies-BFhTf0Qz.css","/assets/MixedCurrencies-DCSRoibX.js","/assets/OfflineDay-D99NsfzL.css","/assets/OfflineDay-eSav4Vzl.js","/assets/PictureDialog-C-TqoFF0.css","/assets/PictureDialog-DaTPO7Ge.js","/assets/Positions-AotsARy-.js","/assets/Positions-ccEiSPKU.css","/assets/PriceChart-B9YVnaU6.css","/assets/PriceChart-DM7ccbh7.js","/assets/Register-DCWGapJM.js","/assets/Replay-CXOQ2mMN.css","/assets/Replay-DnR73UgF.js","/assets/ReportCard-Bwq0RYqI.js","/assets/ReportCard-DRUVIwF_.css","/assets/Review-B2ltKh-J.js","/assets/Review-BQ6NuYHG.css","/assets/RuleResults-CoQJ5xzl.js","/assets/RuleResults-kUDMWMsV.css","/assets/Runs-KiI9H6TR.js","/assets/Runs-kqkf9Wkk.css","/assets/Screen-BAwYBm3g.css","/assets/Screen-BDpO_iy9.css","/assets/Screen-BFKtOjTT.css","/assets/Screen-BGYXy8sk.css","/assets/Screen-BfGsClX9.css","/assets/Screen-Bg2SbkNt.css","/assets/Screen-BrsZimG7.css","/assets/Screen-C056fbii.css","/assets/Screen-CZ2BH-yW.css","/assets/Screen-Cvk5Uqie.css","/assets/Screen-DIf-FlwV.css","/assets/Screen-DTG0nIeK.css","/assets/Screen-N6D0nETz.css","/assets/Screen-XuTmzdpq.css","/assets/Screen-YUviYBBH.css","/assets/Screen-ZF2JureY.css","/assets/Screen-hphZJRDP.css","/assets/Screen-o02xRY8a.css","/assets/Screen-t45Omi-C.css","/assets/Screen-vSnOm4ov.css","/assets/Screen-y4TKK5aA.css","/assets/SelectedTrades-BxbaDZm5.js","/assets/SelectedTrades-C841mbbs.css","/assets/ShareDialog-B67EvheW.css","/assets/ShareDialog-BSAzpcKq.js","/assets/SignIn-D4zHfmg_.js","/assets/SourceForm-DHummNd_.css","/assets/SourceForm-FQ9I_uP1.js","/assets/StackedCharts-BcIqbfQu.css","/assets/StackedCharts-ChrEUIpW.js","/assets/Standing-CPYmCedH.css","/assets/Standing-DfEJsrv0.js","/assets/Steps-BIiGjF5q.js","/assets/Steps-cQMnWOjM.css","/assets/TagEffects-BDPA4JzR.js","/assets/TagEffects-BbzoTq8o.css","/assets/Templates-DdzvxeTf.js","/assets/Templates-gA4KaTAu.css","/assets/TradeDrawer-DX-jiD_v.css","/assets/TradeDrawer-VA9HMYVL.js","/assets/TradeFills-CUn6f4t-.js","/assets/TradingKey-BueksCby.css","/assets/TradingKey-CfAo8VGy.js","/assets/UndoConflictDialog-CNL8N7k6.js","/assets/ViewControls-D-1sGKPA.js","/assets/accounts-ZRsIVILY.js","/assets/actionText-y1Qg2vhi.js","/assets/actions-CrVErGHX.js","/assets/admin-BI1pmUju.js","/assets/alerts-DQhWsZCQ.js","/assets/base-CKoaYx8L.js","/assets/calendar-B3k_ksli.js","/assets/connections-aYhXEVuy.js","/assets/download-DFHoFMNf.js","/assets/export-e6pnrn_O.js","/assets/favicon-1OJO7IKO.svg","/assets/grip-vertical-CvYqKX5P.js","/assets/history-BqX1kEBG.js","/assets/icon-192-2a379d67.png","/assets/icon-512-9949e86d.png","/assets/icon-maskable-a4f40e07.png","/assets/import-DY6P-_QP.js","/assets/index-DXZ7ibd4.js","/assets/index-bFIrp_AP.css","/assets/inter-latin-Dx4kXJAl.woff2","/assets/manifest-5d606986.webmanifest","/assets/missed-QRC3BGPF.js","/assets/notes-B2xTKS1T.js","/assets/notes-DtdW0jbv.js","/assets/options-373qlftx.js","/assets/options-wz41ltu6.js","/assets/order-B_2Bz1gY.js","/assets/passwordLength.svelte-_67QgS5M.js","/assets/prices-DUJyI6Og.js","/assets/programs-CzC_5guC.js","/assets/reports-DmOxW8k3.js","/assets/routines-B95KctLr.js","/assets/rules-BLk8p-Sw.js","/assets/settings-DJF7JXVN.js","/assets/setups-CJgLROg0.js","/assets/share-C4UzLDj4.js","/assets/shared-CePe3yFD.css","/assets/shared-DxOB_f-0.js","/assets/symbols-B2SeNs36.js","/assets/tags-DBVqOKhe.js","/assets/theme-5bdcd13c.js","/assets/tokenScopes-DLFeMVwk.js","/assets/trades-C1RFrrVC.js","/assets/weekdays-u5TXBlsf.js"];
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
