/** Icons used only by the club pages, on the same 24 px grid as the shared icons. */
const lineIconStyle = {
  fill: 'none',
  stroke: 'currentColor',
  strokeWidth: 2,
  strokeLinecap: 'round',
  strokeLinejoin: 'round',
} as const;

export const MoreIcon = () => (
  <svg viewBox="0 0 24 24" aria-hidden="true" fill="currentColor">
    <circle cx="5" cy="12" r="2" />
    <circle cx="12" cy="12" r="2" />
    <circle cx="19" cy="12" r="2" />
  </svg>
);
export const ShareIcon = () => (
  <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" {...lineIconStyle}>
    <path d="M12 15V4m0 0L8 8m4-4 4 4M5 13v6h14v-6" />
  </svg>
);
export const LockIcon = () => (
  <svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true" {...lineIconStyle}>
    <path d="M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3" />
  </svg>
);
