// The clock of the page. A journal stays open for days: what is shown of today must
// become that of the next day at midnight, or a routine is ticked on the day before.

import { dayOf, type Day } from './format/days';

const lookEvery = 30_000; // milliseconds

class Clock {
  private at = $state(Date.now());

  constructor() {
    const look = () => (this.at = Date.now());
    setInterval(look, lookEvery);
    // A machine that slept wakes up on another day, and timers of hidden tabs are late.
    document.addEventListener('visibilitychange', look);
    addEventListener('focus', look);
  }

  /** The day it is in a zone; what reads it follows at midnight. */
  today(timeZone: string): Day {
    return dayOf(new Date(this.at), timeZone);
  }
}

export const clock = new Clock();
