const version = '68e15d55';
const files = ["/assets/AlertPanel-CwoiQ3RR.css","/assets/AlertPanel-D7SXzzXT.js","/assets/ArrangeCards-BruRhuN4.js","/assets/ArrangeCards-D4RjVUhF.css","/assets/BarChart-oMxLwIWY.js","/assets/BuyPrices-C-aZRWZ3.js","/assets/CandleChart-C5h1kp1q.css","/assets/CandleChart-CLT8SL20.js","/assets/ChoiceCard-CNsAWEwW.css","/assets/ChoiceCard-s7lmK6-A.js","/assets/CodeInput-Ba2Mxp5T.js","/assets/CommandPalette-BfyMvO4R.css","/assets/CommandPalette-ilCSaBDj.js","/assets/ConflictDialog-CTtpwYzl.js","/assets/ConflictDialog-wcdZ7I8W.css","/assets/ConnectApp-DGODsFWL.css","/assets/ConnectApp-DQ9Zc_i1.js","/assets/ConnectBroker-BWstx59c.css","/assets/ConnectBroker-BiMcis94.js","/assets/ConnectionForm-B64hG--A.css","/assets/ConnectionForm-C0AK7Ila.js","/assets/DataTable-CuKsTRSv.js","/assets/DayLogEditor-ZSExr4RS.js","/assets/DemoJournal-RwZ-FqUK.js","/assets/EditCondition-Bmzn7h-s.js","/assets/EditCondition-trOO7QBw.css","/assets/EntryDialog-B5Fc8tmb.js","/assets/EntryDialog-CveI9Be2.css","/assets/FilterInput-DgvtF97D.css","/assets/FilterInput-N9wRAeR1.js","/assets/FilterSheet-Dg_pd-9X.js","/assets/FirstRun-Cei_qaxb.js","/assets/FirstRun-bWA-v7Yh.css","/assets/GroupResults-0qq5W9Ga.css","/assets/GroupResults-a0y0Huu0.js","/assets/HelpDialog-Dm0aQQ3n.js","/assets/HelpDialog-UCZRNqpj.css","/assets/Limits-BIxILTjE.css","/assets/Limits-DdLujYeu.js","/assets/LinesChart-Bo6yVHzn.css","/assets/LinesChart-CU0-IzGV.js","/assets/MissingRates-CwrBwDp9.css","/assets/MissingRates-y17to2Dn.js","/assets/MixedCurrencies-B2h4n0vz.js","/assets/MixedCurrencies-BFhTf0Qz.css","/assets/OfflineDay-D99NsfzL.css","/assets/OfflineDay-D_jSK6tT.js","/assets/PictureDialog-8B1HEFnT.js","/assets/PictureDialog-C-TqoFF0.css","/assets/Positions-CJDekIHT.js","/assets/Positions-ccEiSPKU.css","/assets/PriceChart-B9YVnaU6.css","/assets/PriceChart-DSlrZYps.js","/assets/Register-DfAmdpJT.js","/assets/Replay-CXOQ2mMN.css","/assets/Replay-DMugI-D1.js","/assets/ReportCard-DRUVIwF_.css","/assets/ReportCard-mzlgio4t.js","/assets/Review-BQ6NuYHG.css","/assets/Review-PrZEDYYC.js","/assets/RuleResults-D2pDY5TJ.js","/assets/RuleResults-kUDMWMsV.css","/assets/Runs-BYO-Ep8v.js","/assets/Runs-I2Z-Wtv0.css","/assets/Screen-BDpO_iy9.css","/assets/Screen-BFKtOjTT.css","/assets/Screen-BGYXy8sk.css","/assets/Screen-BfGsClX9.css","/assets/Screen-Bg2SbkNt.css","/assets/Screen-BrsZimG7.css","/assets/Screen-C-EE9g6c.css","/assets/Screen-C056fbii.css","/assets/Screen-CGMTDuYO.css","/assets/Screen-CZ2BH-yW.css","/assets/Screen-Cvk5Uqie.css","/assets/Screen-CxrD0ALA.css","/assets/Screen-DAXrT0FL.css","/assets/Screen-DFpKUX-y.css","/assets/Screen-XuTmzdpq.css","/assets/Screen-YUviYBBH.css","/assets/Screen-hphZJRDP.css","/assets/Screen-o02xRY8a.css","/assets/Screen-t45Omi-C.css","/assets/Screen-tsMuX7kQ.css","/assets/Screen-vSnOm4ov.css","/assets/SelectedTrades-C841mbbs.css","/assets/SelectedTrades-DwJxT0Yz.js","/assets/ShareDialog-B67EvheW.css","/assets/ShareDialog-BqIfh438.js","/assets/SignIn-ocMxjpst.js","/assets/SourceForm-DHummNd_.css","/assets/SourceForm-iIBQp3e7.js","/assets/StackedCharts-BcIqbfQu.css","/assets/StackedCharts-CdvhSxyf.js","/assets/Standing-BZP2qrYs.js","/assets/Standing-CPYmCedH.css","/assets/Steps-B7vnZMq4.js","/assets/Steps-cQMnWOjM.css","/assets/TagEffects-B_bLF1_d.js","/assets/TagEffects-BbzoTq8o.css","/assets/Templates-DBWoxQV6.js","/assets/Templates-gA4KaTAu.css","/assets/TradeDrawer-D9jguSkx.js","/assets/TradeDrawer-DX-jiD_v.css","/assets/TradeFills-DzVyaeJU.js","/assets/TradingKey-BueksCby.css","/assets/TradingKey-CW1yqe-P.js","/assets/UndoConflictDialog-UKYGa087.js","/assets/ViewControls-Bb4w4BB2.js","/assets/accounts-BsGZXF1C.js","/assets/actions-fowBOB-Y.js","/assets/admin-DykHF7hH.js","/assets/alerts-DQhWsZCQ.js","/assets/base-oUeYFByp.js","/assets/calendar-BGy61XCd.js","/assets/connections-ujcgoJlT.js","/assets/download-B1d0IoK5.js","/assets/export-BpfSFxRr.js","/assets/favicon-1OJO7IKO.svg","/assets/grip-vertical-B9V0h74H.js","/assets/history-C4JTRD1S.js","/assets/icon-192-2a379d67.png","/assets/icon-512-9949e86d.png","/assets/icon-maskable-a4f40e07.png","/assets/import-CDA-eO6P.js","/assets/index-B4XAvEK5.css","/assets/index-O8jQ_RZJ.js","/assets/inter-latin-l50pdHVL.woff2","/assets/manifest-5d606986.webmanifest","/assets/missed-DpEru5Hn.js","/assets/notes-B9I22Ba7.js","/assets/notes-BIe6Oyxl.js","/assets/options-l6NhDIZF.js","/assets/options-wz41ltu6.js","/assets/order-B_2Bz1gY.js","/assets/passwordLength.svelte-C4fSuuc2.js","/assets/prices-pBip_cGt.js","/assets/programs-D-ujLEu3.js","/assets/reports-D6huM-C1.js","/assets/routines-B_4MC79Y.js","/assets/rules-jr5-_fJa.js","/assets/settings-B8NZ-wMB.js","/assets/setups-CHRpGTKY.js","/assets/share-BoyPPafD.js","/assets/shared-CFdOWllT.css","/assets/shared-h658My1e.js","/assets/symbols-ClXXyZRA.js","/assets/tags-CK8qJqUl.js","/assets/theme-5bdcd13c.js","/assets/tokenScopes-CXViGNwN.js","/assets/trades-DtoTC5BU.js","/assets/weekdays--i6ldNwt.js"];
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
