/** Calls back once when an element comes near the view, for what is read only then: {@attach whenSeen(read)}. */
export const whenSeen = (run: () => void) => (element: Element) => {
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      run();
    },
    { rootMargin: '200px' },
  );
  observer.observe(element);
  return () => observer.disconnect();
};
