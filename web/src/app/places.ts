// The parts of screens that the command palette opens by name. A test compares them
// with the tabs of the screens.

export interface Place {
  path: string;
  label: string;
  words?: string; // by which it is found as well
}

export const reports: Place[] = [
  { path: '/reports/overview', label: 'Overview' },
  { path: '/reports/time', label: 'Time', words: 'hour weekday session month heatmap' },
  { path: '/reports/setups', label: 'Setups & tags', words: 'mistakes' },
  { path: '/reports/rules', label: 'Rules', words: 'checklist discipline' },
  { path: '/reports/behavior', label: 'Behavior', words: 'revenge overtrading tilt streak' },
  { path: '/reports/risk', label: 'Risk', words: 'drawdown monte carlo r' },
  { path: '/reports/excursions', label: 'MAE & MFE', words: 'exits stop target excursion' },
  { path: '/reports/distribution', label: 'Distribution', words: 'histogram symbol size holding time' },
  { path: '/reports/compare', label: 'Compare', words: 'rest period' },
];

export const settings: Place[] = [
  { path: '/settings/profile', label: 'Profile', words: 'password email two-factor 2fa totp' },
  { path: '/settings/devices', label: 'Devices', words: 'sessions sign out' },
  { path: '/settings/tokens', label: 'Access tokens', words: 'api key' },
  { path: '/settings/alerts', label: 'Alerts', words: 'notifications quiet hours' },
  {
    path: '/settings/channels',
    label: 'Channels',
    words: 'webhook ntfy gotify discord slack telegram email push',
  },
  { path: '/settings/sharing', label: 'Share links', words: 'public' },
  { path: '/settings/preferences', label: 'Preferences', words: 'time zone locale week daily loss limit' },
  { path: '/settings/rates', label: 'Exchange rates', words: 'currency currencies convert' },
  { path: '/settings/appearance', label: 'Appearance', words: 'theme dark light colors density' },
];
