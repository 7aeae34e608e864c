import type { ReactNode } from "react";

/** Drawn with lines, in a square of 16. */
const PATHS = {
  close: "M4 4l8 8M12 4l-8 8",
  copy: "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z",
  down: "M8 2.5v8M4.5 7.5L8 11l3.5-3.5M3 13.5h10",
  link: "M6.5 9.5l3-3M7 4.5l1.5-1.5a2.5 2.5 0 013.5 3.5L10.500 8M9 11.500L7.500 13A2.500 2.500 0 014 9.500L5.500 8",
  menu: "M2.5 4h11M2.5 8h11M2.5 12h11",
  open: "M2.500 12.500v-9h4l1.500 2h5.500v7z",
  plus: "M8 3v10M3 8h10",
  search: "M7 12A5 5 0 107 2a5 5 0 000 10zM10.600 10.600L14 14",
  send: "M8 13V3M4 7l4-4 4 4",
  stop: "M4.500 4.500h7v7h-7z",
} as const;

export function Icon({ name }: { name: keyof typeof PATHS }): ReactNode {
  return (
    <svg className="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path
        d={PATHS[name]}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.4"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
