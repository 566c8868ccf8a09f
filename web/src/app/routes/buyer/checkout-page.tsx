import '@/features/buyer/checkout/checkout.css';
import '@/features/buyer/checkout/two-step.css';
import { useAtomValue } from 'jotai';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import type { Draw } from '@/api/wire';
import type { PageProps } from '@/app/page-props';
import { finishedOrderToken } from '@/features/buyer/checkout/state/purchase-attempt';
import { isCheckoutBusy } from '@/features/buyer/checkout/state/checkout';
import type { Checkout } from '@/features/buyer/checkout/state/checkout';
import { checkoutAtom } from '@/features/buyer/checkout/state/checkout-atoms';
import { FinishedPurchasePanel } from '@/features/buyer/checkout/outcome/finished-purchase-panel';
import { ticketsHeldAndAvailable } from '@/features/buyer/checkout/reservation/reserved-tickets';
import { PaymentProvider } from '@/features/buyer/checkout/payment/payment-provider';
import {
  clampTicketCount,
  ticketCountFromQuery,
} from '@/features/buyer/checkout/form/purchase-rules';
import { readSavedCheckout, walletKindOf } from '@/features/buyer/checkout/form/saved-checkout';
import { TwoStepCheckoutForm } from '@/features/buyer/checkout/form/two-step-form';
import { useTicketCount } from '@/features/buyer/checkout/form/use-ticket-count';
import { PriceLines } from '@/features/buyer/draw-page/price-lines';
import {
  CLUB_NOT_SELLING_NOTICE,
  isClubNotSelling,
  futureOpeningTimeOf,
  drawPhaseOf,
  temporarilySoldOutText,
} from '@/features/shared-live/draw-phase';
import type { DrawPhase } from '@/features/shared-live/draw-phase';
import { configAtom, nowAtom } from '@/features/shared-live/live-atoms';
import { useLiveDraw } from '@/features/shared-live/use-live';
import { dayAndTime } from '@/shared/dates';
import { decimalToCents, priceOf, ticketPriceText } from '@/shared/money';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { LoadFailed } from '@/shared/ui/load-failed';
import { usePageTitle } from '@/shared/ui/page-title';
import { Stepper } from '@/shared/ui/stepper';

/** Sells the tickets of one draw in two steps: details, then payment. */
export function Page({ params }: PageProps) {
  const { draw, missing, failed, retry } = useLiveDraw(Number(params.draw), 5_000);
  usePageTitle(missing ? S.drawNotFound : 'Checkout');
  if (missing) {
    return (
      <main className="plain-page" id="main">
        <h1>{S.drawNotFound}</h1>
        <p>{S.drawNotFoundText}</p>
        <div className="actions">
          <Link className="btn" href="/">
            {S.returnHome}
          </Link>
        </div>
      </main>
    );
  }
  return (
    <main className="checkout" id="main" aria-busy={!draw && !failed}>
      <h1>Checkout</h1>
      {failed ? <LoadFailed title={S.failedToFetchDraw} onRetry={retry} /> : null}
      {draw ? (
        <CheckoutOrFinishedPurchase draw={draw} />
      ) : failed ? null : (
        <div className="checkout-wait">
          <span className="spinner" role="status" aria-label="Loading" />
        </div>
      )}
    </main>
  );
}

/**
 * Returns the ticket count and the wallet from the URL, or else from browser storage (specification
 * lines A:28, A:125).
 */
function useRequestedTicketCount(available: number, most: number) {
  return useState(() => {
    const query = new URLSearchParams(window.location.search);
    const saved = readSavedCheckout();
    const count = query.has('tickets')
      ? ticketCountFromQuery(window.location.search, 'tickets', available, most)
      : clampTicketCount(saved.ticketCount ?? 1, Math.max(1, available), most);
    const walletOnly =
      query.get('mode') === 'wallet' ||
      (!query.has('mode') && !query.has('tickets') && saved.walletFirst);
    return {
      count,
      walletOnly,
      walletType: walletOnly ? (walletKindOf(query.get('wallet')) ?? saved.walletType) : null,
    };
  })[0];
}

/**
 * Whether the form is shown and the server has not yet responded to the reservation request. Until
 * then, held tickets may be the buyer's own.
 */
function useIsAwaitingReservation(checkout: Checkout, onSale: boolean): boolean {
  const [shown, setShown] = useState(onSale);
  const [answered, setAnswered] = useState(false);
  const answer =
    checkout.state !== 'choosing' || checkout.order !== null || checkout.error !== null;
  useEffect(() => {
    if (onSale) setShown(true);
    if (answer) setAnswered(true);
  }, [onSale, answer]);
  return shown && !answered && !answer;
}

/**
 * Returns how many held tickets may belong to this buyer. Any of them may, because the page
 * reserves tickets automatically. After a refusal for lack of tickets, none does.
 */
