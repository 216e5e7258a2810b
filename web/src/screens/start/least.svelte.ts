// How long a password must be at least. It is known from the greeting of a
// visit that began signed out; otherwise it is asked for once.

import { answer, api } from '../../lib/api/client';
import { session } from '../../lib/session.svelte';

const usual = 10;

export function leastPassword(): { readonly value: number } {
  let asked = $state(usual);
  if (!session.status) {
    answer(api.GET('/api/v1/setup/status')).then(
      (status) => (asked = status.min_password_length),
      () => undefined, // the server will say so itself
    );
  }
  return {
    get value() {
      return session.status?.min_password_length ?? asked;
    },
  };
}
