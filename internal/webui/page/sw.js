const version = '2b53dae4';
const files = ["/assets/AlertPanel-BWtJqHOi.js","/assets/AlertPanel-CwoiQ3RR.css","/assets/ArrangeCards-Br9EdiKP.js","/assets/ArrangeCards-D4RjVUhF.css","/assets/BarChart-CKM1Y65g.js","/assets/BuyPrices-BQSdEht2.js","/assets/ChoiceCard-CNsAWEwW.css","/assets/ChoiceCard-CpgTl4Pv.js","/assets/CodeInput-Do9sJ45c.js","/assets/CommandPalette-BfyMvO4R.css","/assets/CommandPalette-x2juqVG4.js","/assets/ConflictDialog-CbG72SUo.js","/assets/ConflictDialog-wcdZ7I8W.css","/assets/ConnectApp-DGODsFWL.css","/assets/ConnectApp-NRq3d9Eq.js","/assets/ConnectBroker-BWstx59c.css","/assets/ConnectBroker-DVIlOcaI.js","/assets/ConnectionForm-B64hG--A.css","/assets/ConnectionForm-DuaEpkLH.js","/assets/DataTable-Bm-d-Nfd.js","/assets/DayLogEditor-ChDgPeeJ.js","/assets/DemoJournal-DzXCW_zI.js","/assets/EditCondition-C6Onemld.js","/assets/EditCondition-trOO7QBw.css","/assets/EntryDialog-DgmXrQDy.js","/assets/EntryDialog-VeW8M7NC.css","/assets/FilterInput-DgvtF97D.css","/assets/FilterInput-nP6eeTou.js","/assets/FilterSheet-BSeR9fSp.js","/assets/FirstRun-BeDNsJ71.js","/assets/FirstRun-bWA-v7Yh.css","/assets/GroupResults-0qq5W9Ga.css","/assets/GroupResults-3q6JCJOR.js","/assets/HelpDialog-CJec55_v.js","/assets/HelpDialog-UCZRNqpj.css","/assets/Limits-BrnGLozz.css","/assets/Limits-CYqgALc5.js","/assets/LinesChart-Bo6yVHzn.css","/assets/LinesChart-Cf_GcmdL.js","/assets/MissingRates-CwrBwDp9.css","/assets/MissingRates-t9kZaNMh.js","/assets/MixedCurrencies-BFhTf0Qz.css","/assets/MixedCurrencies-C3HxYBNk.js","/assets/OfflineDay-BtTtJwyU.js","/assets/OfflineDay-D99NsfzL.css","/assets/PictureDialog-C-TqoFF0.css","/assets/PictureDialog-CH6QWT3f.js","/assets/Positions-CQjfAB5H.js","/assets/Positions-ccEiSPKU.css","/assets/PriceChart-BqFiCJsU.css","/assets/PriceChart-CVj8lv0q.js","/assets/Register-BTKdzWlo.js","/assets/Replay-CXOQ2mMN.css","/assets/Replay-Dx0CfmUi.js","/assets/ReportCard-BC2acrrb.js","/assets/ReportCard-DRUVIwF_.css","/assets/Review-BQ6NuYHG.css","/assets/Review-C6mwI0aD.js","/assets/RuleResults-kUDMWMsV.css","/assets/RuleResults-lyfmvouo.js","/assets/Runs-Dn6rZglW.js","/assets/Runs-kqkf9Wkk.css","/assets/Screen-BAwYBm3g.css","/assets/Screen-BDpO_iy9.css","/assets/Screen-BFKtOjTT.css","/assets/Screen-BGYXy8sk.css","/assets/Screen-BfGsClX9.css","/assets/Screen-Bg2SbkNt.css","/assets/Screen-BrsZimG7.css","/assets/Screen-C056fbii.css","/assets/Screen-CZ2BH-yW.css","/assets/Screen-CZt4mPPB.css","/assets/Screen-Cvk5Uqie.css","/assets/Screen-D7E1ZSon.css","/assets/Screen-N6D0nETz.css","/assets/Screen-XuTmzdpq.css","/assets/Screen-YUviYBBH.css","/assets/Screen-ZF2JureY.css","/assets/Screen-hphZJRDP.css","/assets/Screen-o02xRY8a.css","/assets/Screen-t45Omi-C.css","/assets/Screen-vSnOm4ov.css","/assets/Screen-y4TKK5aA.css","/assets/SelectedTrades-C841mbbs.css","/assets/SelectedTrades-DXoqf6be.js","/assets/ShareDialog-B67EvheW.css","/assets/ShareDialog-DbJsu7B8.js","/assets/SignIn-BWoa-jcx.js","/assets/SourceForm-CnrzKCfZ.js","/assets/SourceForm-DHummNd_.css","/assets/Standing-CoCcYDyb.js","/assets/Standing-h1WxMfPR.css","/assets/Steps-CSRHvk1h.js","/assets/Steps-cQMnWOjM.css","/assets/TagEffects-BbzoTq8o.css","/assets/TagEffects-DbNcBDBk.js","/assets/Templates-DyLhY1Wy.js","/assets/Templates-gA4KaTAu.css","/assets/TradeDrawer-DEG_yBR-.js","/assets/TradeDrawer-DX-jiD_v.css","/assets/TradeFills-jYsFJa3y.js","/assets/TradingKey-BiHMs7V1.js","/assets/TradingKey-BueksCby.css","/assets/UndoConflictDialog-lKQ_MKg7.js","/assets/ViewControls-iJC6-J2i.js","/assets/accounts-BYDq4Hwp.js","/assets/actionText-y1Qg2vhi.js","/assets/actions-5uKFGJzh.js","/assets/admin-B1M7kitF.js","/assets/alerts-DQhWsZCQ.js","/assets/base-CcdWR4j4.js","/assets/calendar-CehimGsx.js","/assets/connections-Bt1LwChl.js","/assets/download-C38NH9Mg.js","/assets/export-DdSLvHTc.js","/assets/favicon-1OJO7IKO.svg","/assets/grip-vertical-Cfl3CYGK.js","/assets/history-CVhlEIgt.js","/assets/icon-192-2a379d67.png","/assets/icon-512-9949e86d.png","/assets/icon-maskable-a4f40e07.png","/assets/import-D5mC6Z9H.js","/assets/index-BqYk8riD.css","/assets/index-GU8q-FVS.js","/assets/inter-latin-Dx4kXJAl.woff2","/assets/manifest-5d606986.webmanifest","/assets/missed-CsO8S8aL.js","/assets/notes-CyRDn-6U.js","/assets/notes-DjCPWQrJ.js","/assets/options-D8Z_eZvG.js","/assets/options-wz41ltu6.js","/assets/order-B_2Bz1gY.js","/assets/passwordLength.svelte-CE3C7P5W.js","/assets/prices-CHMGYC9h.js","/assets/programs-BLPnfFjb.js","/assets/reports-BYKzSkMb.js","/assets/routines-C8v5VfJ4.js","/assets/rules-CrOxn0dm.js","/assets/settings-Dk8pZyK0.js","/assets/setups-NDjcbpG3.js","/assets/share-CKBTyQ0j.js","/assets/shared-DB3Hu4NF.css","/assets/shared-rYHdRciX.js","/assets/symbols-B-zK6Kx5.js","/assets/tags-pK2j99DG.js","/assets/theme-5bdcd13c.js","/assets/tokenScopes-CaLGZsQz.js","/assets/trades-BWlwETuP.js","/assets/weekdays-BE3LLbPq.js"];
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
