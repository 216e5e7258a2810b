const version = 'd3ee9080';
const files = ["/assets/AlertPanel-CwoiQ3RR.css","/assets/AlertPanel-fz9cev42.js","/assets/ArrangeCards-CTfVkOya.js","/assets/ArrangeCards-D4RjVUhF.css","/assets/BarChart-TJJ4YDAE.js","/assets/BuyPrices-De6UCopQ.js","/assets/CandleChart-BlUjFHVW.js","/assets/CandleChart-C5h1kp1q.css","/assets/ChoiceCard-CNsAWEwW.css","/assets/ChoiceCard-DGJTlw98.js","/assets/CodeInput-C2rKOu8P.js","/assets/CommandPalette-B_Xt68g0.js","/assets/CommandPalette-BfyMvO4R.css","/assets/ConflictDialog-BVq9JRev.js","/assets/ConflictDialog-wcdZ7I8W.css","/assets/ConnectApp-DGODsFWL.css","/assets/ConnectApp-DT6Jrzv4.js","/assets/ConnectBroker-BWstx59c.css","/assets/ConnectBroker-DxirmvwI.js","/assets/ConnectionForm-B64hG--A.css","/assets/ConnectionForm-HEsTVqYf.js","/assets/DataTable-CUbHLB-N.js","/assets/DayLogEditor-CW0KBT35.js","/assets/DemoJournal-CKhxUMfF.js","/assets/EditCondition-DyvOU1pp.js","/assets/EditCondition-trOO7QBw.css","/assets/EntryDialog-C2nE0cEC.js","/assets/EntryDialog-VeW8M7NC.css","/assets/FilterInput-DgvtF97D.css","/assets/FilterInput-DhOiaaLy.js","/assets/FilterSheet-ytFM5Rx0.js","/assets/FirstRun-BrrJZRK8.js","/assets/FirstRun-bWA-v7Yh.css","/assets/GroupResults-0qq5W9Ga.css","/assets/GroupResults-BRu278tH.js","/assets/HelpDialog-ANFkWdD3.js","/assets/HelpDialog-UCZRNqpj.css","/assets/Limits-BBZgDOFN.js","/assets/Limits-BIxILTjE.css","/assets/LinesChart-Bo6yVHzn.css","/assets/LinesChart-R8BJAReg.js","/assets/MissingRates-Ba-rk3qo.js","/assets/MissingRates-CwrBwDp9.css","/assets/MixedCurrencies-BFhTf0Qz.css","/assets/MixedCurrencies-Cun_7ZtV.js","/assets/OfflineDay-D99NsfzL.css","/assets/OfflineDay-XCQx-2vl.js","/assets/PictureDialog-C-TqoFF0.css","/assets/PictureDialog-CHHTzEBf.js","/assets/Positions-DiVwwjkt.js","/assets/Positions-ccEiSPKU.css","/assets/PriceChart-A6-tJBpp.js","/assets/PriceChart-B9YVnaU6.css","/assets/Register-BXUOKitN.js","/assets/Replay-B-yKtYBd.js","/assets/Replay-CXOQ2mMN.css","/assets/ReportCard-B0kB1IsM.js","/assets/ReportCard-DRUVIwF_.css","/assets/Review-B8Y9Mmc1.js","/assets/Review-BQ6NuYHG.css","/assets/RuleResults-DKvHzSjX.js","/assets/RuleResults-kUDMWMsV.css","/assets/Runs-C7WYdwPq.js","/assets/Runs-I2Z-Wtv0.css","/assets/Screen-BDpO_iy9.css","/assets/Screen-BFKtOjTT.css","/assets/Screen-BGYXy8sk.css","/assets/Screen-BfGsClX9.css","/assets/Screen-Bg2SbkNt.css","/assets/Screen-BrsZimG7.css","/assets/Screen-C-EE9g6c.css","/assets/Screen-C056fbii.css","/assets/Screen-CZ2BH-yW.css","/assets/Screen-Cvk5Uqie.css","/assets/Screen-DAXrT0FL.css","/assets/Screen-DFpKUX-y.css","/assets/Screen-Dd9tEyCa.css","/assets/Screen-XuTmzdpq.css","/assets/Screen-YUviYBBH.css","/assets/Screen-hphZJRDP.css","/assets/Screen-o02xRY8a.css","/assets/Screen-t45Omi-C.css","/assets/Screen-tsMuX7kQ.css","/assets/Screen-vSnOm4ov.css","/assets/Screen-y4TKK5aA.css","/assets/SelectedTrades-C841mbbs.css","/assets/SelectedTrades-G5iym3wT.js","/assets/ShareDialog-B67EvheW.css","/assets/ShareDialog-DfcGx8BO.js","/assets/SignIn-CSa9eqxP.js","/assets/SourceForm-DHummNd_.css","/assets/SourceForm-RvNv4XAd.js","/assets/StackedCharts-BcIqbfQu.css","/assets/StackedCharts-WQZysLqh.js","/assets/Standing-CLu7AWbs.js","/assets/Standing-CPYmCedH.css","/assets/Steps-DGvYQYxC.js","/assets/Steps-cQMnWOjM.css","/assets/TagEffects-BbzoTq8o.css","/assets/TagEffects-RtpqMIt7.js","/assets/Templates-C2qQ2WwX.js","/assets/Templates-gA4KaTAu.css","/assets/TradeDrawer-CAfi5gGP.js","/assets/TradeDrawer-DX-jiD_v.css","/assets/TradeFills-CP9iDYcG.js","/assets/TradingKey-BueksCby.css","/assets/TradingKey-Cu3Wi0si.js","/assets/UndoConflictDialog-C--0_UP5.js","/assets/ViewControls-mhOFMNg3.js","/assets/accounts-DY06PR2z.js","/assets/actionText-y1Qg2vhi.js","/assets/actions-Dq14Sh5D.js","/assets/admin-DvjRJLsx.js","/assets/alerts-DQhWsZCQ.js","/assets/base-dFjEWXIG.js","/assets/calendar-BkJm6DaV.js","/assets/connections-BJ_TtE8s.js","/assets/download-DMfnVhN2.js","/assets/export-DUJ4u1qE.js","/assets/favicon-1OJO7IKO.svg","/assets/grip-vertical-DxqTvk6T.js","/assets/history-CTsVvDvK.js","/assets/icon-192-2a379d67.png","/assets/icon-512-9949e86d.png","/assets/icon-maskable-a4f40e07.png","/assets/import-BvY_1PZe.js","/assets/index-BmC1lXif.css","/assets/index-C_egZXnJ.js","/assets/inter-latin-Dx4kXJAl.woff2","/assets/manifest-5d606986.webmanifest","/assets/missed-Di0GmsGI.js","/assets/notes-B82FAohX.js","/assets/notes-DUAp1RO1.js","/assets/options-DpEQF4xu.js","/assets/options-wz41ltu6.js","/assets/order-B_2Bz1gY.js","/assets/passwordLength.svelte-j7JKpce3.js","/assets/prices-99DvAcfO.js","/assets/programs-BvHhn8P1.js","/assets/reports-C4dZMeWh.js","/assets/routines-5vREd6SW.js","/assets/rules-E4GQiuL2.js","/assets/settings-Dz3zmPZB.js","/assets/setups-NkOoeaSt.js","/assets/share-DfzTqU7M.js","/assets/shared-CFdOWllT.css","/assets/shared-DwWR8qYW.js","/assets/symbols-DmYe352N.js","/assets/tags-Dd0Y-9LW.js","/assets/theme-5bdcd13c.js","/assets/tokenScopes-CYOBeSun.js","/assets/trades-BQztHT5g.js","/assets/weekdays-4l1Rd-w0.js"];
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
