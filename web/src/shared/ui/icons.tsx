/** Icons on a 24 px grid. They are decorative: the control has a text or a label. */
const lineStyle = {
  fill: 'none',
  stroke: 'currentColor',
  strokeWidth: 2,
  strokeLinecap: 'round',
  strokeLinejoin: 'round',
} as const;

export const CloseIcon = () => (
  <svg viewBox="0 0 24 24" aria-hidden="true" {...lineStyle}>
    <path d="M6 6l12 12M18 6L6 18" />
  </svg>
);
export const MenuIcon = () => (
  <svg viewBox="0 0 24 24" aria-hidden="true" {...lineStyle}>
    <path d="M4 7h16M4 12h16M4 17h16" />
  </svg>
);
export const ShareIcon = () => (
  <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" {...lineStyle}>
    <path d="M12 15V3M8 7l4-4 4 4M5 12v8h14v-8" />
  </svg>
);
export const CartIcon = () => (
  <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" {...lineStyle}>
    <path d="M3 4h2l2.4 11h10.2L20 7.5H6M9 20h.01M17 20h.01" />
  </svg>
);
