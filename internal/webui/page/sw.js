const version = '516193e7';
const files = ["/assets/AlertPanel-CVQ-6D-H.js","/assets/AlertPanel-CwoiQ3RR.css","/assets/ArrangeCards-BxoqKioF.js","/assets/ArrangeCards-D4RjVUhF.css","/assets/BarChart-DBFpvPQM.js","/assets/BuyPrices-CnO6IrOR.js","/assets/ChoiceCard-3GNZVuVg.js","/assets/ChoiceCard-CNsAWEwW.css","/assets/CodeInput-dWhXk8EH.js","/assets/CommandPalette-B94OUVPB.js","/assets/CommandPalette-BfyMvO4R.css","/assets/ConflictDialog-Bha7Ra8u.js","/assets/ConflictDialog-wcdZ7I8W.css","/assets/ConnectApp-Cov8fmsW.js","/assets/ConnectApp-DGODsFWL.css","/assets/ConnectBroker-BWstx59c.css","/assets/ConnectBroker-DbHCH7ti.js","/assets/ConnectionForm-B64hG--A.css","/assets/ConnectionForm-b_-DaHqs.js","/assets/DataTable-piOqTCtw.js","/assets/DayLogEditor-94J0A8UF.js","/assets/DemoJournal-DFt6gJkP.js","/assets/EditCondition-DJoCFhv8.js","/assets/EditCondition-trOO7QBw.css","/assets/EntryDialog-BmcevBqd.js","/assets/EntryDialog-VeW8M7NC.css","/assets/FilterInput-DgvtF97D.css","/assets/FilterInput-pSsqsSzP.js","/assets/FilterSheet-yasqQlnk.js","/assets/FirstRun-DXH_4bmM.js","/assets/FirstRun-bWA-v7Yh.css","/assets/GroupResults-0qq5W9Ga.css","/assets/GroupResults-KzGNYjCT.js","/assets/HelpDialog-DrFsCbjk.js","/assets/HelpDialog-UCZRNqpj.css","/assets/Limits-BrnGLozz.css","/assets/Limits-CB4Gw4sE.js","/assets/LinesChart-Bo6yVHzn.css","/assets/LinesChart-C0VakIFb.js","/assets/MissingRates-CwrBwDp9.css","/assets/MissingRates-DxBh_cC0.js","/assets/MixedCurrencies-BFhTf0Qz.css","/assets/MixedCurrencies-DOySnZEH.js","/assets/OfflineDay-CdqN7A7S.js","/assets/OfflineDay-D99NsfzL.css","/assets/PictureDialog-C-TqoFF0.css","/assets/PictureDialog-CQ7om0Dq.js","/assets/Positions-B_Dj9E1G.js","/assets/Positions-ccEiSPKU.css","/assets/PriceChart-BqFiCJsU.css","/assets/PriceChart-BupHnBzP.js","/assets/Register-DfVPzc4E.js","/assets/Replay-Bd-DBW2S.js","/assets/Replay-CXOQ2mMN.css","/assets/ReportCard-BjoEQjwG.js","/assets/ReportCard-DRUVIwF_.css","/assets/Review-BJ80-Xgb.js","/assets/Review-BQ6NuYHG.css","/assets/RuleResults-BhZX7yvS.js","/assets/RuleResults-kUDMWMsV.css","/assets/Runs-BWF2oZ6Q.js","/assets/Runs-kqkf9Wkk.css","/assets/Screen-BAwYBm3g.css","/assets/Screen-BDpO_iy9.css","/assets/Screen-BFKtOjTT.css","/assets/Screen-BGYXy8sk.css","/assets/Screen-BfGsClX9.css","/assets/Screen-Bg2SbkNt.css","/assets/Screen-BnylY2NG.css","/assets/Screen-BrsZimG7.css","/assets/Screen-C056fbii.css","/assets/Screen-CZ2BH-yW.css","/assets/Screen-CZt4mPPB.css","/assets/Screen-Cvk5Uqie.css","/assets/Screen-D7E1ZSon.css","/assets/Screen-N6D0nETz.css","/assets/Screen-XuTmzdpq.css","/assets/Screen-YUviYBBH.css","/assets/Screen-ZF2JureY.css","/assets/Screen-hphZJRDP.css","/assets/Screen-o02xRY8a.css","/assets/Screen-t45Omi-C.css","/assets/Screen-y4TKK5aA.css","/assets/SelectedTrades-C841mbbs.css","/assets/SelectedTrades-CgROG2Fu.js","/assets/ShareDialog-B67EvheW.css","/assets/ShareDialog-CTLD9sz9.js","/assets/SignIn-v698uobd.js","/assets/SourceForm-DHummNd_.css","/assets/SourceForm-t9ZxInL2.js","/assets/Standing-GeCRaLV3.js","/assets/Standing-h1WxMfPR.css","/assets/Steps-_Px_ES7n.js","/assets/Steps-cQMnWOjM.css","/assets/TagEffects-BbzoTq8o.css","/assets/TagEffects-Bx7KbCPl.js","/assets/Templates-NVgEpWgS.js","/assets/Templates-gA4KaTAu.css","/assets/TradeDrawer-DX-jiD_v.css","/assets/TradeDrawer-Dlscge0f.js","/assets/TradeFills-XVEYlMB1.js","/assets/TradingKey-BueksCby.css","/assets/TradingKey-DGleXT3z.js","/assets/UndoConflictDialog-FZetNVxz.js","/assets/ViewControls-C5Ept5-g.js","/assets/accounts-h4LZbbbt.js","/assets/actions-DLGecjxw.js","/assets/admin-CCZLNKnS.js","/assets/alerts-DQhWsZCQ.js","/assets/base-CwRplo_t.js","/assets/calendar-Gzk_fbRm.js","/assets/connections-C8PAcCEv.js","/assets/download-CmwJDpuT.js","/assets/export-B0Fb8DdU.js","/assets/favicon-1OJO7IKO.svg","/assets/grip-vertical-Co_-tWNc.js","/assets/history-Dklsw98F.js","/assets/icon-192-2a379d67.png","/assets/icon-512-9949e86d.png","/assets/icon-maskable-a4f40e07.png","/assets/import-CrWB1BQv.js","/assets/index-Blo1Bzxo.js","/assets/index-BqYk8riD.css","/assets/inter-latin-Dx4kXJAl.woff2","/assets/manifest-5d606986.webmanifest","/assets/missed-CGxrs7d-.js","/assets/notes-_kFwrlw6.js","/assets/notes-cHbatN60.js","/assets/options-wz41ltu6.js","/assets/options-xY5SJi0a.js","/assets/order-B_2Bz1gY.js","/assets/passwordLength.svelte-DxJ0FncE.js","/assets/prices-BREymDSS.js","/assets/programs-CGIVYYrA.js","/assets/reports-WPW2Hkdg.js","/assets/routines-hrNWZlwo.js","/assets/rules-DTWdgbMM.js","/assets/settings-LSGM7AP5.js","/assets/setups-Dc0fh4J_.js","/assets/share-C9VY-7t2.js","/assets/shared-DB3Hu4NF.css","/assets/shared-Df1OtdIV.js","/assets/symbols-EZgr_KGa.js","/assets/tags-Bl6KoXob.js","/assets/theme-5bdcd13c.js","/assets/tokenScopes-CaLGZsQz.js","/assets/trades-1D98zDRc.js","/assets/weekdays-BkFrpvEa.js"];
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
