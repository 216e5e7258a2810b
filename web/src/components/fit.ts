// Makes a figure smaller where it has no room, instead of cutting it off: half an
// amount reads as another amount. For an element whose words do not wrap.
//
//   <p class="value" {@attach fit}>…</p>

const smallest = 0.6; // of its usual size

export function fit(node: HTMLElement): () => void {
  let room = -1; // what there was when it was last made to fit
  let frame = 0;

  function look(): void {
    room = node.clientWidth;
    node.style.fontSize = '';
    if (room === 0 || node.scrollWidth <= room) return;
    const usual = parseFloat(getComputedStyle(node).fontSize);
    const share = Math.max(smallest, room / node.scrollWidth);
    node.style.fontSize = `${Math.floor(usual * share * 10) / 10}px`;
  }

  // In the next frame, since what is changed while sizes are told of is told of again.
  const sizes = new ResizeObserver(() => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => node.clientWidth !== room && look());
  });
  const words = new MutationObserver(look);
  sizes.observe(node);
  words.observe(node, { childList: true, characterData: true, subtree: true });
  look();
  return () => {
    cancelAnimationFrame(frame);
    sizes.disconnect();
    words.disconnect();
  };
}
