import { useState } from 'react';
import type { Offer } from '@/api/wire-public';
import { JERSEY_NUMBER_MAX } from '@/shared/draw-size';

/**
 * The offer's picture, or one generated from its slug. The box always has the proportions
 * 1200 × 630, so nothing moves when the picture loads.
 */
export function OfferPicture({
  offer,
  eager = false,
}: {
  offer: Pick<Offer, 'name' | 'slug' | 'shareImageUrl'>;
  eager?: boolean;
}) {
  const [broken, setBroken] = useState(false);
  if (offer.shareImageUrl && !broken)
    return (
      <img
        onError={() => setBroken(true)}
        className="offer-picture"
        src={offer.shareImageUrl}
        alt=""
        width="1200"
        height="630"
        loading={eager ? 'eager' : 'lazy'}
      />
    );
  return (
    <div className="offer-picture is-drawn" aria-hidden="true">
      <svg viewBox="0 0 240 126" preserveAspectRatio="xMidYMid slice">
        {derivePictureCells(offer.slug).map(({ x, y, lit }) => (
          <rect
            key={`${x}-${y}`}
            x={x * 18 + 4}
            y={y * 18 + 2}
            width="14"
            height="14"
            rx="3"
            className={lit}
          />
        ))}
      </svg>
    </div>
  );
}

/**
 * Returns the cells of one row and one column that cross. The crossing is derived from the slug, so
 * an offer has the same picture everywhere.
 */
function derivePictureCells(
  slug: string,
): { x: number; y: number; lit: 'cross' | 'line' | 'off' }[] {
  const sum = [...slug].reduce((so, letter) => (so * 31 + letter.charCodeAt(0)) >>> 0, 7);
  const [column, row] = [2 + (sum % 9), 1 + (Math.floor(sum / 9) % 5)];
  return Array.from({ length: 91 }, (_, at) => {
    const [x, y] = [at % JERSEY_NUMBER_MAX, Math.floor(at / JERSEY_NUMBER_MAX)];
    return {
      x,
      y,
      lit: x === column && y === row ? 'cross' : x === column || y === row ? 'line' : 'off',
    };
  });
}
