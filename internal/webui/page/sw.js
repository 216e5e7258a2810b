const version = '0cc7a462';
const files = ["/assets/AlertPanel-0_tY-rJA.js","/assets/AlertPanel-CwoiQ3RR.css","/assets/ArrangeCards-D4RjVUhF.css","/assets/ArrangeCards-DIT24n5H.js","/assets/BarChart-DwWdnfhu.js","/assets/BuyPrices-CrN5yaIi.js","/assets/ChoiceCard-BQyV3cXE.js","/assets/ChoiceCard-CNsAWEwW.css","/assets/CodeInput-B6we8_ZP.js","/assets/CommandPalette-BfyMvO4R.css","/assets/CommandPalette-CKxHD0N6.js","/assets/ConflictDialog-D9Fgtqk_.js","/assets/ConflictDialog-wcdZ7I8W.css","/assets/ConnectApp-CgbsmjN1.js","/assets/ConnectApp-DGODsFWL.css","/assets/ConnectBroker-BWstx59c.css","/assets/ConnectBroker-C8GNRsrl.js","/assets/ConnectionForm-B64hG--A.css","/assets/ConnectionForm-CH1hIwvW.js","/assets/DataTable-mcchSVA3.js","/assets/DayLogEditor-BUMrV29_.js","/assets/DemoJournal-CRRq4f4v.js","/assets/EditCondition-DpNqsTrI.js","/assets/EditCondition-trOO7QBw.css","/assets/EntryDialog-D35bvRlC.js","/assets/EntryDialog-VeW8M7NC.css","/assets/FilterInput-DgvtF97D.css","/assets/FilterInput-oPUEZgeO.js","/assets/FilterSheet-DbuNKpFe.js","/assets/FirstRun-Br8wcvKt.js","/assets/FirstRun-bWA-v7Yh.css","/assets/GroupResults-0qq5W9Ga.css","/assets/GroupResults-Dlk-K07F.js","/assets/HelpDialog-DZrJRY6z.js","/assets/HelpDialog-UCZRNqpj.css","/assets/Limits-BrnGLozz.css","/assets/Limits-DduTbOJj.js","/assets/LinesChart-Bo6yVHzn.css","/assets/LinesChart-CcXiNY8F.js","/assets/MissingRates-BIR-6kE_.js","/assets/MissingRates-CwrBwDp9.css","/assets/MixedCurrencies-BFhTf0Qz.css","/assets/MixedCurrencies-CzyjZnon.js","/assets/OfflineDay-D99NsfzL.css","/assets/OfflineDay-DMR-VMHN.js","/assets/PictureDialog-BNQ1hpMh.js","/assets/PictureDialog-C-TqoFF0.css","/assets/Positions-BkU52T_7.js","/assets/Positions-ccEiSPKU.css","/assets/PriceChart-BqFiCJsU.css","/assets/PriceChart-CEhl6kv1.js","/assets/Register-DAMQbrXk.js","/assets/Replay-CXOQ2mMN.css","/assets/Replay-DX021O7L.js","/assets/ReportCard-D9garTur.js","/assets/ReportCard-DRUVIwF_.css","/assets/Review-BQ6NuYHG.css","/assets/Review-BldMHwP9.js","/assets/RuleResults-DAJU5DDJ.js","/assets/RuleResults-kUDMWMsV.css","/assets/Runs-B1znGaA2.js","/assets/Runs-kqkf9Wkk.css","/assets/Screen-BAwYBm3g.css","/assets/Screen-BDpO_iy9.css","/assets/Screen-BFKtOjTT.css","/assets/Screen-BGYXy8sk.css","/assets/Screen-BfGsClX9.css","/assets/Screen-Bg2SbkNt.css","/assets/Screen-BnylY2NG.css","/assets/Screen-BrsZimG7.css","/assets/Screen-C056fbii.css","/assets/Screen-CZ2BH-yW.css","/assets/Screen-CZt4mPPB.css","/assets/Screen-Cvk5Uqie.css","/assets/Screen-D7E1ZSon.css","/assets/Screen-N6D0nETz.css","/assets/Screen-XuTmzdpq.css","/assets/Screen-YUviYBBH.css","/assets/Screen-ZF2JureY.css","/assets/Screen-hphZJRDP.css","/assets/Screen-o02xRY8a.css","/assets/Screen-t45Omi-C.css","/assets/Screen-y4TKK5aA.css","/assets/SelectedTrades-C841mbbs.css","/assets/SelectedTrades-af-eubLa.js","/assets/ShareDialog-B67EvheW.css","/assets/ShareDialog-Brm23mfo.js","/assets/SignIn-CQGkzfOh.js","/assets/SourceForm-50ycK_Ap.js","/assets/SourceForm-DHummNd_.css","/assets/Standing-RPtVWpAc.js","/assets/Standing-h1WxMfPR.css","/assets/Steps-BvlIcgUR.js","/assets/Steps-cQMnWOjM.css","/assets/TagEffects-BbzoTq8o.css","/assets/TagEffects-BkPtxGNT.js","/assets/Templates-CtrFbF1S.js","/assets/Templates-gA4KaTAu.css","/assets/TradeDrawer-Bhtpmzt1.js","/assets/TradeDrawer-DX-jiD_v.css","/assets/TradeFills-C4hDCn3A.js","/assets/TradingKey-BueksCby.css","/assets/TradingKey-DLWOA8GZ.js","/assets/UndoConflictDialog-WFmw6wu8.js","/assets/ViewControls-1-4xFACc.js","/assets/accounts-BSZ75zqZ.js","/assets/actions--PHK2zfM.js","/assets/admin-Sp4XK9gH.js","/assets/alerts-DQhWsZCQ.js","/assets/base-BD4yavm0.js","/assets/calendar-VCIswzA0.js","/assets/connections-DZ7NivTM.js","/assets/download-B9L71fCI.js","/assets/export-cqtxdRVC.js","/assets/favicon-1OJO7IKO.svg","/assets/grip-vertical-BZ92zlZJ.js","/assets/history-ChX9P_Ro.js","/assets/icon-192-2a379d67.png","/assets/icon-512-9949e86d.png","/assets/icon-maskable-a4f40e07.png","/assets/import-VDieGkwg.js","/assets/index-BqYk8riD.css","/assets/index-CH2NJjXr.js","/assets/inter-latin-Dx4kXJAl.woff2","/assets/manifest-5d606986.webmanifest","/assets/missed-CW6Z3MGh.js","/assets/notes-Bj0KXMUs.js","/assets/notes-XA3gQAjw.js","/assets/options-91Xhq5aE.js","/assets/options-wz41ltu6.js","/assets/order-B_2Bz1gY.js","/assets/passwordLength.svelte-Csg0XlHa.js","/assets/prices-D8vvVeg7.js","/assets/programs-DYrwI_jT.js","/assets/reports-7phXWnWt.js","/assets/routines-DtgOsFWo.js","/assets/rules-BLrDPXC2.js","/assets/settings-D-WZeaNp.js","/assets/setups-C6dIIR6D.js","/assets/share-DOl0xqR4.js","/assets/shared-DB3Hu4NF.css","/assets/shared-DF3hizcT.js","/assets/symbols-DVBDy04i.js","/assets/tags-XaP3KX7r.js","/assets/theme-5bdcd13c.js","/assets/tokenScopes-CaLGZsQz.js","/assets/trades-COyL2GuX.js","/assets/weekdays-BghM4oUY.js"];
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
