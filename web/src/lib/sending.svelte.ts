// What a form knows while it sends: whether it is under way, and why it was refused.

import { asApiError, type ApiError } from './api/errors';

export class Sending {
  busy = $state(false);
  fault = $state<ApiError | null>(null);

  /** Does the work of a form. What goes wrong is kept as the fault, for the fields to show. */
  async run(work: () => Promise<unknown>): Promise<void> {
    this.busy = true;
    this.fault = null;
    try {
      await work();
    } catch (thrown) {
      this.fault = asApiError(thrown);
    } finally {
      this.busy = false;
    }
  }
}
