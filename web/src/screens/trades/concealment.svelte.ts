// Which trade is being replayed without its result: the drawer and Review hide what
// would reveal it.

class Concealment {
  private trade = $state<string | null>(null);

  /** Hides the result of a trade, or shows it again. */
  set(id: string, isHidden: boolean): void {
    if (isHidden) this.trade = id;
    else if (this.trade === id) this.trade = null;
  }

  hides(id: string): boolean {
    return this.trade === id;
  }
}

export const concealment = new Concealment();
