// Shrinks the text of an element that is too narrow for it. A cut off amount would
// read as another amount. For elements whose text does not wrap.
//
//   <p class="value" {@attach fit}>…</p>

const minScale = 0.6;

export function fit(node: HTMLElement): () => void {
  let lastWidth = -1;
  let frame = 0;

  function resize(): void {
    lastWidth = node.clientWidth;
    node.style.fontSize = '';
    if (lastWidth === 0 || node.scrollWidth <= lastWidth) return;
    const fontSize = parseFloat(getComputedStyle(node).fontSize);
    const scale = Math.max(minScale, lastWidth / node.scrollWidth);
    node.style.fontSize = `${Math.floor(fontSize * scale * 10) / 10}px`;
  }

  // In the next frame: a change inside of a ResizeObserver callback triggers it again.
  const sizes = new ResizeObserver(() => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => node.clientWidth !== lastWidth && resize());
  });
  const text = new MutationObserver(resize);
  sizes.observe(node);
  text.observe(node, { childList: true, characterData: true, subtree: true });
  resize();
  return () => {
    cancelAnimationFrame(frame);
    sizes.disconnect();
    text.disconnect();
  };
}
