/** What the thank-you page knows: the kept summary, the order as the server tells it, and whether anybody still expects tickets. */
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
/** An answer mostly comes within this: until then nothing stands where the tickets will. */
const SOON_MS = 2_000;
const COMPLETED_AGAIN_MS = 4_000;
/** One such answer may be the moment before the provider has finished; the second is a fact. */
const UNTOUCHED_ANSWERS = 2;

export interface ThankYou {
  payment: LastPayment | null;
  order: OrderAnswer | undefined;
  summary: Summary | null;
  /** Nobody could say within half a minute; the page goes on listening. */
  gaveUp: boolean;
  /** The order is on its way; what comes below it would be pushed down the page. */
  soon: boolean;
  /** No card was ever accepted for this payment. */
  untouched: boolean;
  /** The payment is not its order's: the server's own words, for nobody knows yet what becomes of it. */
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
  // The order knows better than what was kept: of another purchase, perhaps, or of a form that a reload had emptied (C-18).
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

/** Whoever comes back from a bank's page, or came here without tickets, finishes the purchase here, as often as it takes. */
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
      // No answer takes nothing back.
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

/** What the summary says, by the order itself; a buyer who comes back from a bank's page has no other. */
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
