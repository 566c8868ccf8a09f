/**
 * The data of the thank-you page: the stored summary, the server's order, and whether tickets are
 * still expected.
 */
import { useEffect, useState } from 'react';
import type { OrderAnswer } from '@/api/wire';
import { endAttempt, finishAttempt } from '@/features/buyer/checkout/attempt';
import { outcomeOf } from '@/features/buyer/checkout/checkout';
import { askAgain } from '@/features/buyer/checkout/pay';
import { readSummary, type Summary } from '@/features/buyer/checkout/summary';
import { useOrder } from '@/features/shared-live/use-live';
import { S } from '@/shared/strings';
import { cleanAddress, lastPayment, type LastPayment } from './last-payment';

const ASKED_FOR_MS = 30_000;
/** Most answers arrive within this time. Until then, the place of the tickets stays empty. */
const SOON_MS = 2_000;
const COMPLETED_AGAIN_MS = 4_000;
/**
 * How many "no card accepted" answers make it final. The first may come just before the provider
 * has finished.
 */
const UNTOUCHED_ANSWERS = 2;

export interface ThankYou {
  payment: LastPayment | null;
  order: OrderAnswer | undefined;
  summary: Summary | null;
  /** Whether no outcome was known within half a minute. The page keeps listening for updates. */
  gaveUp: boolean;
  /**
   * Whether the order is still loading. Content below the order waits, because the order would push
   * it down.
   */
  soon: boolean;
  /** Whether no card was accepted for this payment. */
  untouched: boolean;
  /**
   * The payment does not match its order. The server's own text is shown, because the outcome
   * is not known yet.
   */
  said: string | null;
}

export function useThankYou(): ThankYou {
  const [kept] = useState(() => {
    const summary = readSummary();
    return { payment: summary?.demo ? null : lastPayment(), summary };
  });
  const { payment } = kept;
  useEffect(cleanAddress, []);
  const [gaveUp, setGaveUp] = useState(false);
  const [settled, setSettled] = useState(false);
  const { order } = useOrder(payment?.orderToken ?? '', payment !== null && !settled && !gaveUp);
  const outcome = order ? outcomeOf(order) : null;
  useEffect(() => {
    if (!outcome || settled) return;
    setSettled(true);
    if (!payment) return;
    if (outcome.is === 'issued') finishAttempt(payment.scope, payment.orderToken);
    else endAttempt(payment.scope);
  }, [outcome, settled, payment]);
  useEffect(() => {
    const timer = setTimeout(() => setGaveUp(true), ASKED_FOR_MS);
    return () => clearTimeout(timer);
  }, []);
  const { untouched, said } = useFinishing(payment, order);
  const [soon, setSoon] = useState(payment !== null);
  useEffect(() => {
    const timer = setTimeout(() => setSoon(false), SOON_MS);
    return () => clearTimeout(timer);
  }, []);
  // The order is more reliable than the stored summary, which may belong to another purchase or to
  // a form emptied by a reload (decision C-18).
  return {
    payment,
    order,
    summary: order ? summaryOfOrder(order) : kept.summary,
    gaveUp,
    soon: soon && outcome === null && !untouched && said === null,
    untouched,
    said,
  };
}

/**
 * Completes the purchase of a buyer who returns from a bank's page or arrives without tickets. The
 * call is idempotent.
 */
function useFinishing(
  payment: LastPayment | null,
  order: OrderAnswer | undefined,
): Pick<ThankYou, 'untouched' | 'said'> {
  const [untouched, setUntouched] = useState(0);
  const [said, setSaid] = useState<string | null>(null);
  const open = order && outcomeOf(order) === null ? payment?.paymentIntentId : undefined;
  const known = untouched >= UNTOUCHED_ANSWERS;
  useEffect(() => {
    if (open === undefined || known) return;
    let current = true;
    const turn = async () => {
      const answer = await askAgain(payment?.scope ?? '', open);
      if (!current) return;
      setUntouched((last) => (answer === 'untouched' ? last + 1 : 0));
      // A missing answer does not change what is shown.
      if (answer !== null)
        setSaid(answer !== 'untouched' && answer.is === 'unsure' ? (answer.said ?? null) : null);
    };
    void turn();
    const timer = setInterval(() => void turn(), COMPLETED_AGAIN_MS);
    return () => {
      current = false;
      clearInterval(timer);
    };
  }, [open, known, payment]);
  return { untouched: known && open !== undefined, said: open === undefined ? null : said };
}

/** Builds the summary from the order. A buyer who returns from a bank's page has no other. */
function summaryOfOrder(order: OrderAnswer): Summary {
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
