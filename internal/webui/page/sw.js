const version = '7b9d9a46';
const files = ["/assets/ArrangeCards-CIDsPDIl.js","/assets/ArrangeCards-D4RjVUhF.css","/assets/BarChart-ChT3g9Bn.js","/assets/BuyPrices-CUU5UQcy.js","/assets/ChoiceCard-CNsAWEwW.css","/assets/ChoiceCard-DbYVgLNk.js","/assets/CodeInput-DoEr-nQf.js","/assets/CommandPalette-BfyMvO4R.css","/assets/CommandPalette-FIdLwX6y.js","/assets/ConflictDialog-BnTvr4xo.js","/assets/ConflictDialog-wcdZ7I8W.css","/assets/ConnectBroker-7-8S8wcm.js","/assets/ConnectBroker-BWstx59c.css","/assets/ConnectionForm-B64hG--A.css","/assets/ConnectionForm-CpNT8bMR.js","/assets/DataTable-Cyi7BGI3.js","/assets/DayLogEditor-q0QMErfc.js","/assets/DemoJournal-CTxNaBTI.js","/assets/EditCondition-5s0zQqki.js","/assets/EditCondition-trOO7QBw.css","/assets/EntryDialog-CY8pcyB4.js","/assets/EntryDialog-VeW8M7NC.css","/assets/FilterInput-DgvtF97D.css","/assets/FilterInput-Sqr2JhdV.js","/assets/FilterSheet-5h1bi_aS.js","/assets/FirstRun-CM18QAzm.js","/assets/FirstRun-bWA-v7Yh.css","/assets/LinesChart-Bm_Jth35.js","/assets/LinesChart-Bo6yVHzn.css","/assets/MissingRates-BVUZ5C6p.js","/assets/MissingRates-CwrBwDp9.css","/assets/MixedCurrencies-B9gIcg3L.js","/assets/MixedCurrencies-BFhTf0Qz.css","/assets/OfflineDay-6_6VaYEw.js","/assets/OfflineDay-D99NsfzL.css","/assets/PictureDialog-C-TqoFF0.css","/assets/PictureDialog-M1XXMRcl.js","/assets/Positions-BoyVe43-.js","/assets/Positions-ccEiSPKU.css","/assets/PriceChart-BqFiCJsU.css","/assets/PriceChart-DmAzL-hi.js","/assets/Register-DDSx-_QB.js","/assets/Replay-CXOQ2mMN.css","/assets/Replay-Dm_A_hbT.js","/assets/ReportCard-DFTRjOKQ.js","/assets/ReportCard-DRUVIwF_.css","/assets/Review-BQ6NuYHG.css","/assets/Review-CQDITxdv.js","/assets/RuleResults-BRbrFdEV.js","/assets/RuleResults-kUDMWMsV.css","/assets/Runs-BN9_Rhe_.js","/assets/Runs-kqkf9Wkk.css","/assets/Screen-BAwYBm3g.css","/assets/Screen-BDpO_iy9.css","/assets/Screen-BFKtOjTT.css","/assets/Screen-BGYXy8sk.css","/assets/Screen-BfGsClX9.css","/assets/Screen-Bg2SbkNt.css","/assets/Screen-BnylY2NG.css","/assets/Screen-C056fbii.css","/assets/Screen-CZ2BH-yW.css","/assets/Screen-Cvk5Uqie.css","/assets/Screen-Dl2k9RTw.css","/assets/Screen-E-Sw4jEF.css","/assets/Screen-N6D0nETz.css","/assets/Screen-Wi0Kbxf4.css","/assets/Screen-XuTmzdpq.css","/assets/Screen-YUviYBBH.css","/assets/Screen-edjujnZi.css","/assets/Screen-hphZJRDP.css","/assets/Screen-o02xRY8a.css","/assets/Screen-xSQ76_m5.css","/assets/Screen-y4TKK5aA.css","/assets/SelectedTrades-C841mbbs.css","/assets/SelectedTrades-lKvhqjbi.js","/assets/ShareDialog-B67EvheW.css","/assets/ShareDialog-BPmFY69v.js","/assets/SignIn-CMqUl21O.js","/assets/SourceForm-DHummNd_.css","/assets/SourceForm-MKWlCoKL.js","/assets/Steps-DU5MGqzM.js","/assets/Steps-cQMnWOjM.css","/assets/TagEffects-BbzoTq8o.css","/assets/TagEffects-CE-91NGv.js","/assets/Templates-gA4KaTAu.css","/assets/Templates-ifFTDnG7.js","/assets/TradeDrawer-DX-jiD_v.css","/assets/TradeDrawer-b-ce6lou.js","/assets/TradeFills-BCWrbcbM.js","/assets/TradingKey-BdbbDbHS.js","/assets/TradingKey-BueksCby.css","/assets/UndoConflictDialog-BOoTtzUq.js","/assets/ViewControls-Ca3OQeAb.js","/assets/accounts-AZhqBXf-.js","/assets/actions-CGjgnOfT.js","/assets/admin-BKNF2IA9.js","/assets/base-Bii9t8W4.js","/assets/calendar-_BvBkZfS.js","/assets/connections-of5T_NwT.js","/assets/download-DFLQoWCn.js","/assets/export-KFrx4Qv9.js","/assets/favicon-1OJO7IKO.svg","/assets/grip-vertical-DCXZ_UGy.js","/assets/history-Dk1lw3bB.js","/assets/icon-192-2a379d67.png","/assets/icon-512-9949e86d.png","/assets/icon-maskable-a4f40e07.png","/assets/import-D8K1fIjX.js","/assets/index-Bdi21flP.js","/assets/index-CKzsH2fO.css","/assets/inter-latin-Dx4kXJAl.woff2","/assets/manifest-5d606986.webmanifest","/assets/missed-DFeD0wUs.js","/assets/notes-CbXeA6rL.js","/assets/notes-DBX1VkYi.js","/assets/options-wz41ltu6.js","/assets/options-xPADEGvX.js","/assets/order-B_2Bz1gY.js","/assets/passwordLength.svelte-CuX0f3BM.js","/assets/prices-Copudo4a.js","/assets/programs-CJtNw8b2.js","/assets/reports-DVoyxjLA.js","/assets/rolldown-runtime-DK3Fl9T5.js","/assets/routines-C-bsCrK0.js","/assets/rules-DYQ9nqwM.js","/assets/settings-DYmIHv6z.js","/assets/setups-vraF2Sve.js","/assets/share-CxGncW38.js","/assets/shared-CtGsnBKV.css","/assets/shared-Cw7nUuED.js","/assets/tags-ixUDq9s3.js","/assets/theme-5bdcd13c.js","/assets/today-D3eb6rgO.js","/assets/today-DaIAz-8p.css","/assets/trades-D10DMacy.js","/assets/weekdays-CAQ-T3yF.js"];
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
