/** Scrolls to an element when it appears, for messages at the end of a long form: {@attach reveal}. */
export const reveal = (element: Element) => element.scrollIntoView({ block: 'nearest' });
