import { useAtomValue } from 'jotai';
import { Link } from 'wouter';
import type { Draw } from '@/api/wire';
import { checkoutAtom } from '@/features/buyer/checkout/state/checkout-atoms';
import { ticketsHeldAndAvailable } from '@/features/buyer/checkout/reservation/reserved-tickets';
import { PaymentProvider } from '@/features/buyer/checkout/payment/payment-provider';
import { ticketCountFromQuery } from '@/features/buyer/checkout/form/purchase-rules';
import { useTicketCount } from '@/features/buyer/checkout/form/use-ticket-count';
import {
  CLUB_NOT_SELLING_NOTICE,
  isClubNotSelling,
  futureOpeningTimeOf,
  temporarilySoldOutText,
} from '@/features/shared-live/draw-phase';
import type { DrawPhase } from '@/features/shared-live/draw-phase';
import { configAtom, nowAtom } from '@/features/shared-live/live-atoms';
import { clubBandVariables } from '@/shared/club-colours';
import { dayAndTime } from '@/shared/dates';
import { decimalToCents, priceOf } from '@/shared/money';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { NextDraws } from './next-draws';
import { PurchaseForm } from './purchase-form';
import { ResultSection } from './result-section';

/**
 * Offers the purchase of a draw, or explains why it is not possible. A purchase in progress stays,
 * whatever the draw's status becomes.
 */
export function BuyPanel({ draw, phase }: { draw: Draw; phase: DrawPhase }) {
  const checkout = useAtomValue(checkoutAtom(`draw:${draw.drawNumber}`));
  const now = useAtomValue(nowAtom);
  const config = useAtomValue(configAtom);
  const { held, available } = ticketsHeldAndAvailable(draw, checkout, now);
  const most = config?.maxPerPurchase ?? 50;
  // The draw page reserves nothing before the buyer pays. Once a payment has started, any held
  // tickets may be the buyer's own.
  const { count, note, change } = useTicketCount({
    initial: () => ticketCountFromQuery(window.location.search, 'quantity', available, most),
    available,
    maximum: most,
    possiblyOwn: checkout.state === 'choosing' ? 0 : Infinity,
  });
  const price = priceOf(decimalToCents(draw.ticketPrice), count, draw.passStripeFees);
  const underWay = checkout.state !== 'choosing' || held > 0;
  const opens = futureOpeningTimeOf(draw, now);
  const sellable = phase === 'active' && !opens && !isClubNotSelling(draw, phase);
  const { homeFirstTryScorer: home, awayFirstTryScorer: away } = draw;
  if (!sellable && !underWay)
    return (
      <div className="buy stack">
        <section className="card panel" aria-label={S.purchaseTickets}>
          <DrawNotOnSalePanel draw={draw} phase={phase} opens={opens} />
          {phase === 'active' || draw.clubSelling === false ? null : (
            <p className="onward">
              <Link href={`/club/${draw.clubSlug}`}>Other draws of {draw.clubName}</Link>
            </p>
          )}
        </section>
        {draw.status === 'completed' && home !== null && away !== null ? (
          <ResultSection draw={draw} home={home} away={away} />
        ) : null}
        <NextDraws after={draw} />
      </div>
    );
  return (
    <section className="card buy" aria-label={S.purchaseTickets}>
      <PaymentProvider
        account={draw.connectedAccountId ?? null}
        amount={price.total}
        colour={clubBandVariables(draw.clubPrimaryColor, draw.clubAccentColor)['--band']}
      >
        <PurchaseForm
          draw={draw}
          count={count}
          onCount={change}
          available={available}
          note={note}
        />
      </PaymentProvider>
    </section>
  );
}

interface DrawNotOnSalePanelProps {
  draw: Draw;
  phase: DrawPhase;
  opens: string | null;
}

function DrawNotOnSalePanel({ draw, phase, opens }: DrawNotOnSalePanelProps) {
  // An unknown status has the badge of a completed draw, but no winner has been announced
  // (specification line A:76).
  if (phase === 'completed' && draw.status !== 'completed')
    return <NotOnSaleNotice title={S.soldOutPanel} text={S.soldOutText} />;
  if (phase === 'completed')
    return (
      <NotOnSaleNotice title={S.drawCompleted} text={S.drawCompletedText}>
        <a className="btn sec" href={`/verify/${draw.drawNumber}`}>
          Verify this draw
        </a>
      </NotOnSaleNotice>
    );
  if (isClubNotSelling(draw, phase)) return <NotOnSaleNotice {...CLUB_NOT_SELLING_NOTICE} />;
  if (phase === 'cancelled')
    return (
      <NotOnSaleNotice
        title="Draw cancelled"
        text="This draw was cancelled. Every ticket is refunded."
      />
    );
  if (phase === 'closed')
    return (
      <NotOnSaleNotice title={S.drawClosed} text={S.drawClosedText}>
        <p className="meta">{S.awaitingResultsLower}</p>
      </NotOnSaleNotice>
    );
  const takenNote = phase === 'soldOut' ? temporarilySoldOutText(draw) : null;
  if (takenNote) return <TemporarilySoldOutPanel {...takenNote} />;
  if (phase === 'soldOut') return <NotOnSaleNotice title={S.soldOutPanel} text={S.soldOutText} />;
  return opens ? (
    <NotOnSaleNotice
      title="Not on sale yet"
      text={`On sale from ${dayAndTime(opens, draw.timezone)}.`}
    />
  ) : null;
}

/** Shown instead of the form while no ticket is available. The form appears as soon as one is. */
function TemporarilySoldOutPanel({ title, text }: { title: string; text: string }) {
  return (
    <div className="waiting">
      <h2>{title}</h2>
      <p role="status">{text}</p>
      <p className="meta">This page updates by itself. There is no need to reload it.</p>
    </div>
  );
}

function NotOnSaleNotice({
  title,
  text,
  children,
}: {
  title: string;
  text: string;
  children?: React.ReactNode;
}) {
  return (
    <div role="status">
      <h2>{title}</h2>
      <p>{text}</p>
      {children}
    </div>
  );
}
