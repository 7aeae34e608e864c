/** What scrolls an element: itself or the nearest element around it that scrolls, else the page. */
export function scrollerOf(element: Element): Element {
  for (let at: Element | null = element; at !== null; at = at.parentElement) {
    const { overflowY } = getComputedStyle(at);
    if ((overflowY === "auto" || overflowY === "scroll") && at !== document.body) return at;
  }
  return document.scrollingElement ?? document.documentElement;
}

/** The part of a scroller that can be seen, in the window's coordinates. */
export function viewOf(scroller: Element): { top: number; bottom: number } {
  const height = document.documentElement.clientHeight;
  if (scroller === document.scrollingElement) return { top: 0, bottom: height };
  const { top } = scroller.getBoundingClientRect();
  const inner = top + scroller.clientTop;
  return { top: Math.max(0, inner), bottom: Math.min(height, inner + scroller.clientHeight) };
}

/** How far a scroller is from its end. */
export function distanceToEnd(scroller: Element): number {
  return scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop;
}
