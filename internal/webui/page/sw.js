const version = 'a4e815b0';
const files = ["/assets/ArrangeCards-Bdv84d35.js","/assets/ArrangeCards-D4RjVUhF.css","/assets/BarChart-BhK11F16.js","/assets/BuyPrices-Dgtf5NkB.js","/assets/ChoiceCard-CNsAWEwW.css","/assets/ChoiceCard-CRr8np5Z.js","/assets/CodeInput-CiqR-XEO.js","/assets/CommandPalette--7yD96M2.js","/assets/CommandPalette-BfyMvO4R.css","/assets/ConflictDialog-BCGsY2zs.js","/assets/ConflictDialog-wcdZ7I8W.css","/assets/ConnectApp-IeD_PbsN.css","/assets/ConnectApp-XrlNqnlc.js","/assets/ConnectBroker-BWstx59c.css","/assets/ConnectBroker-C9j-SpvS.js","/assets/ConnectionForm-Alu2h1Fz.js","/assets/ConnectionForm-B64hG--A.css","/assets/DataTable-DWOlcgRH.js","/assets/DayLogEditor-CtqGq5MH.js","/assets/DemoJournal-BkBPLHAd.js","/assets/EditCondition-b555p0_Q.js","/assets/EditCondition-trOO7QBw.css","/assets/EntryDialog-3KYQsooe.js","/assets/EntryDialog-VeW8M7NC.css","/assets/FilterInput-BUj-VjNp.js","/assets/FilterInput-DgvtF97D.css","/assets/FilterSheet-ByWL7gBW.js","/assets/FirstRun-CBHxpYC-.js","/assets/FirstRun-bWA-v7Yh.css","/assets/GroupResults-0qq5W9Ga.css","/assets/GroupResults-BzFl9JQF.js","/assets/LinesChart-Bo6yVHzn.css","/assets/LinesChart-C5d_Slf1.js","/assets/MissingRates-CbeB8jJ6.js","/assets/MissingRates-CwrBwDp9.css","/assets/MixedCurrencies-BCDmS60h.js","/assets/MixedCurrencies-BFhTf0Qz.css","/assets/OfflineDay-D99NsfzL.css","/assets/OfflineDay-nidlriOW.js","/assets/PictureDialog-C-TqoFF0.css","/assets/PictureDialog-CGIA4Y0L.js","/assets/Positions-BL2Fzqfw.js","/assets/Positions-ccEiSPKU.css","/assets/PriceChart-BqFiCJsU.css","/assets/PriceChart-DBHoCOuK.js","/assets/Register-YcuYLQU2.js","/assets/Replay-CXOQ2mMN.css","/assets/Replay-CwapIoVP.js","/assets/ReportCard-CmOGh5xC.js","/assets/ReportCard-DRUVIwF_.css","/assets/Review-BQ6NuYHG.css","/assets/Review-CjA6s-od.js","/assets/RuleResults--0jT4kJ8.js","/assets/RuleResults-kUDMWMsV.css","/assets/Runs-BcJnHRkb.js","/assets/Runs-kqkf9Wkk.css","/assets/Screen-BAwYBm3g.css","/assets/Screen-BDpO_iy9.css","/assets/Screen-BFKtOjTT.css","/assets/Screen-BGYXy8sk.css","/assets/Screen-BfGsClX9.css","/assets/Screen-Bg2SbkNt.css","/assets/Screen-BnylY2NG.css","/assets/Screen-BrsZimG7.css","/assets/Screen-C056fbii.css","/assets/Screen-CZ2BH-yW.css","/assets/Screen-CZt4mPPB.css","/assets/Screen-Cvk5Uqie.css","/assets/Screen-Dl2k9RTw.css","/assets/Screen-N6D0nETz.css","/assets/Screen-Wi0Kbxf4.css","/assets/Screen-XuTmzdpq.css","/assets/Screen-YUviYBBH.css","/assets/Screen-ZF2JureY.css","/assets/Screen-hphZJRDP.css","/assets/Screen-o02xRY8a.css","/assets/Screen-y4TKK5aA.css","/assets/SelectedTrades-C841mbbs.css","/assets/SelectedTrades-Y_5L7q45.js","/assets/ShareDialog-B67EvheW.css","/assets/ShareDialog-CyqUAx09.js","/assets/SignIn-CKHKRM8_.js","/assets/SourceForm-2pJVMtqJ.js","/assets/SourceForm-DHummNd_.css","/assets/Steps-BNd_CCn8.js","/assets/Steps-cQMnWOjM.css","/assets/TagEffects-24Nxk5u-.js","/assets/TagEffects-BbzoTq8o.css","/assets/Templates-C5lnsx62.js","/assets/Templates-gA4KaTAu.css","/assets/TradeDrawer-BaBZ7q2e.js","/assets/TradeDrawer-DX-jiD_v.css","/assets/TradeFills-CIG8D5kd.js","/assets/TradingKey-BueksCby.css","/assets/TradingKey-CoJZu69e.js","/assets/UndoConflictDialog-BdDQC8i0.js","/assets/ViewControls-LsNZFMp5.js","/assets/accounts-0jPRMkJn.js","/assets/actions-DGTbwstb.js","/assets/admin-fSYVLrv_.js","/assets/base-BKidl_DW.js","/assets/calendar-BieWGqDZ.js","/assets/connections-B1wPUnRt.js","/assets/download-Dr-hw7tX.js","/assets/export-kp4TMYwg.js","/assets/favicon-1OJO7IKO.svg","/assets/grip-vertical-DUy3pqQR.js","/assets/history-BvG6bUj9.js","/assets/icon-192-2a379d67.png","/assets/icon-512-9949e86d.png","/assets/icon-maskable-a4f40e07.png","/assets/import-DkXnx02I.js","/assets/index-Brr7DYH7.js","/assets/index-CKzsH2fO.css","/assets/inter-latin-Dx4kXJAl.woff2","/assets/manifest-5d606986.webmanifest","/assets/missed-BCjjZy0Q.js","/assets/notes-DAwNxUvT.js","/assets/notes-DBENjJVY.js","/assets/options-D-010l27.js","/assets/options-wz41ltu6.js","/assets/order-B_2Bz1gY.js","/assets/passwordLength.svelte-DIwHpORJ.js","/assets/prices-DJDvW2tB.js","/assets/programs-BbAMRy3J.js","/assets/reports-VWH2gq-S.js","/assets/rolldown-runtime-DK3Fl9T5.js","/assets/routines-WMKJfJrd.js","/assets/rules-48lXUtGp.js","/assets/settings-Cp2RCTVs.js","/assets/setups-CrS0I0Nn.js","/assets/share-CPk9r50d.js","/assets/shared-DB3Hu4NF.css","/assets/shared-DrRdOzb7.js","/assets/symbols-CCAWFAnu.js","/assets/tags-BIT5NRSZ.js","/assets/theme-5bdcd13c.js","/assets/today-BOanfV7K.css","/assets/today-Be6yPYJH.js","/assets/tokenScopes-CaLGZsQz.js","/assets/trades-CKGpWMOr.js","/assets/weekdays-Cf-Gso9Z.js"];
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
