/**
 * The data of the thank-you page: the stored summary, the server's order, and whether tickets are
 * still expected.
 */
import { useEffect, useState } from 'react';
import type { OrderResponse } from '@/api/wire';
import {
  endAttempt,
  finishAttemptWithTickets,
} from '@/features/buyer/checkout/state/purchase-attempt';
import { eventForOrderOutcome } from '@/features/buyer/checkout/state/checkout';
import { startOutcomePolling } from '@/features/buyer/checkout/payment/outcome-polling';
import { readPurchaseSummary, type PurchaseSummary } from '@/features/buyer/checkout/state/summary';
import { useLiveOrder } from '@/features/shared-live/use-live';
import { TICKETS_PER_DRAW } from '@/shared/draw-size';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { removeRedirectParameters, readLastPayment, type LastPayment } from './last-payment';

const OUTCOME_POLLING_MS_MAX = 30_000;
/** Milliseconds for which the content below the tickets waits for the payment's outcome. */
const TYPICAL_RESPONSE_MS_MAX = 2_000;

export interface ThankYouData {
  payment: LastPayment | null;
  order: OrderResponse | undefined;
  summary: PurchaseSummary | null;
  /** Whether 30 seconds have passed since the page opened. Live updates are still applied. */
  gaveUp: boolean;
  /**
   * Whether the content below the tickets waits, at most two seconds, for the payment's outcome.
   * The tickets would push it down.
   */
  awaitingFirstResponse: boolean;
  /** Whether no card was accepted for this payment. */
  untouched: boolean;
  /**
   * Set when the payment does not match its order. The server's own text is shown, because the
   * outcome is not known yet.
   */
  serverMessage: string | null;
}

export function useThankYouData(): ThankYouData {
  const [lastPaymentAtStart] = useState(() => {
    const summary = readPurchaseSummary();
    return { payment: summary?.demo ? null : readLastPayment(), summary };
  });
  const { payment } = lastPaymentAtStart;
  useEffect(removeRedirectParameters, []);
  const [gaveUp, setGaveUp] = useState(false);
  const [settled, setSettled] = useState(false);
  const { order } = useLiveOrder(
    payment?.orderToken ?? '',
    payment !== null && !settled && !gaveUp,
  );
  const outcome = order ? eventForOrderOutcome(order) : null;
  useEffect(() => {
    if (!outcome || settled) return;
    setSettled(true);
    if (!payment) return;
    if (outcome.type === 'issued') finishAttemptWithTickets(payment.scope, payment.orderToken);
    else endAttempt(payment.scope);
  }, [outcome, settled, payment]);
  useEffect(() => {
    const timer = setTimeout(() => setGaveUp(true), OUTCOME_POLLING_MS_MAX);
    return () => clearTimeout(timer);
  }, []);
  const { untouched, serverMessage } = useFinishPayment(payment, order);
  const [awaitingFirstResponse, setAwaitingFirstResponse] = useState(payment !== null);
  useEffect(() => {
    const timer = setTimeout(() => setAwaitingFirstResponse(false), TYPICAL_RESPONSE_MS_MAX);
    return () => clearTimeout(timer);
  }, []);
  // Prefers the order to the stored summary, which may belong to another purchase or to a form
  // emptied by a reload (decision C-18).
  return {
    payment,
    order,
    summary: order ? summaryOfOrder(order) : lastPaymentAtStart.summary,
    gaveUp,
    awaitingFirstResponse:
      awaitingFirstResponse && outcome === null && !untouched && serverMessage === null,
    untouched,
    serverMessage,
  };
}

/**
 * Completes the purchase of a buyer who returns from a bank's page or arrives without tickets. The
 * call is idempotent.
 */
function useFinishPayment(
  payment: LastPayment | null,
  order: OrderResponse | undefined,
): Pick<ThankYouData, 'untouched' | 'serverMessage'> {
  const [untouched, setUntouched] = useState(false);
  const [serverMessage, setServerMessage] = useState<string | null>(null);
  const open = order && eventForOrderOutcome(order) === null ? payment?.paymentIntentId : undefined;
  useEffect(() => {
    if (open === undefined || untouched) return;
    return startOutcomePolling(payment?.scope ?? '', open, (outcome) => {
      setUntouched(outcome === 'untouched');
      setServerMessage(
        outcome !== 'untouched' && outcome.type === 'unsure'
          ? (outcome.serverMessage ?? null)
          : null,
      );
    });
  }, [open, untouched, payment]);
  return {
    untouched: untouched && open !== undefined,
    serverMessage: open === undefined ? null : serverMessage,
  };
}

/**
 * Builds the summary from the order, because a buyer who returns from a bank's page has no stored
 * summary.
 */
function summaryOfOrder(order: OrderResponse): PurchaseSummary {
  return {
    clubId: null,
    clubName: order.clubName || S.fallbackClub,
    clubSlug: order.clubSlug,
    customerName: order.buyerName || S.fallbackBuyer,
    totalTickets: order.lines.reduce((sum, line) => sum + line.ticketCount, 0),
    draws: order.lines.map((line) => ({
      drawId: line.drawNumber,
      drawNumber: line.drawNumber,
      matchName: `${line.homeTeam} v ${line.awayTeam}`,
      league: line.league,
      ticketCount: line.ticketCount,
      prizePool: line.currentPrize,
      ticketsSold: line.ticketsSold,
      totalTickets: TICKETS_PER_DRAW,
      ticketPrice: line.ticketPrice,
      prizePercentage: 0,
    })),
  };
}
