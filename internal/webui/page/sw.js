const version = 'f022e89c';
const files = ["/assets/AlertPanel-Boxlqy8W.js","/assets/AlertPanel-CwoiQ3RR.css","/assets/ArrangeCards-D4RjVUhF.css","/assets/ArrangeCards-tBFkaiaE.js","/assets/BarChart-quECfKNS.js","/assets/BuyPrices-BC6TUoyp.js","/assets/CandleChart-BjP1rUgI.js","/assets/CandleChart-C5h1kp1q.css","/assets/ChoiceCard-CNsAWEwW.css","/assets/ChoiceCard-DikjrzzL.js","/assets/CodeInput-C6-Titrh.js","/assets/CommandPalette-BGPs6Nbr.js","/assets/CommandPalette-BfyMvO4R.css","/assets/ConflictDialog-wcdZ7I8W.css","/assets/ConflictDialog-z-Q_Uq2y.js","/assets/ConnectApp-DGODsFWL.css","/assets/ConnectApp-Di9wJxBW.js","/assets/ConnectBroker-BWstx59c.css","/assets/ConnectBroker-UD8cgulx.js","/assets/ConnectionForm-B64hG--A.css","/assets/ConnectionForm-CCJg1fV8.js","/assets/DataTable-vp_BIj2F.js","/assets/DayLogEditor-D3npQT-z.js","/assets/DemoJournal-iBY1rOE1.js","/assets/EditCondition-D1izifRV.js","/assets/EditCondition-trOO7QBw.css","/assets/EntryDialog-Bbv9npbk.js","/assets/EntryDialog-VeW8M7NC.css","/assets/FilterInput-BIOGAd0m.js","/assets/FilterInput-DgvtF97D.css","/assets/FilterSheet-D21VrHfA.js","/assets/FirstRun-Do-K8sOA.js","/assets/FirstRun-bWA-v7Yh.css","/assets/GroupResults-0qq5W9Ga.css","/assets/GroupResults-CSN7s_9q.js","/assets/HelpDialog-BcKWok2i.js","/assets/HelpDialog-UCZRNqpj.css","/assets/Limits-BrnGLozz.css","/assets/Limits-DErABijD.js","/assets/LinesChart-Bo6yVHzn.css","/assets/LinesChart-SyWVPcSk.js","/assets/MissingRates-CwrBwDp9.css","/assets/MissingRates-D5AvFWlC.js","/assets/MixedCurrencies-BFhTf0Qz.css","/assets/MixedCurrencies-Dia9z4M5.js","/assets/OfflineDay-D99NsfzL.css","/assets/OfflineDay-DirRc6Gf.js","/assets/PictureDialog-C-TqoFF0.css","/assets/PictureDialog-CzPL2WP3.js","/assets/Positions-CAecZwmV.js","/assets/Positions-ccEiSPKU.css","/assets/PriceChart-B9YVnaU6.css","/assets/PriceChart-BPZGULIi.js","/assets/Register-NUDneosP.js","/assets/Replay-B-I0xgGW.js","/assets/Replay-CXOQ2mMN.css","/assets/ReportCard-CCoyroIU.js","/assets/ReportCard-DRUVIwF_.css","/assets/Review-BQ6NuYHG.css","/assets/Review-BdCeM-Y5.js","/assets/RuleResults-DxoATmeA.js","/assets/RuleResults-kUDMWMsV.css","/assets/Runs-C3t0Gkq4.js","/assets/Runs-kqkf9Wkk.css","/assets/Screen-BAwYBm3g.css","/assets/Screen-BDpO_iy9.css","/assets/Screen-BFKtOjTT.css","/assets/Screen-BGYXy8sk.css","/assets/Screen-BfGsClX9.css","/assets/Screen-Bg2SbkNt.css","/assets/Screen-BrsZimG7.css","/assets/Screen-C056fbii.css","/assets/Screen-CZ2BH-yW.css","/assets/Screen-CZt4mPPB.css","/assets/Screen-Cvk5Uqie.css","/assets/Screen-D7E1ZSon.css","/assets/Screen-N6D0nETz.css","/assets/Screen-XuTmzdpq.css","/assets/Screen-YUviYBBH.css","/assets/Screen-ZF2JureY.css","/assets/Screen-hphZJRDP.css","/assets/Screen-o02xRY8a.css","/assets/Screen-t45Omi-C.css","/assets/Screen-vSnOm4ov.css","/assets/Screen-y4TKK5aA.css","/assets/SelectedTrades-C841mbbs.css","/assets/SelectedTrades-Cb9-IaaX.js","/assets/ShareDialog-B67EvheW.css","/assets/ShareDialog-BT0bNR4I.js","/assets/SignIn-B2hX-onU.js","/assets/SourceForm-BiEwzWze.js","/assets/SourceForm-DHummNd_.css","/assets/StackedCharts-BcIqbfQu.css","/assets/StackedCharts-DwSuBvRH.js","/assets/Standing-BNK1yPf_.js","/assets/Standing-h1WxMfPR.css","/assets/Steps-BPtKMYVi.js","/assets/Steps-cQMnWOjM.css","/assets/TagEffects-BbzoTq8o.css","/assets/TagEffects-Bhqn0X-f.js","/assets/Templates-C0RfrGmu.js","/assets/Templates-gA4KaTAu.css","/assets/TradeDrawer-DX-jiD_v.css","/assets/TradeDrawer-TwMzMttd.js","/assets/TradeFills-DWKhULxU.js","/assets/TradingKey-BueksCby.css","/assets/TradingKey-DsYLO2r8.js","/assets/UndoConflictDialog-9XeXQNBB.js","/assets/ViewControls-d4jvYE6k.js","/assets/accounts-abr2_n_N.js","/assets/actionText-y1Qg2vhi.js","/assets/actions-cbbE--ez.js","/assets/admin-COxqpwRR.js","/assets/alerts-DQhWsZCQ.js","/assets/base-cIOlDOto.js","/assets/calendar-B0pATFbv.js","/assets/connections-DaTlL898.js","/assets/download-7T7Uwgpc.js","/assets/export-DNGejayW.js","/assets/favicon-1OJO7IKO.svg","/assets/grip-vertical-T-nLFwrq.js","/assets/history-DnKRFTxy.js","/assets/icon-192-2a379d67.png","/assets/icon-512-9949e86d.png","/assets/icon-maskable-a4f40e07.png","/assets/import-x4fapPGU.js","/assets/index-3HqHyQm6.css","/assets/index-CPQlH_dZ.js","/assets/inter-latin-Dx4kXJAl.woff2","/assets/manifest-5d606986.webmanifest","/assets/missed-BV27KMKf.js","/assets/notes-DcSJ-eyu.js","/assets/notes-x-6sOmV1.js","/assets/options-4dB8Wz9Z.js","/assets/options-wz41ltu6.js","/assets/order-B_2Bz1gY.js","/assets/passwordLength.svelte-BLOJLF1d.js","/assets/prices-4q5dWy_x.js","/assets/programs-COhiVVnf.js","/assets/reports-Dpi_eMoY.js","/assets/routines-DfFzE_Nv.js","/assets/rules-BIZWlz0E.js","/assets/settings-BVVU4qx6.js","/assets/setups-DIomQRwB.js","/assets/share-vJxQTc5f.js","/assets/shared-BMhaBXBC.js","/assets/shared-DB3Hu4NF.css","/assets/symbols-B9JknsYv.js","/assets/tags-HC0ZCyqo.js","/assets/theme-5bdcd13c.js","/assets/tokenScopes-B89nJ9ZG.js","/assets/trades-CUTiv0Y3.js","/assets/weekdays-AG_jadFt.js"];
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
