import { readableTextColourOn } from '@/shared/club-colours';

/** A jersey with a number, or a dashed outline with a question mark before a number is chosen. */
export function Jersey({
  jersey,
  colour,
  size = 52,
}: {
  jersey: number | null;
  colour: string;
  size?: number;
}) {
  const chosen = jersey !== null;
  return (
    <svg viewBox="0 0 48 48" width={size} height={size} aria-hidden="true" className="jersey">
      <path
        d="M17 5c2 3 12 3 14 0l12 6-4 12-5-2v22H14V21l-5 2-4-12z"
        fill={chosen ? colour : 'none'}
        stroke={chosen ? colour : 'var(--line-strong)'}
        strokeWidth="1.5"
        strokeLinejoin="round"
        strokeDasharray={chosen ? undefined : '3 3'}
      />
      <text
        x="24"
        y="32"
        textAnchor="middle"
        fontSize="19"
        fontWeight="600"
        fontFamily="var(--font-display)"
        fill={chosen ? readableTextColourOn(colour) : 'var(--ink-2)'}
      >
        {jersey ?? '?'}
      </text>
    </svg>
  );
}

/** Colour of the visitors’ jersey: the club does not know their colours. */
export const AWAY_JERSEY_COLOUR = '#45534f';
