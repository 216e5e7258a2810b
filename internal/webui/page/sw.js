const version = '8e136fac';
const files = ["/assets/AlertPanel-B6rrh7F_.js","/assets/AlertPanel-CwoiQ3RR.css","/assets/ArrangeCards-Bpn10chm.js","/assets/ArrangeCards-D4RjVUhF.css","/assets/BarChart-Cv8ztXu2.js","/assets/BuyPrices-Di8XhfpB.js","/assets/CandleChart-C5h1kp1q.css","/assets/CandleChart-CQexfCOu.js","/assets/ChoiceCard-CNsAWEwW.css","/assets/ChoiceCard-EzA_FdRG.js","/assets/CodeInput-CwXg5Z5B.js","/assets/CommandPalette-BfyMvO4R.css","/assets/CommandPalette-twaQnIk1.js","/assets/ConflictDialog-CnPfYgP9.js","/assets/ConflictDialog-wcdZ7I8W.css","/assets/ConnectApp-Ch2GeKGx.js","/assets/ConnectApp-DGODsFWL.css","/assets/ConnectBroker-B8ZDgo9k.js","/assets/ConnectBroker-BWstx59c.css","/assets/ConnectionForm-B64hG--A.css","/assets/ConnectionForm-djYE-e9L.js","/assets/DataTable-BsZrTkz3.js","/assets/DayLogEditor-Cga8LW4o.js","/assets/DemoJournal-DDYoLcSo.js","/assets/EditCondition-C5VHPjha.js","/assets/EditCondition-trOO7QBw.css","/assets/EntryDialog-Bcj_5nPZ.js","/assets/EntryDialog-VeW8M7NC.css","/assets/FilterInput-DDxAY9cq.js","/assets/FilterInput-DgvtF97D.css","/assets/FilterSheet-37eJmkJ0.js","/assets/FirstRun-BqhRkzMU.js","/assets/FirstRun-bWA-v7Yh.css","/assets/GroupResults-0qq5W9Ga.css","/assets/GroupResults-DPp8jvkw.js","/assets/HelpDialog-C1gP_GZC.js","/assets/HelpDialog-UCZRNqpj.css","/assets/Limits-BIxILTjE.css","/assets/Limits-CZXZfFtl.js","/assets/LinesChart-BIzR8aO6.js","/assets/LinesChart-Bo6yVHzn.css","/assets/MissingRates-BI8jNpst.js","/assets/MissingRates-CwrBwDp9.css","/assets/MixedCurrencies-BFhTf0Qz.css","/assets/MixedCurrencies-BmgK6k1L.js","/assets/OfflineDay-D99NsfzL.css","/assets/OfflineDay-Ded9fzCa.js","/assets/PictureDialog-C-TqoFF0.css","/assets/PictureDialog-CJP282iA.js","/assets/Positions-D7hQLBlF.js","/assets/Positions-ccEiSPKU.css","/assets/PriceChart-B9YVnaU6.css","/assets/PriceChart-Br5zsDMN.js","/assets/Register-B8-45BM0.js","/assets/Replay-BGMlvNtt.js","/assets/Replay-CXOQ2mMN.css","/assets/ReportCard-DLhI91at.js","/assets/ReportCard-DRUVIwF_.css","/assets/Review-BQ6NuYHG.css","/assets/Review-NkFVmoEc.js","/assets/RuleResults-3P-6rw-a.js","/assets/RuleResults-kUDMWMsV.css","/assets/Runs-D8m8Emu5.js","/assets/Runs-kqkf9Wkk.css","/assets/Screen-BAwYBm3g.css","/assets/Screen-BDpO_iy9.css","/assets/Screen-BFKtOjTT.css","/assets/Screen-BGYXy8sk.css","/assets/Screen-BfGsClX9.css","/assets/Screen-Bg2SbkNt.css","/assets/Screen-BrsZimG7.css","/assets/Screen-C056fbii.css","/assets/Screen-CZ2BH-yW.css","/assets/Screen-Cvk5Uqie.css","/assets/Screen-DIf-FlwV.css","/assets/Screen-Dd9tEyCa.css","/assets/Screen-XuTmzdpq.css","/assets/Screen-YUviYBBH.css","/assets/Screen-ZF2JureY.css","/assets/Screen-hphZJRDP.css","/assets/Screen-o02xRY8a.css","/assets/Screen-t45Omi-C.css","/assets/Screen-tsMuX7kQ.css","/assets/Screen-vSnOm4ov.css","/assets/Screen-y4TKK5aA.css","/assets/SelectedTrades-C841mbbs.css","/assets/SelectedTrades-Dgqsd7td.js","/assets/ShareDialog-B67EvheW.css","/assets/ShareDialog-eMRGkc4N.js","/assets/SignIn-CBiO4X34.js","/assets/SourceForm-BGPY-luY.js","/assets/SourceForm-DHummNd_.css","/assets/StackedCharts-BcIqbfQu.css","/assets/StackedCharts-BhUnr5Ms.js","/assets/Standing-BvLIv1NG.js","/assets/Standing-CPYmCedH.css","/assets/Steps-BkbaNN2r.js","/assets/Steps-cQMnWOjM.css","/assets/TagEffects-BbzoTq8o.css","/assets/TagEffects-DWLniUbK.js","/assets/Templates-DRT4aUOc.js","/assets/Templates-gA4KaTAu.css","/assets/TradeDrawer-D0XNZ3v8.js","/assets/TradeDrawer-DX-jiD_v.css","/assets/TradeFills-C5q1ID30.js","/assets/TradingKey-B0mj33hp.js","/assets/TradingKey-BueksCby.css","/assets/UndoConflictDialog-DYlN5w9D.js","/assets/ViewControls-Br9NGJ64.js","/assets/accounts-B8Nuc6L9.js","/assets/actionText-y1Qg2vhi.js","/assets/actions-DizIy06E.js","/assets/admin-CbAqBn5q.js","/assets/alerts-DQhWsZCQ.js","/assets/base-BIMMGkWq.js","/assets/calendar-Bxc70nlV.js","/assets/connections-VghAVAj5.js","/assets/download-BnAj5ETq.js","/assets/export-DYnTp57H.js","/assets/favicon-1OJO7IKO.svg","/assets/grip-vertical-CG0Xx6BV.js","/assets/history-BV-jG-vY.js","/assets/icon-192-2a379d67.png","/assets/icon-512-9949e86d.png","/assets/icon-maskable-a4f40e07.png","/assets/import-i40KRVs0.js","/assets/index-B93_nLRS.css","/assets/index-Fcuc7gtc.js","/assets/inter-latin-Dx4kXJAl.woff2","/assets/manifest-5d606986.webmanifest","/assets/missed-CAsbvj4N.js","/assets/notes-C7nPuQm_.js","/assets/notes-D0P3UgAI.js","/assets/options-DrQZvoMd.js","/assets/options-wz41ltu6.js","/assets/order-B_2Bz1gY.js","/assets/passwordLength.svelte-CwdExHlk.js","/assets/prices-DgAY-YKt.js","/assets/programs-Drw8Z5Z_.js","/assets/reports-Cwxe9P6W.js","/assets/routines-DfKeus2E.js","/assets/rules-B2KRDYdu.js","/assets/settings-D4-K4I9s.js","/assets/setups-C9DwVJ9c.js","/assets/share-BT6VRxlq.js","/assets/shared-C9DuqhQV.js","/assets/shared-CFdOWllT.css","/assets/symbols-DAJInPAQ.js","/assets/tags-CJiY2j_1.js","/assets/theme-5bdcd13c.js","/assets/tokenScopes-CP7A-x6s.js","/assets/trades-Bud7a8cX.js","/assets/weekdays-BDZRYF8h.js"];
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
