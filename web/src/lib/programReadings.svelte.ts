// The queries of prop firm programs and enrollments.

import { answer, api } from './api/client';
import { query } from './api/queries.svelte';

export const readEnrollments = () =>
  query(() => ({
    key: ['programs', 'enrollments'],
    load: (signal) => answer(api.GET('/api/v1/enrollments', { signal })),
  }));

export const readPrograms = (enabled: () => boolean) =>
  query(() => ({
    key: ['programs', 'catalog'],
    enabled: enabled(),
    load: (signal) => answer(api.GET('/api/v1/prop-programs', { signal })),
  }));

export const readStatus = (id: () => string) =>
  query(() => ({
    key: ['programs', 'status', id()],
    load: (signal) =>
      answer(api.GET('/api/v1/enrollments/{id}/status', { params: { path: { id: id() } }, signal })),
  }));

export const readDays = (id: () => string) =>
  query(() => ({
    key: ['programs', 'days', id()],
    load: (signal) =>
      answer(api.GET('/api/v1/enrollments/{id}/days', { params: { path: { id: id() } }, signal })),
  }));
