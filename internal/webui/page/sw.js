const version = '5d1b2f37';
const files = ["/assets/ArrangeCards-Bn60tcXF.js","/assets/ArrangeCards-D4RjVUhF.css","/assets/BarChart-CnMI0TMT.js","/assets/BuyPrices-7GFWKRXe.js","/assets/ChoiceCard-BURaGkuP.js","/assets/ChoiceCard-CNsAWEwW.css","/assets/CodeInput-Bcj1xWaW.js","/assets/CommandPalette-BTR3e5rh.js","/assets/CommandPalette-BfyMvO4R.css","/assets/ConflictDialog-CiYzHX5T.js","/assets/ConflictDialog-wcdZ7I8W.css","/assets/ConnectBroker-BWstx59c.css","/assets/ConnectBroker-D4a4pqnY.js","/assets/ConnectionForm-B64hG--A.css","/assets/ConnectionForm-DVfnhQPM.js","/assets/DataTable-DXe_vCKK.js","/assets/DayLogEditor-ClCiDJXe.js","/assets/DemoJournal-BHHieAMO.js","/assets/EditCondition-trOO7QBw.css","/assets/EditCondition-zW4EQsv0.js","/assets/EntryDialog-Cms6VvDG.js","/assets/EntryDialog-VeW8M7NC.css","/assets/FilterInput-BMJ8APQ_.js","/assets/FilterInput-DgvtF97D.css","/assets/FilterSheet-egle-rg1.js","/assets/FirstRun-C8TzThO1.js","/assets/FirstRun-bWA-v7Yh.css","/assets/OfflineDay-D99NsfzL.css","/assets/OfflineDay-DDx1h0pO.js","/assets/PictureDialog-B4gsMwG8.js","/assets/PictureDialog-C-TqoFF0.css","/assets/Positions-C9ATQ6Ni.css","/assets/Positions-skDeZ9Dm.js","/assets/PriceChart-BqFiCJsU.css","/assets/PriceChart-D9Y2YWCG.js","/assets/Register-ej4VUEL6.js","/assets/Replay-BPz3QDSk.js","/assets/Replay-CXOQ2mMN.css","/assets/ReportCard-C628bmGF.js","/assets/ReportCard-DRUVIwF_.css","/assets/Review-BQ6NuYHG.css","/assets/Review-CU4VG-sz.js","/assets/RuleResults-B04TSjtj.js","/assets/RuleResults-kUDMWMsV.css","/assets/Runs-RmiUA6UN.js","/assets/Runs-kqkf9Wkk.css","/assets/Screen-BDpO_iy9.css","/assets/Screen-BFKtOjTT.css","/assets/Screen-BGYXy8sk.css","/assets/Screen-BHJaDf2S.css","/assets/Screen-BQAhMu9P.css","/assets/Screen-BfGsClX9.css","/assets/Screen-Bg2SbkNt.css","/assets/Screen-BnylY2NG.css","/assets/Screen-C056fbii.css","/assets/Screen-CZ2BH-yW.css","/assets/Screen-Cvk5Uqie.css","/assets/Screen-DryvwGCY.css","/assets/Screen-E-Sw4jEF.css","/assets/Screen-XuTmzdpq.css","/assets/Screen-YUviYBBH.css","/assets/Screen-o02xRY8a.css","/assets/Screen-xSQ76_m5.css","/assets/SelectedTrades-C63-_IpU.js","/assets/SelectedTrades-C841mbbs.css","/assets/ShareDialog-B67EvheW.css","/assets/ShareDialog-DDaCEFeM.js","/assets/SignIn-D6bUvSyA.js","/assets/SourceForm-DHummNd_.css","/assets/SourceForm-DmDZcPBB.js","/assets/Steps-cQMnWOjM.css","/assets/Steps-hVQAtEqY.js","/assets/TagEffects-BbzoTq8o.css","/assets/TagEffects-OXyyQF0W.js","/assets/Templates-Bsu7jXHS.js","/assets/Templates-gA4KaTAu.css","/assets/TradeDrawer-CFUZwAZ_.js","/assets/TradeDrawer-DX-jiD_v.css","/assets/TradeFills-IJ7EWptD.js","/assets/TradingKey-BueksCby.css","/assets/TradingKey-puJQxN7o.js","/assets/UndoConflictDialog-j52ijAWe.js","/assets/ViewControls-BNk0G48g.js","/assets/accounts-DMXhR1rz.js","/assets/admin-B9IARftB.js","/assets/base-7slE3KDA.js","/assets/calendar-B3NJIImH.js","/assets/connections-DDCRe__J.js","/assets/download-B2q648vd.js","/assets/export-BaZgmUdK.js","/assets/favicon-1OJO7IKO.svg","/assets/grip-vertical-D0-VlB-e.js","/assets/history-CNw_NFZo.js","/assets/icon-192-2a379d67.png","/assets/icon-512-9949e86d.png","/assets/icon-maskable-a4f40e07.png","/assets/import-DSMLszC7.js","/assets/index-2eQy7SGO.js","/assets/index-BstM7Sc5.css","/assets/inter-latin-Dx4kXJAl.woff2","/assets/manifest-5d606986.webmanifest","/assets/missed-RYXFPM2c.js","/assets/notes-CuI5RLmx.js","/assets/notes-ERZ7A3yc.js","/assets/options-wz41ltu6.js","/assets/order-B_2Bz1gY.js","/assets/passwordLength.svelte-B-hvKtM3.js","/assets/phrase-BGZJK8sK.js","/assets/prices-noxuub82.js","/assets/reports-DYVjAuJK.js","/assets/rolldown-runtime-DK3Fl9T5.js","/assets/routines-B7x7La0t.js","/assets/settings-BmUcFiru.js","/assets/setups-DkQpdGe7.js","/assets/share-BbbOHdz8.js","/assets/shared-BTellq0c.css","/assets/shared-CPOj2BRH.js","/assets/tags-9pgWdb7a.js","/assets/theme-5bdcd13c.js","/assets/today-D01gL-vS.js","/assets/today-MbAvKqa-.css","/assets/trades-6OVA2mTH.js"];
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
