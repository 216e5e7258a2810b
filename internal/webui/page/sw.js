const version = '1d66603a';
const files = ["/assets/AlertPanel-CwoiQ3RR.css","/assets/AlertPanel-HYxDkurN.js","/assets/ArrangeCards-Cqip8-QE.js","/assets/ArrangeCards-D4RjVUhF.css","/assets/BarChart-BHIYF3PT.js","/assets/BuyPrices-1eL_i_Y2.js","/assets/CandleChart-C5h1kp1q.css","/assets/CandleChart-DVfNIjgs.js","/assets/ChoiceCard-C4L9yOgg.js","/assets/ChoiceCard-CNsAWEwW.css","/assets/CodeInput-DGfArcKb.js","/assets/CommandPalette-BfyMvO4R.css","/assets/CommandPalette-DBVPWhA8.js","/assets/ConflictDialog-DQ0fjFcJ.js","/assets/ConflictDialog-wcdZ7I8W.css","/assets/ConnectApp-B9jmwdhn.js","/assets/ConnectApp-DGODsFWL.css","/assets/ConnectBroker-BWstx59c.css","/assets/ConnectBroker-Wc2wdrVa.js","/assets/ConnectionForm-B4wLlFNA.js","/assets/ConnectionForm-B64hG--A.css","/assets/DataTable-BK0jp3ZV.js","/assets/DayLogEditor-C73Fxf1W.js","/assets/DemoJournal-QiljzORJ.js","/assets/EditCondition-Bhqu4c-b.js","/assets/EditCondition-trOO7QBw.css","/assets/EntryDialog-D3oWf7Q7.js","/assets/EntryDialog-VeW8M7NC.css","/assets/FilterInput-DgvtF97D.css","/assets/FilterInput-SMvyXpwk.js","/assets/FilterSheet-DkkkC677.js","/assets/FirstRun-BsuT4AGm.js","/assets/FirstRun-bWA-v7Yh.css","/assets/GroupResults-0qq5W9Ga.css","/assets/GroupResults-D-jJocUO.js","/assets/HelpDialog-CHF4TPO_.js","/assets/HelpDialog-UCZRNqpj.css","/assets/Limits-BIxILTjE.css","/assets/Limits-DF5XFgXd.js","/assets/LinesChart-Bo6yVHzn.css","/assets/LinesChart-CByPKHaV.js","/assets/MissingRates-CwrBwDp9.css","/assets/MissingRates-DlSbWwKx.js","/assets/MixedCurrencies-BFhTf0Qz.css","/assets/MixedCurrencies-C-dgxnnP.js","/assets/OfflineDay-D99NsfzL.css","/assets/OfflineDay-Dfe81Mft.js","/assets/PictureDialog-C-TqoFF0.css","/assets/PictureDialog-MjCdsMu-.js","/assets/Positions-BkLociH5.js","/assets/Positions-ccEiSPKU.css","/assets/PriceChart-B9YVnaU6.css","/assets/PriceChart-BtxmkYK7.js","/assets/Register-DZ64gVqf.js","/assets/Replay-CXOQ2mMN.css","/assets/Replay-Cl6yUabd.js","/assets/ReportCard-DRUVIwF_.css","/assets/ReportCard-LODajL2u.js","/assets/Review-BQ6NuYHG.css","/assets/Review-Lz4UUCjV.js","/assets/RuleResults-BkDAmHO2.js","/assets/RuleResults-kUDMWMsV.css","/assets/Runs-B_U8oAoF.js","/assets/Runs-kqkf9Wkk.css","/assets/Screen-BAwYBm3g.css","/assets/Screen-BDpO_iy9.css","/assets/Screen-BFKtOjTT.css","/assets/Screen-BGYXy8sk.css","/assets/Screen-BfGsClX9.css","/assets/Screen-Bg2SbkNt.css","/assets/Screen-BrsZimG7.css","/assets/Screen-C056fbii.css","/assets/Screen-CZ2BH-yW.css","/assets/Screen-Cvk5Uqie.css","/assets/Screen-DIf-FlwV.css","/assets/Screen-DTG0nIeK.css","/assets/Screen-N6D0nETz.css","/assets/Screen-XuTmzdpq.css","/assets/Screen-YUviYBBH.css","/assets/Screen-ZF2JureY.css","/assets/Screen-hphZJRDP.css","/assets/Screen-o02xRY8a.css","/assets/Screen-t45Omi-C.css","/assets/Screen-vSnOm4ov.css","/assets/Screen-y4TKK5aA.css","/assets/SelectedTrades-C841mbbs.css","/assets/SelectedTrades-DjEXPVfr.js","/assets/ShareDialog-B67EvheW.css","/assets/ShareDialog-IpIgCtU7.js","/assets/SignIn-CeqWywna.js","/assets/SourceForm-DHummNd_.css","/assets/SourceForm-iDj9nz4l.js","/assets/StackedCharts-BYRcEEWQ.js","/assets/StackedCharts-BcIqbfQu.css","/assets/Standing-CPYmCedH.css","/assets/Standing-HD8Qp84w.js","/assets/Steps-BBdCZDcw.js","/assets/Steps-cQMnWOjM.css","/assets/TagEffects-BbzoTq8o.css","/assets/TagEffects-Dq64bbWP.js","/assets/Templates-XBYe74ls.js","/assets/Templates-gA4KaTAu.css","/assets/TradeDrawer-COXyXpX4.js","/assets/TradeDrawer-DX-jiD_v.css","/assets/TradeFills-uLOmt1-U.js","/assets/TradingKey-BueksCby.css","/assets/TradingKey-CCTeXaPD.js","/assets/UndoConflictDialog-Ce4y0dB4.js","/assets/ViewControls-DVk5vKer.js","/assets/accounts-C3_a2HCV.js","/assets/actionText-y1Qg2vhi.js","/assets/actions-wYsTVNd9.js","/assets/admin-ClCpIICH.js","/assets/alerts-DQhWsZCQ.js","/assets/base-Dj-snerE.js","/assets/calendar-sVug2IpL.js","/assets/connections-CjaIanKZ.js","/assets/download-ZKJDJTRh.js","/assets/export-Bi11RaPB.js","/assets/favicon-1OJO7IKO.svg","/assets/grip-vertical-jobpRP6_.js","/assets/history-DRXqDLtJ.js","/assets/icon-192-2a379d67.png","/assets/icon-512-9949e86d.png","/assets/icon-maskable-a4f40e07.png","/assets/import-pdDtLp19.js","/assets/index-B93_nLRS.css","/assets/index-BAlwxUJW.js","/assets/inter-latin-Dx4kXJAl.woff2","/assets/manifest-5d606986.webmanifest","/assets/missed-C5U5YRhR.js","/assets/notes-D-1o08xF.js","/assets/notes-bLJLwfb-.js","/assets/options-Cg24JPb_.js","/assets/options-wz41ltu6.js","/assets/order-B_2Bz1gY.js","/assets/passwordLength.svelte-rxvolg0f.js","/assets/prices-C99ROjk9.js","/assets/programs-Dn_7RM46.js","/assets/reports-CK4LSqvd.js","/assets/routines-DOUxKAHn.js","/assets/rules-DCYXeZ0D.js","/assets/settings-CDkcslfO.js","/assets/setups-D6qa92kc.js","/assets/share-Cpn9pky4.js","/assets/shared-DHo7L2ic.js","/assets/shared-kFWX-pnc.css","/assets/symbols-CnE5XFQr.js","/assets/tags-BzTJpmMc.js","/assets/theme-5bdcd13c.js","/assets/tokenScopes-DWusUNPx.js","/assets/trades-HbnvYiTI.js","/assets/weekdays-wlurgaGj.js"];
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