function possiblyOwnHeldTicketCount(checkout: Checkout, draw: Draw): number {
  if (checkout.state !== 'choosing') return Infinity;
  return checkout.error?.available === undefined ? draw.ticketsHeld : 0;
}

/**
 * Shows the checkout, or the finished purchase. After a purchase nothing is reserved until the
 * buyer asks for more.
 */
function CheckoutOrFinishedPurchase({ draw }: { draw: Draw }) {
  const scope = `draw:${draw.drawNumber}`;
  const choosing = useAtomValue(checkoutAtom(scope)).state === 'choosing';
  const [dismissedToken, setDismissedToken] = useState<string | null>(null);
  const finished = choosing ? finishedOrderToken(scope) : null;
  if (finished === null || finished === dismissedToken) return <DrawCheckout draw={draw} />;
  return (
    <FinishedPurchasePanel orderToken={finished} match={`${draw.homeTeam} v ${draw.awayTeam}`}>
      <button type="button" className="btn sec" onClick={() => setDismissedToken(finished)}>
        Buy more tickets
      </button>
    </FinishedPurchasePanel>
  );
}

function DrawCheckout({ draw }: { draw: Draw }) {
  const now = useAtomValue(nowAtom);
  const checkout = useAtomValue(checkoutAtom(`draw:${draw.drawNumber}`));
  const most = useAtomValue(configAtom)?.maxPerPurchase ?? 50;
  const { held, available } = ticketsHeldAndAvailable(draw, checkout, now);
  const requestedCount = useRequestedTicketCount(available, most);
  const { count, note, change } = useTicketCount({
    initial: () => requestedCount.count,
    available,
    maximum: most,
    possiblyOwn: possiblyOwnHeldTicketCount(checkout, draw),
  });
  const price = priceOf(decimalToCents(draw.ticketPrice), count, draw.passStripeFees);
  const opens = futureOpeningTimeOf(draw, now);
  const notYet =
    opens && draw.clubSelling !== false
      ? { title: 'Not on sale yet', text: `On sale from ${dayAndTime(opens, draw.timezone)}.` }
      : null;
  const phase = drawPhaseOf(draw, now);
  const reserving =
    useIsAwaitingReservation(checkout, phase === 'active' && !notYet) &&
    phase === 'soldOut' &&
    temporarilySoldOutText(draw) !== null;
  const closed =
    notYet ?? notOnSaleText(draw, phase, held > 0 || reserving || checkout.state !== 'choosing');
  return (
    <>
      <section className="card" aria-labelledby="order-title">
        <h2 id="order-title">
          {draw.homeTeam} v {draw.awayTeam}
        </h2>
        <p className="meta">
          {dayAndTime(draw.gameDate, draw.timezone)} ·{' '}
          {ticketPriceText(draw.ticketPrice, draw.passStripeFees)} per ticket
        </p>
        <div className="row">
          <span>
            {note ? null : `${count} ${count === 1 ? 'ticket' : 'tickets'}`}
            <span className="quantity-note" role="status">
              {note}
            </span>
          </span>
          <Stepper
            label="Tickets"
            value={count}
            max={Math.min(most, Math.max(1, available))}
            disabled={isCheckoutBusy(checkout)}
            onValue={change}
          />
        </div>
        <PriceLines
          ticket={draw.ticketPrice}
          count={count}
          price={price}
          feeText={S.processingFee}
        />
        <p className="meta">Random ticket numbers are assigned after payment.</p>
        <div className="actions">
          <Link className="btn small sec" href={`/draw/${draw.drawNumber}`}>
            {S.backToDraw}
          </Link>
        </div>
      </section>
      {closed ? (
        <div className="callout is-warn" role="status">
          <strong>{closed.title}</strong>
          {closed.text}
        </div>
      ) : (
        <PaymentProvider account={draw.connectedAccountId ?? null} amount={price.total}>
          <TwoStepCheckoutForm
            draw={draw}
            count={count}
            price={price}
            walletOnly={requestedCount.walletOnly}
            walletType={requestedCount.walletType}
          />
        </PaymentProvider>
      )}
    </>
  );
}

/** Returns why nothing can be bought now, or null. A purchase that has begun is not interrupted. */
function notOnSaleText(
  draw: Draw,
  phase: DrawPhase,
  underWay: boolean,
): { title: string; text: string } | null {
  if (underWay) return null;
  if (isClubNotSelling(draw, phase)) return CLUB_NOT_SELLING_NOTICE;
  if (phase === 'completed') return { title: S.drawCompleted, text: S.drawCompletedText };
  if (phase === 'cancelled')
    return { title: 'Draw cancelled', text: 'This draw was cancelled. Every ticket is refunded.' };
  if (phase === 'closed') return { title: S.drawClosed, text: S.drawClosedText };
  if (phase === 'soldOut')
    return temporarilySoldOutText(draw) ?? { title: S.soldOutPanel, text: S.soldOutText };
  return null;
}
