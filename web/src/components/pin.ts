/** The context key in which Pinnable names the card, and Card finds it. */
export const pinContext = Symbol('pin');

export type Pin = () => { id: string; title: string };
