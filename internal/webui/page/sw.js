const version = 'b6580207';
const files = ["/assets/AlertPanel-C3nD5W9a.js","/assets/AlertPanel-CwoiQ3RR.css","/assets/ArrangeCards-C6oBhDrL.js","/assets/ArrangeCards-D4RjVUhF.css","/assets/BarChart-yifG1GUe.js","/assets/BuyPrices-CRYfz5k9.js","/assets/ChoiceCard-BS3w-tJt.js","/assets/ChoiceCard-CNsAWEwW.css","/assets/CodeInput-DMfFyxpp.js","/assets/CommandPalette-BfyMvO4R.css","/assets/CommandPalette-lfbxfDbF.js","/assets/ConflictDialog-CSHi_JUa.js","/assets/ConflictDialog-wcdZ7I8W.css","/assets/ConnectApp-CQHOSpWR.js","/assets/ConnectApp-DGODsFWL.css","/assets/ConnectBroker-BWstx59c.css","/assets/ConnectBroker-XYg5ud-T.js","/assets/ConnectionForm-B64hG--A.css","/assets/ConnectionForm-BptskHoO.js","/assets/DataTable-BhBSQDvF.js","/assets/DayLogEditor-6txavVa3.js","/assets/DemoJournal-Cv66H8w3.js","/assets/EditCondition-BnC1Y1B1.js","/assets/EditCondition-trOO7QBw.css","/assets/EntryDialog-DCy9J3BL.js","/assets/EntryDialog-VeW8M7NC.css","/assets/FilterInput-DgvtF97D.css","/assets/FilterInput-__hdIZJ1.js","/assets/FilterSheet-BEtMJZKd.js","/assets/FirstRun-BlHzKTmo.js","/assets/FirstRun-bWA-v7Yh.css","/assets/GroupResults-0qq5W9Ga.css","/assets/GroupResults-B6sY4dc4.js","/assets/HelpDialog-BPfBiOra.js","/assets/HelpDialog-UCZRNqpj.css","/assets/Limits-BrnGLozz.css","/assets/Limits-CteovviG.js","/assets/LinesChart-Bo6yVHzn.css","/assets/LinesChart-K99Zh62p.js","/assets/MissingRates-CihNLW_q.js","/assets/MissingRates-CwrBwDp9.css","/assets/MixedCurrencies-BFhTf0Qz.css","/assets/MixedCurrencies-Cs-abXhS.js","/assets/OfflineDay-Cn8uGcmg.js","/assets/OfflineDay-D99NsfzL.css","/assets/PictureDialog-C-TqoFF0.css","/assets/PictureDialog-CDz-ktpH.js","/assets/Positions-DJYaRTja.js","/assets/Positions-ccEiSPKU.css","/assets/PriceChart-BqFiCJsU.css","/assets/PriceChart-DmpJ2xia.js","/assets/Register-BL0Wj_Xb.js","/assets/Replay-CXOQ2mMN.css","/assets/Replay-UVdaQ3qf.js","/assets/ReportCard-DRUVIwF_.css","/assets/ReportCard-DokgoIqg.js","/assets/Review-BQ6NuYHG.css","/assets/Review-CNIyjME7.js","/assets/RuleResults-DPjKhMud.js","/assets/RuleResults-kUDMWMsV.css","/assets/Runs-BMbXCoD7.js","/assets/Runs-kqkf9Wkk.css","/assets/Screen-BAwYBm3g.css","/assets/Screen-BDpO_iy9.css","/assets/Screen-BFKtOjTT.css","/assets/Screen-BGYXy8sk.css","/assets/Screen-BfGsClX9.css","/assets/Screen-Bg2SbkNt.css","/assets/Screen-BrsZimG7.css","/assets/Screen-C056fbii.css","/assets/Screen-CZ2BH-yW.css","/assets/Screen-CZt4mPPB.css","/assets/Screen-Cvk5Uqie.css","/assets/Screen-D7E1ZSon.css","/assets/Screen-N6D0nETz.css","/assets/Screen-XuTmzdpq.css","/assets/Screen-YUviYBBH.css","/assets/Screen-ZF2JureY.css","/assets/Screen-hphZJRDP.css","/assets/Screen-o02xRY8a.css","/assets/Screen-t45Omi-C.css","/assets/Screen-vSnOm4ov.css","/assets/Screen-y4TKK5aA.css","/assets/SelectedTrades-Byv8-JlE.js","/assets/SelectedTrades-C841mbbs.css","/assets/ShareDialog-B67EvheW.css","/assets/ShareDialog-BQRcidtY.js","/assets/SignIn-YAWENyMn.js","/assets/SourceForm-DGXbRkGu.js","/assets/SourceForm-DHummNd_.css","/assets/Standing-BLGwBp6O.js","/assets/Standing-h1WxMfPR.css","/assets/Steps-DbZbmIBq.js","/assets/Steps-cQMnWOjM.css","/assets/TagEffects-BbzoTq8o.css","/assets/TagEffects-BgpSsgqx.js","/assets/Templates-CfjIl4K5.js","/assets/Templates-gA4KaTAu.css","/assets/TradeDrawer-DX-jiD_v.css","/assets/TradeDrawer-F3YcoVlr.js","/assets/TradeFills-DqfIf8Ni.js","/assets/TradingKey-BVh5Bdsq.js","/assets/TradingKey-BueksCby.css","/assets/UndoConflictDialog-B7FMPk5e.js","/assets/ViewControls-ch2IXeV7.js","/assets/accounts-DDrbIkwB.js","/assets/actionText-y1Qg2vhi.js","/assets/actions-CRw0uQbT.js","/assets/admin-QUDXyitn.js","/assets/alerts-DQhWsZCQ.js","/assets/base-DhdqRsGS.js","/assets/calendar-CLJcF96h.js","/assets/connections-5FwpbDPH.js","/assets/download-SQEcQVMu.js","/assets/export-D8fQ9rGY.js","/assets/favicon-1OJO7IKO.svg","/assets/grip-vertical-BOpmn74q.js","/assets/history-Bqz0I5ky.js","/assets/icon-192-2a379d67.png","/assets/icon-512-9949e86d.png","/assets/icon-maskable-a4f40e07.png","/assets/import-D2r1evJj.js","/assets/index-3HqHyQm6.css","/assets/index-BFAF-A0L.js","/assets/inter-latin-Dx4kXJAl.woff2","/assets/manifest-5d606986.webmanifest","/assets/missed-BTFYKt7J.js","/assets/notes-D2z_Qpdc.js","/assets/notes-DjW1UVpH.js","/assets/options-DJvcjy5O.js","/assets/options-wz41ltu6.js","/assets/order-B_2Bz1gY.js","/assets/passwordLength.svelte-D3v0lTnV.js","/assets/prices-FqzgW0-V.js","/assets/programs-DDoQCZfh.js","/assets/reports-vhhbXKqo.js","/assets/routines-BxoUVBNR.js","/assets/rules-BNlvsqcn.js","/assets/settings-CZ99d8xd.js","/assets/setups-BILzSmmv.js","/assets/share-QsEcZaxu.js","/assets/shared-DB3Hu4NF.css","/assets/shared-_VIt00Np.js","/assets/symbols-DvYagOOi.js","/assets/tags-DBkzEvaS.js","/assets/theme-5bdcd13c.js","/assets/tokenScopes-8Ug-aGKm.js","/assets/trades-DlXsq_zA.js","/assets/weekdays-D3XQWJ0H.js"];
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
