const version = 'eb6fa5c5';
const files = ["/assets/AlertPanel-CwoiQ3RR.css","/assets/AlertPanel-DVEYEtZA.js","/assets/ArrangeCards-D4RjVUhF.css","/assets/ArrangeCards-DlZgeQhH.js","/assets/BarChart-BbwDc46_.js","/assets/BuyPrices-BgBxBRlI.js","/assets/CandleChart-C5h1kp1q.css","/assets/CandleChart-FyimBitp.js","/assets/ChoiceCard-CNsAWEwW.css","/assets/ChoiceCard-hCMRkLZx.js","/assets/CodeInput-C4peIp6X.js","/assets/CommandPalette-BfyMvO4R.css","/assets/CommandPalette-agH5DW6v.js","/assets/ConflictDialog-CfxS-Rqo.js","/assets/ConflictDialog-wcdZ7I8W.css","/assets/ConnectApp-BlMqv8ZD.js","/assets/ConnectApp-DGODsFWL.css","/assets/ConnectBroker-BWstx59c.css","/assets/ConnectBroker-C8YxHEHC.js","/assets/ConnectionForm-B64hG--A.css","/assets/ConnectionForm-CL1yagpT.js","/assets/DataTable-DT0fqeKR.js","/assets/DayLogEditor-D1ws8Zo1.js","/assets/DemoJournal-BCzEG5kS.js","/assets/EditCondition-DgfbOLKe.js","/assets/EditCondition-trOO7QBw.css","/assets/EntryDialog-Df1W_886.js","/assets/EntryDialog-VeW8M7NC.css","/assets/FilterInput-ClG2Nnyl.js","/assets/FilterInput-DgvtF97D.css","/assets/FilterSheet-Xia-KW4h.js","/assets/FirstRun-SG_BfBgg.js","/assets/FirstRun-bWA-v7Yh.css","/assets/GroupResults-0qq5W9Ga.css","/assets/GroupResults-BEMv4yP8.js","/assets/HelpDialog-CuSBYNks.js","/assets/HelpDialog-UCZRNqpj.css","/assets/Limits-BIxILTjE.css","/assets/Limits-DpF2yRNy.js","/assets/LinesChart-Bo6yVHzn.css","/assets/LinesChart-CzYIidVB.js","/assets/MissingRates-CwrBwDp9.css","/assets/MissingRates-Dga977K2.js","/assets/MixedCurrencies-BFhTf0Qz.css","/assets/MixedCurrencies-D7bJkEWw.js","/assets/OfflineDay-B6dmDyMv.js","/assets/OfflineDay-D99NsfzL.css","/assets/PictureDialog-C-TqoFF0.css","/assets/PictureDialog-i9xRKTM-.js","/assets/Positions-CoOPs9br.js","/assets/Positions-ccEiSPKU.css","/assets/PriceChart-B9YVnaU6.css","/assets/PriceChart-Bc2f7OE-.js","/assets/Register-DaUZQ6sU.js","/assets/Replay-CXOQ2mMN.css","/assets/Replay-UUdjvDpF.js","/assets/ReportCard-DNwCMqfj.js","/assets/ReportCard-DRUVIwF_.css","/assets/Review-BQ6NuYHG.css","/assets/Review-DtFz_fak.js","/assets/RuleResults-Di66pt0O.js","/assets/RuleResults-kUDMWMsV.css","/assets/Runs-Co-bNIXO.js","/assets/Runs-kqkf9Wkk.css","/assets/Screen-BAwYBm3g.css","/assets/Screen-BDpO_iy9.css","/assets/Screen-BFKtOjTT.css","/assets/Screen-BGYXy8sk.css","/assets/Screen-BfGsClX9.css","/assets/Screen-Bg2SbkNt.css","/assets/Screen-BrsZimG7.css","/assets/Screen-C056fbii.css","/assets/Screen-CZ2BH-yW.css","/assets/Screen-Cvk5Uqie.css","/assets/Screen-DIf-FlwV.css","/assets/Screen-DTG0nIeK.css","/assets/Screen-XuTmzdpq.css","/assets/Screen-YUviYBBH.css","/assets/Screen-ZF2JureY.css","/assets/Screen-hphZJRDP.css","/assets/Screen-o02xRY8a.css","/assets/Screen-t45Omi-C.css","/assets/Screen-tsMuX7kQ.css","/assets/Screen-vSnOm4ov.css","/assets/Screen-y4TKK5aA.css","/assets/SelectedTrades-Bw6Sx2Tq.js","/assets/SelectedTrades-C841mbbs.css","/assets/ShareDialog-B67EvheW.css","/assets/ShareDialog-IsYymcxi.js","/assets/SignIn-BzP-U3gr.js","/assets/SourceForm-BZt3DK_p.js","/assets/SourceForm-DHummNd_.css","/assets/StackedCharts-74WyGfJc.js","/assets/StackedCharts-BcIqbfQu.css","/assets/Standing-CPYmCedH.css","/assets/Standing-CQaVzU16.js","/assets/Steps-CJ-5JMmV.js","/assets/Steps-cQMnWOjM.css","/assets/TagEffects-BbzoTq8o.css","/assets/TagEffects-CIaWbji-.js","/assets/Templates-Cn27Hzhd.js","/assets/Templates-gA4KaTAu.css","/assets/TradeDrawer-C6YPcU9G.js","/assets/TradeDrawer-DX-jiD_v.css","/assets/TradeFills-C4RmARZa.js","/assets/TradingKey-Bjkm_AF0.js","/assets/TradingKey-BueksCby.css","/assets/UndoConflictDialog-DPGsn3OR.js","/assets/ViewControls-CpjaLXC1.js","/assets/accounts-D-dDIR2n.js","/assets/actionText-y1Qg2vhi.js","/assets/actions-CHmDNS_X.js","/assets/admin-B9zmiDJh.js","/assets/alerts-DQhWsZCQ.js","/assets/base-DE6hZQHs.js","/assets/calendar-CnLj_WOe.js","/assets/connections-CqLE0EGn.js","/assets/download-JiklYIPC.js","/assets/export-BQdoQAc1.js","/assets/favicon-1OJO7IKO.svg","/assets/grip-vertical-sfPVWcqP.js","/assets/history-DdKo3c7b.js","/assets/icon-192-2a379d67.png","/assets/icon-512-9949e86d.png","/assets/icon-maskable-a4f40e07.png","/assets/import-DQ5Jfb0u.js","/assets/index-B93_nLRS.css","/assets/index-BJMX0cyz.js","/assets/inter-latin-Dx4kXJAl.woff2","/assets/manifest-5d606986.webmanifest","/assets/missed-CmwvPsVU.js","/assets/notes-RdoJKpdq.js","/assets/notes-YQjF69EB.js","/assets/options-D_QR5ud9.js","/assets/options-wz41ltu6.js","/assets/order-B_2Bz1gY.js","/assets/passwordLength.svelte-CNypGza0.js","/assets/prices-BoMJxYOr.js","/assets/programs-BHb-ssmu.js","/assets/reports-DqAOle1g.js","/assets/routines-Bu9c_8b-.js","/assets/rules-cczXQP8Q.js","/assets/settings-CHaxRhhs.js","/assets/setups-BmJdngmE.js","/assets/share-BTgrjyAh.js","/assets/shared-CFdOWllT.css","/assets/shared-Dk5ZQLGS.js","/assets/symbols-JIp4qd5_.js","/assets/tags-BGSCtxs5.js","/assets/theme-5bdcd13c.js","/assets/tokenScopes-MUdUkapH.js","/assets/trades-BauAg9Zf.js","/assets/weekdays-BY6BfZWY.js"];
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
