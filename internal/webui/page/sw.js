const version = 'f99bd03e';
const files = ["/assets/ArrangeCards-D4RjVUhF.css","/assets/ArrangeCards-DB9p1i2t.js","/assets/BarChart-C4nYw-Vr.js","/assets/BuyPrices-D5QIizKe.js","/assets/ChoiceCard-Bbu1YPj1.js","/assets/ChoiceCard-CNsAWEwW.css","/assets/CodeInput-2q20_Uh1.js","/assets/CommandPalette-BfyMvO4R.css","/assets/CommandPalette-DhbTEYgY.js","/assets/ConflictDialog-A-p6ua4L.js","/assets/ConflictDialog-wcdZ7I8W.css","/assets/ConnectBroker-BWstx59c.css","/assets/ConnectBroker-Da-sLyUT.js","/assets/ConnectionForm-B64hG--A.css","/assets/ConnectionForm-Cehy0SFL.js","/assets/DataTable-AdH6zjM3.js","/assets/DayLogEditor-DN57G_g9.js","/assets/DemoJournal-CarYn8LK.js","/assets/EditCondition-CPx_q7yu.js","/assets/EditCondition-trOO7QBw.css","/assets/EntryDialog--UxkFM3R.js","/assets/EntryDialog-VeW8M7NC.css","/assets/FilterInput-DgvtF97D.css","/assets/FilterInput-SFudDxWo.js","/assets/FilterSheet-CnIguu5t.js","/assets/FirstRun-BF_Lh7Pu.js","/assets/FirstRun-bWA-v7Yh.css","/assets/OfflineDay-D99NsfzL.css","/assets/OfflineDay-O0r45Hu0.js","/assets/PictureDialog-C-TqoFF0.css","/assets/PictureDialog-C1q8xvzO.js","/assets/Positions-C9ATQ6Ni.css","/assets/Positions-DtR5tOuc.js","/assets/PriceChart-BqFiCJsU.css","/assets/PriceChart-r13g9ejC.js","/assets/Register-DawE6hd6.js","/assets/Replay-CXOQ2mMN.css","/assets/Replay-CsfbBTGj.js","/assets/ReportCard-DRUVIwF_.css","/assets/ReportCard-zfEcShHv.js","/assets/Review-BQ6NuYHG.css","/assets/Review-DxvU_CrG.js","/assets/RuleResults-DyxOV1p5.js","/assets/RuleResults-kUDMWMsV.css","/assets/Runs-0Zfc5M4W.js","/assets/Runs-kqkf9Wkk.css","/assets/Screen-BDpO_iy9.css","/assets/Screen-BFKtOjTT.css","/assets/Screen-BGYXy8sk.css","/assets/Screen-BfGsClX9.css","/assets/Screen-Bg2SbkNt.css","/assets/Screen-BnylY2NG.css","/assets/Screen-C056fbii.css","/assets/Screen-CZ2BH-yW.css","/assets/Screen-Cvk5Uqie.css","/assets/Screen-DryvwGCY.css","/assets/Screen-E-Sw4jEF.css","/assets/Screen-N6D0nETz.css","/assets/Screen-Wi0Kbxf4.css","/assets/Screen-XuTmzdpq.css","/assets/Screen-YUviYBBH.css","/assets/Screen-o02xRY8a.css","/assets/Screen-xSQ76_m5.css","/assets/SelectedTrades-B6PixWZq.js","/assets/SelectedTrades-C841mbbs.css","/assets/ShareDialog-B67EvheW.css","/assets/ShareDialog-BcxGy02d.js","/assets/SignIn-Bq95x3C1.js","/assets/SourceForm-CE13W4fW.js","/assets/SourceForm-DHummNd_.css","/assets/Steps-C0qMWGK2.js","/assets/Steps-cQMnWOjM.css","/assets/TagEffects-BbzoTq8o.css","/assets/TagEffects-YhkIJExz.js","/assets/Templates-BVXVmgtU.js","/assets/Templates-gA4KaTAu.css","/assets/TradeDrawer-CkONGDTZ.js","/assets/TradeDrawer-DX-jiD_v.css","/assets/TradeFills-CRHHMR6q.js","/assets/TradingKey-BueksCby.css","/assets/TradingKey-By8Kh1Za.js","/assets/UndoConflictDialog-BtRZG_pp.js","/assets/ViewControls-ffneGvci.js","/assets/accounts-B-pWAnpO.js","/assets/admin-BNeG5YCX.js","/assets/base-BAKZny_P.js","/assets/calendar-BT7c1E2K.js","/assets/connections-CM_Ls73v.js","/assets/download-DuUwlnpq.js","/assets/export-P2K6BasH.js","/assets/favicon-1OJO7IKO.svg","/assets/grip-vertical-BLHDiW1b.js","/assets/history-CtcUI-9D.js","/assets/icon-192-2a379d67.png","/assets/icon-512-9949e86d.png","/assets/icon-maskable-a4f40e07.png","/assets/import-BfOH2fwp.js","/assets/index-CsgVblx-.js","/assets/index-D--rGeOH.css","/assets/inter-latin-Dx4kXJAl.woff2","/assets/manifest-5d606986.webmanifest","/assets/missed-0ax0Rkxl.js","/assets/notes-D0SSyKY-.js","/assets/notes-i70UByEU.js","/assets/options-wz41ltu6.js","/assets/order-B_2Bz1gY.js","/assets/passwordLength.svelte-i6yULy1q.js","/assets/phrase-D0PBroS-.js","/assets/prices-BNHzcaoT.js","/assets/reports-BHltcD6a.js","/assets/rolldown-runtime-DK3Fl9T5.js","/assets/routines-iX-Vkhm8.js","/assets/settings-D1gzVbKS.js","/assets/setups-BxA3xDO6.js","/assets/share-aUoRCXt3.js","/assets/shared-BTellq0c.css","/assets/shared-DmTd7KHq.js","/assets/tags-BHpCw7CN.js","/assets/theme-5bdcd13c.js","/assets/today-Cosps2k2.js","/assets/today-MbAvKqa-.css","/assets/trades-QxRGsAJu.js"];
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
