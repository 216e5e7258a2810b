const version = '82f1adc0';
const files = ["/assets/AlertPanel-CrFk4UWt.js","/assets/AlertPanel-CwoiQ3RR.css","/assets/ArrangeCards-D4RjVUhF.css","/assets/ArrangeCards-zza8rVp7.js","/assets/BarChart-GLFSdAf6.js","/assets/BuyPrices-BtOv1hTS.js","/assets/CandleChart-C3jREkdV.js","/assets/CandleChart-C5h1kp1q.css","/assets/ChoiceCard-CNsAWEwW.css","/assets/ChoiceCard-D2MY2d9o.js","/assets/CodeInput-Ckj1b1M6.js","/assets/CommandPalette-BCg6RDPp.js","/assets/CommandPalette-BfyMvO4R.css","/assets/ConflictDialog-jI5ZtRWO.js","/assets/ConflictDialog-wcdZ7I8W.css","/assets/ConnectApp-DGODsFWL.css","/assets/ConnectApp-DPM5H6Q6.js","/assets/ConnectBroker-BWstx59c.css","/assets/ConnectBroker-DZSqRQBJ.js","/assets/ConnectionForm-B64hG--A.css","/assets/ConnectionForm-CvB3Xt1a.js","/assets/DataTable-gM8VKlzc.js","/assets/DayLogEditor-Rxpq-amK.js","/assets/DemoJournal-Cx9JoPCl.js","/assets/EditCondition-BmfegE0m.js","/assets/EditCondition-trOO7QBw.css","/assets/EntryDialog-VeW8M7NC.css","/assets/EntryDialog-mRml-Xu7.js","/assets/FilterInput-DgvtF97D.css","/assets/FilterInput-Dh1PCP7S.js","/assets/FilterSheet-BEz3PcT9.js","/assets/FirstRun-BqnZ5fqt.js","/assets/FirstRun-bWA-v7Yh.css","/assets/GroupResults-0qq5W9Ga.css","/assets/GroupResults-CgixSwrm.js","/assets/HelpDialog-CzCfim2k.js","/assets/HelpDialog-UCZRNqpj.css","/assets/Limits-BIxILTjE.css","/assets/Limits-NZGCIOfS.js","/assets/LinesChart-BnWqFvLv.js","/assets/LinesChart-Bo6yVHzn.css","/assets/MissingRates-CwrBwDp9.css","/assets/MissingRates-DdMj7-gG.js","/assets/MixedCurrencies-BFhTf0Qz.css","/assets/MixedCurrencies-cjPALo0P.js","/assets/OfflineDay-72PEgPDQ.js","/assets/OfflineDay-D99NsfzL.css","/assets/PictureDialog-C-TqoFF0.css","/assets/PictureDialog-bWw5xmpP.js","/assets/Positions-C4JX0yuI.js","/assets/Positions-ccEiSPKU.css","/assets/PriceChart-B9YVnaU6.css","/assets/PriceChart-DTKcH_d1.js","/assets/Register-D4_NQ0X2.js","/assets/Replay-CXOQ2mMN.css","/assets/Replay-DOWBWUOs.js","/assets/ReportCard-CJ2bqeb8.js","/assets/ReportCard-DRUVIwF_.css","/assets/Review-BQ6NuYHG.css","/assets/Review-BrP3O6LO.js","/assets/RuleResults-DDNbI0FU.js","/assets/RuleResults-kUDMWMsV.css","/assets/Runs-3dJUWR6k.js","/assets/Runs-kqkf9Wkk.css","/assets/Screen-BAwYBm3g.css","/assets/Screen-BDpO_iy9.css","/assets/Screen-BFKtOjTT.css","/assets/Screen-BGYXy8sk.css","/assets/Screen-BfGsClX9.css","/assets/Screen-Bg2SbkNt.css","/assets/Screen-BrsZimG7.css","/assets/Screen-C056fbii.css","/assets/Screen-CZ2BH-yW.css","/assets/Screen-Cvk5Uqie.css","/assets/Screen-DIf-FlwV.css","/assets/Screen-DTG0nIeK.css","/assets/Screen-N6D0nETz.css","/assets/Screen-XuTmzdpq.css","/assets/Screen-YUviYBBH.css","/assets/Screen-ZF2JureY.css","/assets/Screen-hphZJRDP.css","/assets/Screen-o02xRY8a.css","/assets/Screen-t45Omi-C.css","/assets/Screen-vSnOm4ov.css","/assets/Screen-y4TKK5aA.css","/assets/SelectedTrades-C841mbbs.css","/assets/SelectedTrades-CFueB5J6.js","/assets/ShareDialog-B67EvheW.css","/assets/ShareDialog-CtJyD318.js","/assets/SignIn-DVT8XmhM.js","/assets/SourceForm-DHummNd_.css","/assets/SourceForm-N4Vo1zbk.js","/assets/StackedCharts-22gZ4sTM.js","/assets/StackedCharts-BcIqbfQu.css","/assets/Standing-BXFWf5Yk.js","/assets/Standing-CPYmCedH.css","/assets/Steps-cQMnWOjM.css","/assets/Steps-sBDEm5q7.js","/assets/TagEffects-BJzg9HoG.js","/assets/TagEffects-BbzoTq8o.css","/assets/Templates-Cj-MIATI.js","/assets/Templates-gA4KaTAu.css","/assets/TradeDrawer-DX-jiD_v.css","/assets/TradeDrawer-GN1Yx5G_.js","/assets/TradeFills-B1YoQKCP.js","/assets/TradingKey-BueksCby.css","/assets/TradingKey-DObPkfnQ.js","/assets/UndoConflictDialog-CWCFInOT.js","/assets/ViewControls-mPhYKMeE.js","/assets/accounts-DPzSTR3h.js","/assets/actionText-y1Qg2vhi.js","/assets/actions-CGS_cAOo.js","/assets/admin-I4qGV9wt.js","/assets/alerts-DQhWsZCQ.js","/assets/base-DLeoj5-b.js","/assets/calendar-BkiyCpPt.js","/assets/connections-DTD1-3m0.js","/assets/download-C-BjOa0Z.js","/assets/export-Btr_abWD.js","/assets/favicon-1OJO7IKO.svg","/assets/grip-vertical-9ZiYkuud.js","/assets/history-DLzGkQ4h.js","/assets/icon-192-2a379d67.png","/assets/icon-512-9949e86d.png","/assets/icon-maskable-a4f40e07.png","/assets/import-Cs2togNa.js","/assets/index-B93_nLRS.css","/assets/index-Cc8XwHkm.js","/assets/inter-latin-Dx4kXJAl.woff2","/assets/manifest-5d606986.webmanifest","/assets/missed-CePCfZV3.js","/assets/notes-BRY_HXaA.js","/assets/notes-DxMbBghK.js","/assets/options-BYtp8-7x.js","/assets/options-wz41ltu6.js","/assets/order-B_2Bz1gY.js","/assets/passwordLength.svelte-jt6zpA_v.js","/assets/prices-vE-eePDM.js","/assets/programs-DQUVeJ-n.js","/assets/reports-Ci7CbCXm.js","/assets/routines-CwCRK1xS.js","/assets/rules-D_gfYv7a.js","/assets/settings-DSRF3CP_.js","/assets/setups-CNLme2oV.js","/assets/share-BehNzNEC.js","/assets/shared-Jo81viAy.js","/assets/shared-kFWX-pnc.css","/assets/symbols-R_6mMXjJ.js","/assets/tags-gf-kYhTs.js","/assets/theme-5bdcd13c.js","/assets/tokenScopes-o2RIuXeY.js","/assets/trades-hIpcVc5r.js","/assets/weekdays-DDnafm2g.js"];
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
