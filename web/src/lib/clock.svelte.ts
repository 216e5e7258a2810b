// The page's clock. A journal may stay open for days: at midnight the page must
// switch to the next day, or a routine would be ticked for the day before.

import { dayOf, type Day } from './format/days';

const intervalMillis = 30_000;

class Clock {
  private at = $state(Date.now());

  constructor() {
    const update = () => (this.at = Date.now());
    setInterval(update, intervalMillis);
    // After sleep it may be another day, and timers of hidden tabs are late.
    document.addEventListener('visibilitychange', update);
    addEventListener('focus', update);
  }

  /** The current time in milliseconds, up to half a minute old. It is reactive. */
  get now(): number {
    return this.at;
  }

  /** Returns the current day in a time zone. It is reactive: it changes at midnight. */
  today(timeZone: string): Day {
    return dayOf(new Date(this.at), timeZone);
  }
}

export const clock = new Clock();
