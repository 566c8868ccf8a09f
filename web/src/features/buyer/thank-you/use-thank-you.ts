/**
 * The data of the thank-you page: the stored summary, the server's order, and whether tickets are
 * still expected.
 */
import { useEffect, useState } from 'react';
import type { OrderResponse } from '@/api/wire';
import { endAttempt, finishAttempt } from '@/features/buyer/checkout/state/attempt';
import { outcomeOf } from '@/features/buyer/checkout/state/checkout';
import { pollOrder } from '@/features/buyer/checkout/payment/pay';
import { readSummary, type Summary } from '@/features/buyer/checkout/state/summary';
import { useOrder } from '@/features/shared-live/use-live';
import { S } from '@/shared/strings';
import { cleanAddress, lastPayment, type LastPayment } from './last-payment';

const OUTCOME_POLLING_MS = 30_000;
/**
 * Milliseconds within which most responses arrive. Until then, everything below the tickets stays
 * hidden.
 */
const QUICK_ANSWER_MS = 2_000;
const COMPLETION_RETRY_MS = 4_000;
/**
 * Number of "no card accepted" responses in a row that count as final. The first may come just
 * before the provider has finished.
 */
const NO_CARD_ANSWERS_MIN = 2;

export interface ThankYou {
  payment: LastPayment | null;
  order: OrderResponse | undefined;
  summary: Summary | null;
  /** Whether half a minute passed without a known outcome. The page keeps listening for updates. */
  gaveUp: boolean;
  /**
   * Whether the order is still loading. Content below the order waits, because the order would push
   * it down.
   */
  soon: boolean;
  /** Whether no card was accepted for this payment. */
  untouched: boolean;
  /**
   * Set when the payment does not match its order. The server's own text is shown, because the
   * outcome is not known yet.
   */
  serverMessage: string | null;
}

export function useThankYou(): ThankYou {
  const [lastPaymentAtStart] = useState(() => {
    const summary = readSummary();
    return { payment: summary?.demo ? null : lastPayment(), summary };
  });
  const { payment } = lastPaymentAtStart;
  useEffect(cleanAddress, []);
  const [gaveUp, setGaveUp] = useState(false);
  const [settled, setSettled] = useState(false);
  const { order } = useOrder(payment?.orderToken ?? '', payment !== null && !settled && !gaveUp);
  const outcome = order ? outcomeOf(order) : null;
  useEffect(() => {
    if (!outcome || settled) return;
    setSettled(true);
    if (!payment) return;
    if (outcome.type === 'issued') finishAttempt(payment.scope, payment.orderToken);
    else endAttempt(payment.scope);
  }, [outcome, settled, payment]);
  useEffect(() => {
    const timer = setTimeout(() => setGaveUp(true), OUTCOME_POLLING_MS);
    return () => clearTimeout(timer);
  }, []);
  const { untouched, serverMessage } = useFinishPayment(payment, order);
  const [soon, setSoon] = useState(payment !== null);
  useEffect(() => {
    const timer = setTimeout(() => setSoon(false), QUICK_ANSWER_MS);
    return () => clearTimeout(timer);
  }, []);
  // Prefers the order to the stored summary, which may belong to another purchase or to a form
  // emptied by a reload (decision C-18).
  return {
    payment,
    order,
    summary: order ? summaryOfOrder(order) : lastPaymentAtStart.summary,
    gaveUp,
    soon: soon && outcome === null && !untouched && serverMessage === null,
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
): Pick<ThankYou, 'untouched' | 'serverMessage'> {
  const [untouched, setUntouched] = useState(0);
  const [serverMessage, setServerMessage] = useState<string | null>(null);
  const open = order && outcomeOf(order) === null ? payment?.paymentIntentId : undefined;
  const isUntouched = untouched >= NO_CARD_ANSWERS_MIN;
  useEffect(() => {
    if (open === undefined || isUntouched) return;
    let current = true;
    const turn = async () => {
      const answer = await pollOrder(payment?.scope ?? '', open);
      if (!current) return;
      setUntouched((last) => (answer === 'untouched' ? last + 1 : 0));
      // A poll without a result changes nothing on the page.
      if (answer !== null)
        setServerMessage(
          answer !== 'untouched' && answer.type === 'unsure'
            ? (answer.serverMessage ?? null)
            : null,
        );
    };
    void turn();
    const timer = setInterval(() => void turn(), COMPLETION_RETRY_MS);
    return () => {
      current = false;
      clearInterval(timer);
    };
  }, [open, isUntouched, payment]);
  return {
    untouched: isUntouched && open !== undefined,
    serverMessage: open === undefined ? null : serverMessage,
  };
}

/**
 * Builds the summary from the order, because a buyer who returns from a bank's page has no stored
 * summary.
 */
function summaryOfOrder(order: OrderResponse): Summary {
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
      totalTickets: 169,
      ticketPrice: line.ticketPrice,
      prizePercentage: 0,
    })),
  };
}
