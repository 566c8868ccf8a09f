import { useAtomValue } from 'jotai';
import { useState } from 'react';
import type { Offer } from '@/api/wire-public';
import {
  gameDrawNumber,
  offerClosesAt,
  offerPrice,
  offerOpensAt,
} from '@/features/shared-offer/offer';
import type { OfferPhase } from '@/features/shared-offer/offer';
import { TICKETS_PER_CART_MAX, TICKETS_PER_LINE_MAX } from '@/features/buyer/cart/cart';
import { OfflineNote } from '@/features/buyer/checkout/errors/offline-note';
import { CountdownPill } from '@/features/shared-live/countdown-pill';
import { useIsOffline } from '@/features/shared-live/server-contact';
import {
  configAtom,
  liveStateAtom,
  maintenanceAtom,
  nowAtom,
  surchargeModeAtom,
} from '@/features/shared-live/live-atoms';
import { dayAndTime } from '@/shared/dates';
import { formatDollars, type Price } from '@/shared/money';
import { PUBLIC_TEXTS as S, fromPriceText } from '@/shared/strings';
import { Stepper } from '@/shared/ui/stepper';
import { useAddOfferToCart } from './use-add-offer-to-cart';

interface OfferPurchasePanelProps {
  offer: Offer;
  phase: OfferPhase;
  onAdded: () => void;
}

/**
 * Price, count and the buy button of an offer. Below a width of 900 px the button is in a bar at
 * the foot of the screen.
 */
export function OfferPurchasePanel({ offer, phase, onAdded }: OfferPurchasePanelProps) {
  const [count, setCount] = useState(1);
  const config = useAtomValue(configAtom);
  // The largest count, limited by the tickets per draw and by the tickets per purchase.
  const most = Math.max(
    1,
    Math.min(
      config?.maxPerPurchase ?? TICKETS_PER_LINE_MAX,
      Math.floor(TICKETS_PER_CART_MAX / Math.max(1, offer.games.length)),
    ),
  );
  const mode = useAtomValue(surchargeModeAtom);
  const maintenance = useAtomValue(maintenanceAtom);
  const offline = useIsOffline();
  const { onAdd, busy, refused } = useAddOfferToCart(offer, onAdded);
  const price = offerPrice(offer, count, mode);
  const closes = offerClosesAt(offer);
  const now = useAtomValue(nowAtom);
  const draws = useAtomValue(liveStateAtom).draws;
  const soldOut = offer.games.some(
    (game) => (draws[gameDrawNumber(game)]?.ticketsAvailable ?? game.ticketsAvailable ?? 1) <= 0,
  );
  const button = (where: string) => (
    <button
      type="button"
      className={`btn ${where}${soldOut ? ' is-unavailable' : ''}`}
      aria-disabled={busy || offline || soldOut}
      onClick={() => offline || soldOut || void onAdd(count)}
    >
      {busy ? 'Checking …' : soldOut ? S.soldOut : 'Add to cart'}
    </button>
  );
  return (
    <section className="card offer-buy" aria-labelledby="price-title">
      <div className="offer-price">
        <h2 id="price-title" className="num">
          {fromPriceText(formatDollars(offerPrice(offer, 1, mode).total))}
        </h2>
        {closes && (phase === 'open' || (phase === 'closed' && closes <= now)) ? (
          <CountdownPill kickOff={new Date(closes).toISOString()} view="page" />
        ) : null}
      </div>
      <OfferPriceText price={offerPrice(offer, 1, mode)} />
      {phase !== 'open' ? (
        <OfferNotOnSale offer={offer} phase={phase} />
      ) : maintenance ? (
        <div className="callout is-warn">
          <strong>{S.maintenance}</strong>
          {S.maintenanceText}
        </div>
      ) : (
        <>
          <div className="offer-count">
            <span id="count-words">
              {offer.games.length === 1 ? 'Tickets' : 'Tickets in each game'}
            </span>
            <Stepper
              label={offer.games.length === 1 ? 'Tickets' : 'Tickets in each game'}
              value={count}
              max={most}
              onValue={setCount}
            />
          </div>
          <p className="meta" role="status">
            {count >= most && offer.games.length > 1
              ? `At most ${most * offer.games.length} tickets in one purchase.`
              : ''}
          </p>
          <p className="sum-row total" aria-live="polite">
            <span>Total</span>
            <span>{formatDollars(price.total)}</span>
          </p>
          {offline ? <OfflineNote /> : null}
          {button('wide offer-add')}
          {refused ? (
            <div ref={scrollIntoCentre} className="callout is-bad" role="alert">
              {refused}
            </div>
          ) : null}
          <div className="offer-bar">
            <span className="num">{formatDollars(price.total)}</span>
            {button('')}
          </div>
        </>
      )}
    </section>
  );
}

/**
 * Scrolls an error to the centre of the screen, because the bar at the foot of a phone must not
 * cover the error.
 */
const scrollIntoCentre = (element: HTMLElement | null) =>
  element?.scrollIntoView({ block: 'center' });

/** Shows the subtotal, the fee and the total where the buyer pays a fee (decision D14). */
function OfferPriceText({ price: { subtotal, cardFee, total } }: { price: Price }) {
  if (cardFee === 0) return null;
  return (
    <p className="meta">
      {formatDollars(subtotal)} + {formatDollars(cardFee)} fee = {formatDollars(total)}
    </p>
  );
}

function OfferNotOnSale({ offer, phase }: { offer: Offer; phase: OfferPhase }) {
  const opens = offerOpensAt(offer);
  if (phase === 'scheduled' && opens)
    return (
      <div className="callout is-warn" role="status">
        <strong>Not on sale yet</strong>On sale from{' '}
        {dayAndTime(new Date(opens).toISOString(), offer.games[0]?.timezone)}.
      </div>
    );
  return (
    <div className="callout is-warn" role="status">
      <strong>{S.bundleClosed}</strong>The first of its games has closed, so it can no longer be
      bought together.
    </div>
  );
}
