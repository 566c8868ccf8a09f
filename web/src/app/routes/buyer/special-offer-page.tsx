import '@/features/buyer/club-page/club-page.css';
import '@/features/buyer/offer/offer.css';
import { useAtomValue, useSetAtom } from 'jotai';
import { useEffect } from 'react';
import { Link } from 'wouter';
import { trackOfferEvent } from '@/api/endpoints/public';
import type { Offer } from '@/api/wire-public';
import type { PageProps } from '@/app/page-props';
import { useClubColours } from '@/features/buyer/club-page/use-club-colours';
import { useClubPixel } from '@/features/buyer/club-page/use-pixel';
import { OfferPurchasePanel } from '@/features/buyer/offer/offer-purchase-panel';
import { OfferGames } from '@/features/buyer/offer/offer-games';
import { OfferPicture } from '@/features/buyer/offer/offer-picture';
import { useClubPageMetadata, useOffer, useOfferDraws } from '@/features/buyer/offer/use-offer';
import { shareOrCopy } from '@/features/buyer/site/share';
import { offerPhase, offerPrice, shortDisplayTag } from '@/features/shared-offer/offer';
import { nowAtom, surchargeModeAtom } from '@/features/shared-live/live-atoms';
import { formatDollars } from '@/shared/money';
import { PUBLIC_TEXTS as S, fromPriceText } from '@/shared/strings';
import { usePageTitle } from '@/shared/ui/page-title';
import { showToastAtom } from '@/shared/ui/toast-atoms';

/** The page of one offer (a bundle or a special). All its games enter the cart together. */
export function Page({ params }: PageProps) {
  const [club, slug] = [params.slug ?? '', params.bundle ?? ''];
  const state = useOffer(club, slug);
  const now = useAtomValue(nowAtom);
  const phase = state.status === 'known' ? offerPhase(state.offer, now) : null;
  const missing = state.status === 'missing' || phase === 'hidden' || phase === 'ended';
  usePageTitle(
    missing
      ? S.offerNotFound
      : state.status === 'known'
        ? state.offer.name
        : state.status === 'failed'
          ? S.failedToLoadBundles
          : S.brand,
  );
  if (missing) {
    return (
      <main className="plain-page" id="main">
        <h1>{S.offerNotFound}</h1>
        <p>This offer has ended, or the link may be cut short.</p>
        <div className="actions">
          <Link className="btn" href={`/club/${club}`}>
            Back to the club
          </Link>
          <Link className="btn sec" href="/#live-draws">
            Find Draws
          </Link>
        </div>
      </main>
    );
  }
  if (state.status === 'failed') {
    return (
      <main className="plain-page" id="main">
        <h1>{S.failedToLoadBundles}</h1>
        <p>Please check your connection and try again.</p>
        <div className="actions">
          <button type="button" className="btn" onClick={state.retry}>
            Retry
          </button>
        </div>
      </main>
    );
  }
  if (state.status !== 'known')
    return (
      <main className="plain-page" id="main" aria-busy="true">
        <h1 className="sr">Loading the offer</h1>
        <span className="skeleton" style={{ aspectRatio: '1200 / 630' }} />
        <span className="skeleton" style={{ height: 220, marginTop: 12 }} />
      </main>
    );
  return <LoadedOffer offer={state.offer} />;
}

function LoadedOffer({ offer }: { offer: Offer }) {
  const now = useAtomValue(nowAtom);
  const showToast = useSetAtom(showToastAtom);
  const mode = useAtomValue(surchargeModeAtom);
  const { meta, failed } = useClubPageMetadata(offer.clubSlug);
  useOfferDraws(offer);
  useClubColours(meta);
  const pixel = useClubPixel(meta?.facebookPixelId, { event: 'offer_view', content: offer.slug });
  const about = { clubSlug: offer.clubSlug, bundleSlug: offer.slug };
  useEffect(
    () => trackOfferEvent('offer_view', { clubSlug: offer.clubSlug, bundleSlug: offer.slug }),
    [offer.clubSlug, offer.slug],
  );
  const onShare = async () => {
    trackOfferEvent('offer_share', about);
    pixel('offer_share', offer.slug);
    const url = `${window.location.origin}/club/${offer.clubSlug}/specials/${offer.slug}`;
    const toast = await shareOrCopy({
      title: offer.name,
      text: `${offer.name}, ${offer.clubName}: ${fromPriceText(formatDollars(offerPrice(offer, 1, mode).total))}`,
      url,
    });
    if (toast) showToast(toast);
  };
  const tag = shortDisplayTag(offer);
  return (
    <main id="main" className="wrap club-scope">
      <Link className="offer-back" href={`/club/${offer.clubSlug}`}>
        ← Back to {offer.clubName}
      </Link>
      <div className="offer-layout">
        <div className="card offer-top">
          <OfferPicture offer={offer} eager />
          <div className="offer-text">
            {tag ? <span className="offer-tag">{tag}</span> : null}
            <h1>{offer.name}</h1>
            {offer.primaryCopy ? <p className="offer-copy">{offer.primaryCopy}</p> : null}
            <button type="button" className="btn small sec" onClick={() => void onShare()}>
              Share
            </button>
          </div>
        </div>
        <OfferPurchasePanel
          offer={offer}
          phase={offerPhase(offer, now)}
          onAdded={() => pixel('offer_add_to_cart', offer.slug)}
        />
        <OfferGames games={offer.games} />
      </div>
      {failed ? (
        <p className="meta-failed" role="status">
          {S.failedToLoadClubMeta}
        </p>
      ) : null}
    </main>
  );
}
