// The user's choice of the cards of Today, one list for phones and one for larger
// screens, stored in the preferences.

import { MediaQuery } from 'svelte/reactivity';
import { preferences } from './preferences.svelte';
import { parseCards, type TodayCard } from './todayCards';

const phone = new MediaQuery('(max-width: 760px)');
const keys = { phone: 'today.cards_phone', desk: 'today.cards' };
const keyOf = (isPhone: boolean) => (isPhone ? keys.phone : keys.desk);

class ChosenCards {
  get onPhone(): boolean {
    return phone.current;
  }

  /** The cards shown on a screen of this size, in their order. */
  get shown(): TodayCard[] {
    return this.read(this.onPhone);
  }

  /** Whether the user has chosen the cards of this size of screen. */
  get changed(): boolean {
    return Array.isArray(preferences.get<unknown>(keyOf(this.onPhone), null));
  }

  has(id: string): boolean {
    return this.shown.some((card) => card.id === id);
  }

  /** Stores the cards of this size of screen. */
  arrange(cards: TodayCard[]): void {
    void preferences.set({ [keyOf(this.onPhone)]: cards.map((card) => card.id) });
  }

  /** Adds a card at the end, or removes it, on screens of both sizes. */
  toggle(id: string): void {
    const add = !this.has(id);
    const change = Object.fromEntries(
      [true, false].map((isPhone) => {
        const others = this.read(isPhone)
          .map((card) => card.id)
          .filter((other) => other !== id);
        return [keyOf(isPhone), add ? [...others, id] : others];
      }),
    );
    void preferences.set(change);
  }

  /** Shows the default cards again on this size of screen. */
  reset(): void {
    void preferences.set({ [keyOf(this.onPhone)]: null });
  }

  private read(isPhone: boolean): TodayCard[] {
    return parseCards(preferences.get<unknown>(keyOf(isPhone), null), isPhone);
  }
}

export const chosenCards = new ChosenCards();
