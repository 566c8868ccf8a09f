import { useAtomValue } from 'jotai';
import { Link } from 'wouter';
import type { Offer } from '@/api/wire-public';
import { OfferPicture } from '@/features/buyer/offer/offer-picture';
import { gameTitle, offerPrice, shortDisplayTag } from '@/features/shared-offer/offer';
import { surchargeModeAtom } from '@/features/shared-live/live-atoms';
import { dayAndTime } from '@/shared/dates';
import { formatDollars } from '@/shared/money';
import { PUBLIC_TEXTS as S, fromPriceText } from '@/shared/strings';
import { LoadFailed } from '@/shared/ui/load-failed';

interface OffersSectionProps {
  offers: readonly Offer[];
  failed: boolean;
  retry: () => void;
}

/** The club's bundles and specials on sale now. Hidden when there are none. */
export function OffersSection({ offers, failed, retry }: OffersSectionProps) {
  if (offers.length === 0 && !failed) return null;
  return (
    <section className="section" aria-labelledby="offers-title">
      <div className="section-head">
        <h2 id="offers-title">Special offers</h2>
      </div>
      {failed ? <LoadFailed title={S.failedToLoadBundles} onRetry={retry} /> : null}
      <div className="offer-grid">
        {offers.map((offer) => (
          <OfferCard key={offer.slug} offer={offer} />
        ))}
      </div>
    </section>
  );
}

function OfferCard({ offer }: { offer: Offer }) {
  const id = `offer-${offer.slug}`;
  const tag = shortDisplayTag(offer);
  const first = offer.games[0];
  const mode = useAtomValue(surchargeModeAtom);
  return (
    <article className="card offer-card" aria-labelledby={id}>
      <OfferPicture offer={offer} />
      <div className="offer-card-in">
        {tag ? <span className="offer-tag">{tag}</span> : null}
        <h3 id={id}>{offer.name}</h3>
        <p className="meta">
          {offer.games.length === 1 && first
            ? `${gameTitle(first)}, ${dayAndTime(first.gameDate, first.timezone)}`
            : `${offer.games.length} games, one ticket in each`}
        </p>
        <div className="offer-card-foot">
          <strong className="num">
            {fromPriceText(formatDollars(offerPrice(offer, 1, mode).total))}
          </strong>
          <Link className="btn small" href={`/club/${offer.clubSlug}/specials/${offer.slug}`}>
            See offer<span className="sr">: {offer.name}</span>
          </Link>
        </div>
      </div>
    </article>
  );
}
