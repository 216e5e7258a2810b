const version = '02b2ee40';
const files = ["/assets/ArrangeCards-C9c74Jdp.js","/assets/ArrangeCards-D4RjVUhF.css","/assets/BarChart-Bt3eTqOo.js","/assets/BuyPrices-CA6-VciZ.js","/assets/ChoiceCard-BsBX_VYr.js","/assets/ChoiceCard-CNsAWEwW.css","/assets/CodeInput-BCDT6hDB.js","/assets/CommandPalette-BfyMvO4R.css","/assets/CommandPalette-DMuq70L4.js","/assets/ConflictDialog-CyfqGTXi.js","/assets/ConflictDialog-wcdZ7I8W.css","/assets/ConnectApp-DYdpDHTZ.js","/assets/ConnectApp-IeD_PbsN.css","/assets/ConnectBroker-BWstx59c.css","/assets/ConnectBroker-DDopSf2B.js","/assets/ConnectionForm-B64hG--A.css","/assets/ConnectionForm-Dfgt02re.js","/assets/DataTable-CfBdilQb.js","/assets/DayLogEditor-CC7J3g4a.js","/assets/DemoJournal-BWuqqHKM.js","/assets/EditCondition-DyC4TieO.js","/assets/EditCondition-trOO7QBw.css","/assets/EntryDialog-BEH9D3DU.js","/assets/EntryDialog-VeW8M7NC.css","/assets/FilterInput-BcGNBZG_.js","/assets/FilterInput-DgvtF97D.css","/assets/FilterSheet-CR59P4kn.js","/assets/FirstRun-DlRUz-RP.js","/assets/FirstRun-bWA-v7Yh.css","/assets/GroupResults-0qq5W9Ga.css","/assets/GroupResults-BiOO9jAl.js","/assets/HelpDialog-CW1hX9ja.js","/assets/HelpDialog-UCZRNqpj.css","/assets/Limits-BrnGLozz.css","/assets/Limits-z4rScEwq.js","/assets/LinesChart-Bo6yVHzn.css","/assets/LinesChart-DSZoG9sK.js","/assets/MissingRates-CwrBwDp9.css","/assets/MissingRates-DBLoYjjH.js","/assets/MixedCurrencies-BFhTf0Qz.css","/assets/MixedCurrencies-D03HUAZD.js","/assets/OfflineDay-D99NsfzL.css","/assets/OfflineDay-rV6bdvQ2.js","/assets/PictureDialog-C-TqoFF0.css","/assets/PictureDialog-ChL0EpN6.js","/assets/Positions-D7c_Kzjd.js","/assets/Positions-ccEiSPKU.css","/assets/PriceChart-BqFiCJsU.css","/assets/PriceChart-rZRTGyMt.js","/assets/Register-C1HJTwMj.js","/assets/Replay-CXOQ2mMN.css","/assets/Replay-Dza35gkl.js","/assets/ReportCard-DRUVIwF_.css","/assets/ReportCard-gDvj3h_k.js","/assets/Review-BQ6NuYHG.css","/assets/Review-lKnvwdpw.js","/assets/RuleResults-CpboDg51.js","/assets/RuleResults-kUDMWMsV.css","/assets/Runs-Tl8BYIm6.js","/assets/Runs-kqkf9Wkk.css","/assets/Screen-BAwYBm3g.css","/assets/Screen-BDpO_iy9.css","/assets/Screen-BFKtOjTT.css","/assets/Screen-BGYXy8sk.css","/assets/Screen-BfGsClX9.css","/assets/Screen-Bg2SbkNt.css","/assets/Screen-BnylY2NG.css","/assets/Screen-BrsZimG7.css","/assets/Screen-C056fbii.css","/assets/Screen-CZ2BH-yW.css","/assets/Screen-CZt4mPPB.css","/assets/Screen-Cvk5Uqie.css","/assets/Screen-N6D0nETz.css","/assets/Screen-Wi0Kbxf4.css","/assets/Screen-XuTmzdpq.css","/assets/Screen-YUviYBBH.css","/assets/Screen-ZF2JureY.css","/assets/Screen-hphZJRDP.css","/assets/Screen-o02xRY8a.css","/assets/Screen-t45Omi-C.css","/assets/Screen-y4TKK5aA.css","/assets/SelectedTrades-C841mbbs.css","/assets/SelectedTrades-D3ao9kbn.js","/assets/ShareDialog-B67EvheW.css","/assets/ShareDialog-BebXRjqE.js","/assets/SignIn-BRdItUhe.js","/assets/SourceForm-DHummNd_.css","/assets/SourceForm-DYL02rmc.js","/assets/Standing-BMOpu9Pn.js","/assets/Standing-h1WxMfPR.css","/assets/Steps-BSp3fRFK.js","/assets/Steps-cQMnWOjM.css","/assets/TagEffects-BbzoTq8o.css","/assets/TagEffects-CckZS7P1.js","/assets/Templates-DXsP4rNk.js","/assets/Templates-gA4KaTAu.css","/assets/TradeDrawer-CYGfSQqx.js","/assets/TradeDrawer-DX-jiD_v.css","/assets/TradeFills-Bj8vb7sS.js","/assets/TradingKey-BueksCby.css","/assets/TradingKey-T361sJVx.js","/assets/UndoConflictDialog--8veWhEd.js","/assets/ViewControls-D38xzibz.js","/assets/accounts-ccKVsLnL.js","/assets/actions-B4Fn_j2l.js","/assets/admin-DqtJACkD.js","/assets/base-jRNH3Pe4.js","/assets/calendar-CtHiS8hQ.js","/assets/connections-Bj83aShj.js","/assets/download-jfirJVRW.js","/assets/export-D1se2p6V.js","/assets/favicon-1OJO7IKO.svg","/assets/grip-vertical-XlvfrS1s.js","/assets/history-DkormLOL.js","/assets/icon-192-2a379d67.png","/assets/icon-512-9949e86d.png","/assets/icon-maskable-a4f40e07.png","/assets/import-DSLbuiwm.js","/assets/index-B8jhip83.js","/assets/index-BHjxRVXi.css","/assets/inter-latin-Dx4kXJAl.woff2","/assets/manifest-5d606986.webmanifest","/assets/missed-BkS4JJ66.js","/assets/notes-LmCl99sE.js","/assets/notes-r4i7RFxD.js","/assets/options-D4kIF5jr.js","/assets/options-wz41ltu6.js","/assets/order-B_2Bz1gY.js","/assets/passwordLength.svelte-dVFWHncV.js","/assets/prices--AhtyiFs.js","/assets/programs-CtKeA5me.js","/assets/reports-Kplb-UKA.js","/assets/routines-DlZJGy5R.js","/assets/rules-BtM7-sCO.js","/assets/settings-CRDjU81T.js","/assets/setups-BuPWrqdm.js","/assets/share-C3vlcpAV.js","/assets/shared-BRBGvneG.js","/assets/shared-DB3Hu4NF.css","/assets/symbols-DYeSkyLt.js","/assets/tags-DvXPVHGg.js","/assets/theme-5bdcd13c.js","/assets/tokenScopes-CaLGZsQz.js","/assets/trades-8TsEkgt8.js","/assets/weekdays-BEciMZdQ.js"];
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
