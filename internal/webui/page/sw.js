const version = 'b6f94553';
const files = ["/assets/ArrangeCards-BTEU9_zF.js","/assets/ArrangeCards-D4RjVUhF.css","/assets/BarChart-XgiTMbm2.js","/assets/BuyPrices-BsXbCgEa.js","/assets/ChoiceCard-7YRpOjQL.js","/assets/ChoiceCard-CNsAWEwW.css","/assets/CodeInput--B42fdvB.js","/assets/CommandPalette-BfyMvO4R.css","/assets/CommandPalette-CXPfQwua.js","/assets/ConflictDialog-S9OVOpL6.js","/assets/ConflictDialog-wcdZ7I8W.css","/assets/ConnectBroker-9n1MS1Gy.js","/assets/ConnectBroker-BWstx59c.css","/assets/ConnectionForm-B64hG--A.css","/assets/ConnectionForm-Bw_M7z2n.js","/assets/DataTable-CoUJU1OE.js","/assets/DayLogEditor-C6Yxd18L.js","/assets/DemoJournal-B5pYWskq.js","/assets/EditCondition-CBWimSK9.js","/assets/EditCondition-trOO7QBw.css","/assets/EntryDialog-VeW8M7NC.css","/assets/EntryDialog-gG2O65ea.js","/assets/FilterInput-Bk9CwNKs.js","/assets/FilterInput-DgvtF97D.css","/assets/FilterSheet-BlRvD3Mh.js","/assets/FirstRun-CObcaRMr.js","/assets/FirstRun-bWA-v7Yh.css","/assets/OfflineDay-D99NsfzL.css","/assets/OfflineDay-zbMSZFnH.js","/assets/PictureDialog-BsCS9lwM.js","/assets/PictureDialog-C-TqoFF0.css","/assets/Positions-C0mNUaPb.js","/assets/Positions-C9ATQ6Ni.css","/assets/PriceChart-BqFiCJsU.css","/assets/PriceChart-CcGQZb50.js","/assets/Register-BAWFVoS_.js","/assets/Replay-CKCjbCNd.js","/assets/Replay-CXOQ2mMN.css","/assets/ReportCard-DV83dcpT.js","/assets/ReportCard-Z8ktdsDS.css","/assets/Review-BQ6NuYHG.css","/assets/Review-Bpu6hhw-.js","/assets/RuleResults-VpM9H_ME.js","/assets/RuleResults-kUDMWMsV.css","/assets/Runs-C2XIINLW.js","/assets/Runs-kqkf9Wkk.css","/assets/Screen-BDpO_iy9.css","/assets/Screen-BFKtOjTT.css","/assets/Screen-BGYXy8sk.css","/assets/Screen-BHJaDf2S.css","/assets/Screen-BQAhMu9P.css","/assets/Screen-BfGsClX9.css","/assets/Screen-Bg2SbkNt.css","/assets/Screen-BnylY2NG.css","/assets/Screen-C056fbii.css","/assets/Screen-CZ2BH-yW.css","/assets/Screen-Cvk5Uqie.css","/assets/Screen-DryvwGCY.css","/assets/Screen-E-Sw4jEF.css","/assets/Screen-XuTmzdpq.css","/assets/Screen-YUviYBBH.css","/assets/Screen-o02xRY8a.css","/assets/Screen-xSQ76_m5.css","/assets/SelectedTrades-C841mbbs.css","/assets/SelectedTrades-DfMaNWvN.js","/assets/ShareDialog-B1nj7YhV.js","/assets/ShareDialog-B67EvheW.css","/assets/SignIn-DCwNuVYz.js","/assets/SourceForm-CCzK2YuK.js","/assets/SourceForm-DHummNd_.css","/assets/Steps-DxL7nBHl.js","/assets/Steps-cQMnWOjM.css","/assets/TagEffects-BbzoTq8o.css","/assets/TagEffects-Ct-3Hq4o.js","/assets/Templates-5FvpGVky.js","/assets/Templates-gA4KaTAu.css","/assets/TradeDrawer-5rs11Qvd.js","/assets/TradeDrawer-DX-jiD_v.css","/assets/TradeFills-Dh-QPIZ0.js","/assets/TradingKey-BueksCby.css","/assets/TradingKey-CsxVhhc4.js","/assets/UndoConflictDialog-CXxxdYNJ.js","/assets/ViewControls-Cxp8zAyV.js","/assets/accounts-CnMI0__u.js","/assets/admin-CtbUvItD.js","/assets/base-U1y1GNf5.js","/assets/calendar-C274t-6A.js","/assets/connections-DcrLA3T5.js","/assets/download-BMOxAwxy.js","/assets/export-vgeZf3MP.js","/assets/favicon-1OJO7IKO.svg","/assets/grip-vertical-CZe3PBQV.js","/assets/history-BDFNOm2S.js","/assets/icon-192-2a379d67.png","/assets/icon-512-9949e86d.png","/assets/icon-maskable-a4f40e07.png","/assets/import-XwB4H91j.js","/assets/index--bfSHkko.js","/assets/index-BstM7Sc5.css","/assets/inter-latin-Dx4kXJAl.woff2","/assets/manifest-5d606986.webmanifest","/assets/missed-DkUwRS2a.js","/assets/notes-BzYXB12I.js","/assets/notes-DvrJwG_o.js","/assets/options-wz41ltu6.js","/assets/order-B_2Bz1gY.js","/assets/passwordLength.svelte-CPY0t6Aa.js","/assets/phrase-dJi5ISLu.js","/assets/prices-Be5esByI.js","/assets/reports-DvIbe9Gu.js","/assets/rolldown-runtime-DK3Fl9T5.js","/assets/routines-OTPHUSo1.js","/assets/settings-COCx7-hY.js","/assets/setups-BFxWCfKp.js","/assets/share-BpLaF8id.js","/assets/shared-BTellq0c.css","/assets/shared-DpT0loJ5.js","/assets/tags-BPk4u_8_.js","/assets/theme-5bdcd13c.js","/assets/today-BoEK5L1c.js","/assets/today-MbAvKqa-.css","/assets/trades-BQhQcWp1.js"];
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
