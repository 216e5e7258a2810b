// Every address of the page with its screen. The server serves the same addresses
// (internal/webui has a test that reads this file). A screen is loaded on the first
// visit.

import type { Component } from 'svelte';

export type Section = 'review' | 'measure' | 'data' | 'other';

export interface Route {
  path: string; // with {name} for a variable part
  title: string;
  load: () => Promise<{ default: Component }>;
  section?: Section; // in the navigation, under this heading
  key?: string; // the letter after g
  filtered?: boolean; // shows the filter bar
  datesOnly?: boolean; // of the filter only accounts and dates apply
  units?: boolean; // with the unit: money, percent or R
  results?: boolean; // with the choice when results count
  open?: boolean; // needs no session
  admin?: boolean;
}

export const sectionNames: Record<Section, string> = {
  review: 'Review',
  measure: 'Measure',
  data: 'Data',
  other: 'More',
};

// Both routes have the same function, so the screen keeps its files between them.
const loadImport = () => import('../screens/import/Screen.svelte');

export const routes: Route[] = [
  {
    path: '/',
    title: 'Today',
    section: 'review',
    key: 'd',
    filtered: true,
    results: true,
    units: true,
    load: () => import('../screens/today/Screen.svelte'),
  },
  {
    path: '/trades',
    title: 'Trades',
    section: 'review',
    key: 't',
    filtered: true,
    units: true,
    load: () => import('../screens/trades/Screen.svelte'),
  },
  {
    path: '/trades/{id}',
    title: 'Trade',
    filtered: true,
    units: true,
    load: () => import('../screens/trades/Screen.svelte'),
  },
  {
    path: '/review',
    title: 'Review',
    key: 'v',
    filtered: true,
    load: () => import('../screens/trades/Review.svelte'),
  },
  {
    path: '/positions',
    title: 'Positions',
    section: 'review',
    key: 'u',
    filtered: true,
    load: () => import('../screens/trades/Positions.svelte'),
  },
  {
    path: '/options',
    title: 'Options',
    section: 'review',
    key: 'b',
    filtered: true,
    load: () => import('../screens/options/Screen.svelte'),
  },
  {
    path: '/calendar',
    title: 'Calendar',
    section: 'review',
    key: 'c',
    filtered: true,
    results: true,
    load: () => import('../screens/calendar/Screen.svelte'),
  },
  {
    path: '/calendar/{day}',
    title: 'Day',
    filtered: true,
    results: true,
    load: () => import('../screens/calendar/Screen.svelte'),
  },
  {
    path: '/calendar/week/{day}',
    title: 'Weekly review',
    filtered: true,
    results: true,
    load: () => import('../screens/calendar/Screen.svelte'),
  },
  {
    path: '/calendar/month/{month}',
    title: 'Monthly review',
    filtered: true,
    results: true,
    load: () => import('../screens/calendar/Screen.svelte'),
  },
  {
    path: '/notes',
    title: 'Notes',
    section: 'review',
    key: 'n',
    load: () => import('../screens/notes/Screen.svelte'),
  },
  {
    path: '/notes/templates',
    title: 'Note templates',
    load: () => import('../screens/notes/Templates.svelte'),
  },
  { path: '/notes/{id}', title: 'Note', load: () => import('../screens/notes/Screen.svelte') },
  {
    path: '/reports',
    title: 'Reports',
    section: 'measure',
    key: 'r',
    filtered: true,
    results: true,
    units: true,
    load: () => import('../screens/reports/Screen.svelte'),
  },
  {
    path: '/reports/{report}',
    title: 'Reports',
    filtered: true,
    results: true,
    units: true,
    load: () => import('../screens/reports/Screen.svelte'),
  },
  {
    path: '/programs',
    title: 'Programs',
    section: 'measure',
    load: () => import('../screens/programs/Screen.svelte'),
  },
  {
    path: '/programs/{id}',
    title: 'Program',
    load: () => import('../screens/programs/Screen.svelte'),
  },
  {
    path: '/setups',
    title: 'Setups',
    section: 'measure',
    key: 's',
    filtered: true,
    load: () => import('../screens/setups/Screen.svelte'),
  },
  {
    path: '/setups/{id}',
    title: 'Setup',
    filtered: true,
    load: () => import('../screens/setups/Screen.svelte'),
  },
  {
    path: '/symbols/{symbol}',
    title: 'Symbol',
    filtered: true,
    load: () => import('../screens/symbols/Screen.svelte'),
  },
  {
    path: '/tags',
    title: 'Tags',
    section: 'measure',
    key: 'l',
    filtered: true,
    load: () => import('../screens/tags/Screen.svelte'),
  },
  {
    path: '/missed',
    title: 'Missed',
    section: 'measure',
    key: 'm',
    filtered: true,
    datesOnly: true,
    load: () => import('../screens/missed/Screen.svelte'),
  },
  {
    path: '/routines',
    title: 'Routines',
    section: 'measure',
    key: 'o',
    load: () => import('../screens/routines/Screen.svelte'),
  },
  {
    path: '/rules',
    title: 'Rules',
    section: 'measure',
    key: 'k',
    filtered: true,
    load: () => import('../screens/rules/Screen.svelte'),
  },
  {
    path: '/accounts',
    title: 'Accounts',
    section: 'data',
    key: 'a',
    load: () => import('../screens/accounts/Screen.svelte'),
  },
  {
    path: '/corporate-actions',
    title: 'Corporate actions',
    load: () => import('../screens/actions/Screen.svelte'),
  },
  { path: '/accounts/{id}', title: 'Account', load: () => import('../screens/accounts/Screen.svelte') },
  {
    path: '/import',
    title: 'Import',
    section: 'data',
    key: 'i',
    load: loadImport,
  },
  { path: '/import/{id}', title: 'Import', load: loadImport },
  {
    path: '/connections',
    title: 'Connections',
    section: 'data',
    key: 'w',
    load: () => import('../screens/connections/Screen.svelte'),
  },
  {
    path: '/prices',
    title: 'Prices',
    section: 'data',
    key: 'p',
    load: () => import('../screens/prices/Screen.svelte'),
  },
  {
    path: '/history',
    title: 'History',
    section: 'data',
    key: 'h',
    load: () => import('../screens/history/Screen.svelte'),
  },
  {
    path: '/export',
    title: 'Export',
    section: 'data',
    key: 'e',
    load: () => import('../screens/export/Screen.svelte'),
  },
  {
    path: '/settings',
    title: 'Settings',
    section: 'other',
    key: ',',
    load: () => import('../screens/settings/Screen.svelte'),
  },
  { path: '/settings/{tab}', title: 'Settings', load: () => import('../screens/settings/Screen.svelte') },
  {
    path: '/admin',
    title: 'Admin',
    section: 'other',
    admin: true,
    load: () => import('../screens/admin/Screen.svelte'),
  },
  {
    path: '/connect-app',
    title: 'Connect an app',
    load: () => import('../screens/start/ConnectApp.svelte'),
  },
  { path: '/start', title: 'First run', open: true, load: () => import('../screens/start/FirstRun.svelte') },
  { path: '/sign-in', title: 'Sign in', open: true, load: () => import('../screens/start/SignIn.svelte') },
  {
    path: '/register',
    title: 'Register',
    open: true,
    load: () => import('../screens/start/Register.svelte'),
  },
  {
    path: '/s/{token}',
    title: 'Shared journal',
    open: true,
    load: () => import('../screens/share/Screen.svelte'),
  },
];

export interface Match {
  route: Route | null;
  params: Record<string, string>;
}

export function match(path: string): Match {
  const parts = split(path);
  for (const route of routes) {
    const params = matchParts(split(route.path), parts);
    if (params) return { route, params };
  }
  return { route: null, params: {} };
}

function split(path: string): string[] {
  return path.replace(/\/+$/, '').split('/').slice(1);
}

function matchParts(pattern: string[], parts: string[]): Record<string, string> | null {
  if (pattern.length !== parts.length) return null;
  const params: Record<string, string> = {};
  for (const [i, piece] of pattern.entries()) {
    const part = parts[i]!;
    if (piece.startsWith('{')) params[piece.slice(1, -1)] = decode(part);
    else if (piece !== part) return null;
  }
  return params;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
