// The queries of the admin screen.

import { answer, api } from '../../lib/api/client';
import { query } from '../../lib/api/queries.svelte';

export const readUsers = () =>
  query(() => ({
    key: ['admin', 'users'],
    load: (signal) => answer(api.GET('/api/v1/admin/users', { signal })),
  }));

export const readAudit = () =>
  query(() => ({
    key: ['admin', 'audit'],
    load: (signal) => answer(api.GET('/api/v1/admin/audit', { signal })),
  }));
