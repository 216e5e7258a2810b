const version = 'da72e044';
const files = ["/assets/ArrangeCards-B3dAbO_d.js","/assets/ArrangeCards-D4RjVUhF.css","/assets/BarChart-CyrPJTsc.js","/assets/BuyPrices-OpKLHl1I.js","/assets/ChoiceCard-BXJNrziq.js","/assets/ChoiceCard-CNsAWEwW.css","/assets/CodeInput-uzuDi66u.js","/assets/CommandPalette-BfyMvO4R.css","/assets/CommandPalette-CvCObYrg.js","/assets/ConflictDialog-CJUFr5UA.js","/assets/ConflictDialog-wcdZ7I8W.css","/assets/ConnectBroker-B5Vt0BEN.js","/assets/ConnectBroker-BWstx59c.css","/assets/ConnectionForm-B64hG--A.css","/assets/ConnectionForm-I2Dn_ibm.js","/assets/DataTable-BFBYsjY2.js","/assets/DayLogEditor-B7cDFPf-.js","/assets/DemoJournal-DhM0W_J4.js","/assets/EditCondition-D56-kpQL.js","/assets/EditCondition-trOO7QBw.css","/assets/EntryDialog-DEA0xyyX.js","/assets/EntryDialog-VeW8M7NC.css","/assets/FilterInput-DgvtF97D.css","/assets/FilterInput-Dq5_Vl4Y.js","/assets/FilterSheet-DHIcekAr.js","/assets/FirstRun-DRhUFYRk.js","/assets/FirstRun-bWA-v7Yh.css","/assets/OfflineDay-D99NsfzL.css","/assets/OfflineDay-DNA14oGk.js","/assets/PictureDialog-BFXtUnGO.js","/assets/PictureDialog-C-TqoFF0.css","/assets/Positions-C9ATQ6Ni.css","/assets/Positions-_zTuBWTY.js","/assets/PriceChart-BqFiCJsU.css","/assets/PriceChart-DmzLckih.js","/assets/Register-D3WhNrr1.js","/assets/Replay-CXOQ2mMN.css","/assets/Replay-Zzn7nbxT.js","/assets/ReportCard-BGDlQk2U.js","/assets/ReportCard-Z8ktdsDS.css","/assets/Review-1EsKBYDT.js","/assets/Review-BQ6NuYHG.css","/assets/RuleResults-B7b8BYop.js","/assets/RuleResults-kUDMWMsV.css","/assets/Runs-Ch0OcVIz.js","/assets/Runs-kqkf9Wkk.css","/assets/Screen-BDpO_iy9.css","/assets/Screen-BFKtOjTT.css","/assets/Screen-BGYXy8sk.css","/assets/Screen-BHJaDf2S.css","/assets/Screen-BQAhMu9P.css","/assets/Screen-BfGsClX9.css","/assets/Screen-Bg2SbkNt.css","/assets/Screen-BnylY2NG.css","/assets/Screen-C056fbii.css","/assets/Screen-CZ2BH-yW.css","/assets/Screen-Cvk5Uqie.css","/assets/Screen-DryvwGCY.css","/assets/Screen-E-Sw4jEF.css","/assets/Screen-XuTmzdpq.css","/assets/Screen-YUviYBBH.css","/assets/Screen-o02xRY8a.css","/assets/Screen-xSQ76_m5.css","/assets/SelectedTrades-C841mbbs.css","/assets/SelectedTrades-s0H9rWUI.js","/assets/ShareDialog-B67EvheW.css","/assets/ShareDialog-CFl8d57N.js","/assets/SignIn-a9sS60iM.js","/assets/SourceForm-DHummNd_.css","/assets/SourceForm-Q7N2LgXZ.js","/assets/Steps-4cPCTD4w.js","/assets/Steps-cQMnWOjM.css","/assets/TagEffects-BbzoTq8o.css","/assets/TagEffects-Mdr76oQF.js","/assets/Templates-BpyOVxfr.js","/assets/Templates-gA4KaTAu.css","/assets/TradeDrawer-Bgp84moj.js","/assets/TradeDrawer-DX-jiD_v.css","/assets/TradeFills-DkB2ybUO.js","/assets/TradingKey-BhMokZ_g.js","/assets/TradingKey-BueksCby.css","/assets/UndoConflictDialog-DiYloTRR.js","/assets/ViewControls-BgLJgf8m.js","/assets/accounts-DVxeCJ0i.js","/assets/admin-BxXV0vJr.js","/assets/base-DBfU8ho5.js","/assets/calendar-_el776c0.js","/assets/connections-G7I8R1NM.js","/assets/download-Bqd0mol0.js","/assets/export-00K0eEH6.js","/assets/favicon-1OJO7IKO.svg","/assets/grip-vertical-rUPZEbv4.js","/assets/history-Bg5cHNMj.js","/assets/icon-192-2a379d67.png","/assets/icon-512-9949e86d.png","/assets/icon-maskable-a4f40e07.png","/assets/import-BW1cnenb.js","/assets/index-BWbTPbnH.js","/assets/index-BstM7Sc5.css","/assets/inter-latin-Dx4kXJAl.woff2","/assets/manifest-5d606986.webmanifest","/assets/missed-BIywSISx.js","/assets/notes-D-XkE8l4.js","/assets/notes-DRA9CXf_.js","/assets/options-wz41ltu6.js","/assets/order-B_2Bz1gY.js","/assets/passwordLength.svelte-KVEDWPOU.js","/assets/phrase-B8jWpb9Q.js","/assets/prices-doZyi5Yc.js","/assets/reports-B8_Q5QQw.js","/assets/rolldown-runtime-DK3Fl9T5.js","/assets/routines-D4OI6Txs.js","/assets/settings-BxUIurO3.js","/assets/setups-EL62KqIz.js","/assets/share-BoIvMF5M.js","/assets/shared-BTellq0c.css","/assets/shared-BtMQ_GV2.js","/assets/tags-RObnkQT9.js","/assets/theme-5bdcd13c.js","/assets/today-EMx9XP76.js","/assets/today-MbAvKqa-.css","/assets/trades-BhJyT7E1.js"];
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
