// The minimum length of a password. The setup status contains it; a visit that
// began signed in has not loaded that yet, so it is loaded here.

import { answer, api } from './api/client';
import { session } from './session.svelte';

const defaultLength = 10;

export function readMinPasswordLength(): { readonly value: number } {
  let loaded = $state(defaultLength);
  if (!session.status) {
    answer(api.GET('/api/v1/setup/status')).then(
      (status) => (loaded = status.min_password_length),
      () => undefined, // the server checks the length as well
    );
  }
  return {
    get value() {
      return session.status?.min_password_length ?? loaded;
    },
  };
}
