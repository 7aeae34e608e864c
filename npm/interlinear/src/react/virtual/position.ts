import type { Heights } from "./heights.js";
import { distanceToEnd, viewOf } from "./scroller.js";

/** Where a row is brought to: the top of what is seen, its middle, or as little as needed. */
export type Align = "start" | "center" | "nearest";

/** Rows that come into view are measured and move what is below them: so often is a jump corrected. */
const CORRECTIONS = 12;
const AT_END = 24;

/**
 * Where a list stands: at its end, which it follows; on its way to a row; or where the reader left it. Whoever scrolls
 * while it is on its way decides.
 */
export class Position {
  /** What scrolls the list. */
  scroller: Element | undefined;
  #following: boolean;
  #target: { readonly index: number; readonly align: Align; left: number } | undefined;
  /** Where we put it, or saw it last: any other place is the reader's. */
  #top = 0;

  constructor(follow: boolean) {
    this.#following = follow;
  }

  /** It was scrolled, by the reader or by us. Gives whether the end can be seen. */
  scrolled(follow: boolean): boolean {
    const { scroller } = this;
    if (scroller === undefined) return true;
    const atEnd = distanceToEnd(scroller) < AT_END;
    const { scrollTop } = scroller;
    if (Math.abs(scrollTop - this.#top) > 1) this.#target = undefined;
    // Only who scrolls up leaves the end: it also moves away by itself, when something grows.
    if (atEnd && this.#target === undefined) this.#following = follow;
    else if (scrollTop < this.#top) this.#following = false;
    this.#top = scrollTop;
    return atEnd;
  }

  /** Goes to a row. */
  aim(index: number, align: Align): void {
    this.#following = false;
    this.#target = { index, align, left: CORRECTIONS };
  }

  /** Goes to the end, and stays there if it is to be followed. */
  toEnd(follow: boolean): void {
    this.#following = follow;
    this.#target = undefined;
    this.#set(Number.MAX_SAFE_INTEGER);
  }

  /** What is above what is seen became higher: what is seen stays where it is. */
  shift(pixels: number): void {
    if (pixels !== 0) this.#set((this.scroller?.scrollTop ?? 0) + pixels);
  }

  /** Rows came or were measured: moves on towards the row that was asked for, or stays at the end. */
  settle(list: HTMLElement | null, heights: Heights): void {
    const { scroller } = this;
    if (scroller === undefined || list === null) return;
    const target = this.#target;
    if (target === undefined) {
      if (this.#following && distanceToEnd(scroller) > 0) this.#set(scroller.scrollHeight);
      return;
    }
    target.left -= 1;
    if (target.left === 0) this.#target = undefined;
    const element = list.querySelector(`:scope > [data-index="${target.index}"]`);
    const begins = heights.offset(target.index);
    const top = element?.getBoundingClientRect().top ?? list.getBoundingClientRect().top + begins;
    const missing = distance(top, heights.offset(target.index + 1) - begins, viewOf(scroller), target.align);
    if (Math.abs(missing) >= 1) this.#set(scroller.scrollTop + missing);
  }

  #set(top: number): void {
    if (this.scroller === undefined) return;
    this.scroller.scrollTop = top;
    this.#top = this.scroller.scrollTop;
  }
}

/** By how much to scroll. */
function distance(top: number, height: number, view: { top: number; bottom: number }, align: Align): number {
  const bottom = top + height;
  if (align === "nearest" && top >= view.top && bottom <= view.bottom) return 0;
  if (align === "start" || height > view.bottom - view.top) return top - view.top;
  if (align === "center") return (top + bottom - view.top - view.bottom) / 2;
  return top < view.top ? top - view.top : bottom - view.bottom;
}
