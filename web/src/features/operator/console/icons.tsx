/** Icons of the console, on the same 24 px grid and stroke as the shared icons. */
import type { ReactNode } from 'react';
import type { SectionKey } from './sections';

const iconOfSvgPath = (path: string) => (
  <svg
    viewBox="0 0 24 24"
    width="18"
    height="18"
    aria-hidden="true"
    fill="none"
    stroke="currentColor"
    strokeWidth="2"
    strokeLinecap="round"
    strokeLinejoin="round"
  >
    <path d={path} />
  </svg>
);

export const SECTION_ICONS: Record<SectionKey, ReactNode> = {
  overview: iconOfSvgPath('M4 13h6V4H4zM14 20h6v-9h-6zM4 20h6v-3H4zM14 7h6V4h-6z'),
  clubs: iconOfSvgPath('M12 3l7 3v6c0 4-3 7-7 9-4-2-7-5-7-9V6z'),
  archived: iconOfSvgPath('M3 5h18v4H3zM5 9v11h14V9M10 13h4'),
  waitlist: iconOfSvgPath('M12 7v5l3 2M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z'),
  draws: iconOfSvgPath('M4 4h16v16H4zM4 9.3h16M4 14.6h16M9.3 4v16M14.6 4v16'),
  payments: iconOfSvgPath('M3 12h4l3-8 4 16 3-8h4'),
  orphans: iconOfSvgPath('M4 7h16v4a2 2 0 0 0 0 3v4H4v-4a2 2 0 0 0 0-3zM14 7v11'),
  transactions: iconOfSvgPath('M3 6h18v12H3zM3 10h18M7 15h3'),
  system: iconOfSvgPath('M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5'),
  fees: iconOfSvgPath('M6 3h9l4 4v14H6zM9 12h6M9 16h6'),
  activity: iconOfSvgPath('M4 12a8 8 0 1 0 2.5-5.8M4 4v4h4M12 8v4l3 2'),
};

export const LogoutIcon = () => iconOfSvgPath('M14 4h5v16h-5M10 8l-4 4 4 4M6 12h9');
export const CollapseIcon = () => iconOfSvgPath('M4 4h16v16H4zM10 4v16M16 9l-2 3 2 3');
export const SearchIcon = () => iconOfSvgPath('M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM20 20l-4-4');
export const KeyboardIcon = () =>
  iconOfSvgPath('M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M8 14h8');
