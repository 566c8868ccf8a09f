import '@/features/buyer/my-tickets/tickets.css';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { outcomeOf } from '@/features/buyer/checkout/checkout';
import { askAgain } from '@/features/buyer/checkout/pay';
import { readSummary, type Summary } from '@/features/buyer/checkout/summary';
import { SupportContacts } from '@/features/buyer/site/support-contacts';
import { lastPayment, type LastPayment } from '@/features/buyer/thank-you/last-payment';
import { Resend } from '@/features/buyer/thank-you/resend';
import { Bought, Outcome, ShareBox, WhereNext } from '@/features/buyer/thank-you/thank-you';
import { useOrder } from '@/features/shared-live/use-live';
import type { OrderAnswer } from '@/api/wire';
import { S } from '@/shared/strings';
import { usePageTitle } from '@/shared/ui/page-title';

const ASKED_FOR_MS = 30_000;

/** Certainty: what was bought, what it cost, where the mail went. Nothing here moves on by itself. */
export function Page() {
  const [kept] = useState(() => ({ payment: lastPayment(), summary: readSummary() }));
  const [gaveUp, setGaveUp] = useState(false);
  const [decided, setDecided] = useState(false);
  const { order } = useOrder(kept.payment?.orderToken ?? '', kept.payment !== null && !decided && !gaveUp);
  const settled = order !== undefined && outcomeOf(order) !== null;
  const untouched = useFinishing(kept.payment, order);
  useEffect(() => setDecided(settled), [settled]);
  useEffect(() => {
    const timer = setTimeout(() => setGaveUp(true), ASKED_FOR_MS);
    return () => clearTimeout(timer);
  }, []);
  usePageTitle('Thank you');
  const summary = kept.summary ?? (order ? summaryOfOrder(order) : null);
  if (!summary) return <Nothing />;
  return (
    <main className="plain-page thanks" id="main">
      <Outcome order={order} summary={summary} gaveUp={gaveUp} untouched={untouched} />
      <Bought order={order} summary={summary} />
      <WhereNext order={order} summary={summary}><Resend payment={kept.payment} /></WhereNext>
      <ShareBox summary={summary} />
      <SupportContacts />
    </main>
  );
}

/** Whoever comes back from a bank's page finishes the purchase here; true once no card turns out to have been accepted. */
function useFinishing(payment: LastPayment | null, order: OrderAnswer | undefined): boolean {
  const [untouched, setUntouched] = useState(false);
  const open = order?.status === 'requires_payment_method' ? payment?.paymentIntentId : undefined;
  useEffect(() => {
    if (open === undefined) return;
    let current = true;
    void askAgain('', open).then((answer) => current && setUntouched(answer === 'untouched'));
    return () => {
      current = false;
    };
  }, [open]);
  return untouched && open !== undefined;
}

function Nothing() {
  return (
    <main className="plain-page" id="main">
      <h1>Thank you</h1>
      <p>There is no purchase in this browser. Your tickets are in your e-mail.</p>
      <div className="actions"><Link className="btn" href="/">{S.browseOtherClubs}</Link></div>
    </main>
  );
}

/** A buyer who comes back from a bank's page has no summary; the order says it all. */
function summaryOfOrder(order: OrderAnswer): Summary {
  return {
    clubId: null,
    clubName: order.clubName || S.fallbackClub,
    clubSlug: order.clubSlug,
    customerName: order.buyerName || S.fallbackBuyer,
    totalTickets: order.lines.reduce((sum, line) => sum + line.ticketCount, 0),
    draws: order.lines.map((line) => ({
      drawId: line.drawNumber, drawNumber: line.drawNumber, matchName: `${line.homeTeam} v ${line.awayTeam}`, league: line.league, ticketCount: line.ticketCount,
      prizePool: line.currentPrize, ticketsSold: line.ticketsSold, totalTickets: 169, ticketPrice: line.ticketPrice, prizePercentage: 0,
    })),
  };
}
