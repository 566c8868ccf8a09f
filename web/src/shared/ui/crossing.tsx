const CORNER_CELLS = [
  [0, 0],
  [16, 0],
  [0, 16],
  [16, 16],
] as const;
const CROSSING_CELLS = [
  [8, 0],
  [0, 8],
  [16, 8],
  [8, 16],
] as const;

/** The logo: one row crossing one column. */
export function CrossingLogo({ dark = false }: { dark?: boolean }) {
  const tile = ([x, y]: readonly [number, number]) => (
    <rect key={`${x}-${y}`} x={x} y={y} width="6" height="6" rx="1.5" />
  );
  return (
    <svg viewBox="0 0 22 22" width="22" height="22" aria-hidden="true">
      <g fill="#B9C7C2">{CORNER_CELLS.map(tile)}</g>
      <g fill={dark ? '#3DBE9C' : '#0B5D4B'}>{CROSSING_CELLS.map(tile)}</g>
      <rect x="8" y="8" width="6" height="6" rx="1.5" fill="#FFB81C" />
    </svg>
  );
}
