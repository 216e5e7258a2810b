const version = '208272fb';
const files = ["/assets/AlertPanel-CwoiQ3RR.css","/assets/AlertPanel-D8lclUi2.js","/assets/ArrangeCards-B-MKL5fR.js","/assets/ArrangeCards-D4RjVUhF.css","/assets/BarChart-CSVKUbc5.js","/assets/BuyPrices-CJVo71xD.js","/assets/CandleChart-C5h1kp1q.css","/assets/CandleChart-Dm9kZv04.js","/assets/ChoiceCard-B1s7N1Om.js","/assets/ChoiceCard-CNsAWEwW.css","/assets/CodeInput-CTTyI7y0.js","/assets/CommandPalette-4OjbNB8D.js","/assets/CommandPalette-BfyMvO4R.css","/assets/ConflictDialog-DB6jkmtJ.js","/assets/ConflictDialog-wcdZ7I8W.css","/assets/ConnectApp-C0YBhc0I.js","/assets/ConnectApp-DGODsFWL.css","/assets/ConnectBroker-BWstx59c.css","/assets/ConnectBroker-IVWrXvjF.js","/assets/ConnectionForm-B64hG--A.css","/assets/ConnectionForm-BzBcbvi2.js","/assets/DataTable-XWox8xVx.js","/assets/DayLogEditor-Ddy64js4.js","/assets/DemoJournal-B2HTHisr.js","/assets/EditCondition-7SMxylUv.js","/assets/EditCondition-trOO7QBw.css","/assets/EntryDialog-7Wyz1m_t.js","/assets/EntryDialog-CveI9Be2.css","/assets/FilterInput-Ce-5x8a6.js","/assets/FilterInput-DgvtF97D.css","/assets/FilterSheet-Czt39ZXA.js","/assets/FirstRun-BnakQof0.js","/assets/FirstRun-bWA-v7Yh.css","/assets/GroupResults-0qq5W9Ga.css","/assets/GroupResults-Br9Evzrb.js","/assets/HelpDialog-By4nhShR.js","/assets/HelpDialog-UCZRNqpj.css","/assets/Limits-BIxILTjE.css","/assets/Limits-Ds4L2d0C.js","/assets/LinesChart-4YqFMoth.js","/assets/LinesChart-Bo6yVHzn.css","/assets/MissingRates-BPq0Af-w.js","/assets/MissingRates-CwrBwDp9.css","/assets/MixedCurrencies-BFhTf0Qz.css","/assets/MixedCurrencies-up-36KvR.js","/assets/OfflineDay-D99NsfzL.css","/assets/OfflineDay-Dj8Cx_Qf.js","/assets/PictureDialog-C-TqoFF0.css","/assets/PictureDialog-CBemLUD3.js","/assets/Positions-Blnqikv-.js","/assets/Positions-ccEiSPKU.css","/assets/PriceChart-B9YVnaU6.css","/assets/PriceChart-C3qXekpO.js","/assets/Register-B3WOEwWb.js","/assets/Replay-CXOQ2mMN.css","/assets/Replay-XtYJlPvI.js","/assets/ReportCard-C_nv5psm.js","/assets/ReportCard-DRUVIwF_.css","/assets/Review-BQ6NuYHG.css","/assets/Review-F58pDnKk.js","/assets/RuleResults-Ced9Jr7Y.js","/assets/RuleResults-kUDMWMsV.css","/assets/Runs-EnTrVrYR.js","/assets/Runs-I2Z-Wtv0.css","/assets/Screen-BDpO_iy9.css","/assets/Screen-BFKtOjTT.css","/assets/Screen-BGYXy8sk.css","/assets/Screen-BfGsClX9.css","/assets/Screen-Bg2SbkNt.css","/assets/Screen-BrsZimG7.css","/assets/Screen-C-EE9g6c.css","/assets/Screen-C056fbii.css","/assets/Screen-CGMTDuYO.css","/assets/Screen-CZ2BH-yW.css","/assets/Screen-Cvk5Uqie.css","/assets/Screen-CxrD0ALA.css","/assets/Screen-DAXrT0FL.css","/assets/Screen-DFpKUX-y.css","/assets/Screen-XuTmzdpq.css","/assets/Screen-YUviYBBH.css","/assets/Screen-hphZJRDP.css","/assets/Screen-o02xRY8a.css","/assets/Screen-t45Omi-C.css","/assets/Screen-tsMuX7kQ.css","/assets/Screen-vSnOm4ov.css","/assets/SelectedTrades-C841mbbs.css","/assets/SelectedTrades-Dc_RgotR.js","/assets/ShareDialog-B67EvheW.css","/assets/ShareDialog-DURZ08HE.js","/assets/SignIn-8suuQQry.js","/assets/SourceForm-DHummNd_.css","/assets/SourceForm-DiUNTT2o.js","/assets/StackedCharts-BcIqbfQu.css","/assets/StackedCharts-DiCh3aDd.js","/assets/Standing-CPYmCedH.css","/assets/Standing-JdZrjA01.js","/assets/Steps-cQMnWOjM.css","/assets/Steps-ug5LGbqv.js","/assets/TagEffects-BbzoTq8o.css","/assets/TagEffects-YFVNWQ_k.js","/assets/Templates-avIBUHW7.js","/assets/Templates-gA4KaTAu.css","/assets/TradeDrawer-BkUtVESo.js","/assets/TradeDrawer-DX-jiD_v.css","/assets/TradeFills-BUwFf7Ce.js","/assets/TradingKey-BueksCby.css","/assets/TradingKey-Ec_MD-tc.js","/assets/UndoConflictDialog-DkVkwZf2.js","/assets/ViewControls-BsFCXLPF.js","/assets/accounts-oRXauG2D.js","/assets/actions-B0cYVdN9.js","/assets/admin-BBx0Tt5k.js","/assets/alerts-DQhWsZCQ.js","/assets/base-DzKpkMjc.js","/assets/calendar-CcBYtrWK.js","/assets/connections-D_0xtlzD.js","/assets/download-rJR3WOR3.js","/assets/export-VN-AFKR7.js","/assets/favicon-1OJO7IKO.svg","/assets/grip-vertical-L93yBPpv.js","/assets/history-R8UVDtRP.js","/assets/icon-192-2a379d67.png","/assets/icon-512-9949e86d.png","/assets/icon-maskable-a4f40e07.png","/assets/import-B5kY3i9x.js","/assets/index-BxXCe_Wc.js","/assets/index-DsFm_yWu.css","/assets/inter-latin-l50pdHVL.woff2","/assets/manifest-5d606986.webmanifest","/assets/missed-DVYiMO_N.js","/assets/notes-BAEnE4W2.js","/assets/notes-CHcMMJgf.js","/assets/options-W8Slm339.js","/assets/options-wz41ltu6.js","/assets/order-B_2Bz1gY.js","/assets/passwordLength.svelte-Cqie1usp.js","/assets/prices-CvEYubTd.js","/assets/programs-Q1XsjN3b.js","/assets/reports-ByeB_FP6.js","/assets/routines-g8h46Yp8.js","/assets/rules-xPxRA07e.js","/assets/settings-oDvg_YRB.js","/assets/setups-BxUevj-p.js","/assets/share-CAid1acF.js","/assets/shared-CFdOWllT.css","/assets/shared-CZ_217Ev.js","/assets/symbols-BnFlmoI2.js","/assets/tags-C5_RbsT0.js","/assets/theme-5bdcd13c.js","/assets/tokenScopes-D78vl3JT.js","/assets/trades-DWY2owKI.js","/assets/weekdays-pjqqUOAh.js"];
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
