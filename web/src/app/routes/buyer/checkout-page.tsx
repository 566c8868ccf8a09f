import '@/features/buyer/checkout/checkout.css';
import '@/features/buyer/checkout/two-step.css';
import { useAtomValue } from 'jotai';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Draw } from '@/api/wire';
import type { PageProps } from '@/app/page-props';
import { PaymentProvider } from '@/features/buyer/checkout/payment-provider';
import { clampCount, countFromQuery } from '@/features/buyer/checkout/purchase-rules';
import { TwoStepForm } from '@/features/buyer/checkout/two-step-form';
import { PriceLines } from '@/features/buyer/draw-page/price-lines';
import { phaseOf } from '@/features/shared-live/draw-phase';
import { configAtom, maintenanceAtom, nowAtom } from '@/features/shared-live/live-atoms';
import { useDraw } from '@/features/shared-live/use-live';
import { dayAndTime } from '@/shared/dates';
import { cents, dollars, priceOf } from '@/shared/money';
import { S } from '@/shared/strings';
import { usePageTitle } from '@/shared/ui/page-title';
import { Stepper } from '@/shared/ui/stepper';

/** One draw's tickets in two steps; the specification's own checkout page. */
export function Page({ params }: PageProps) {
  const { draw, missing } = useDraw(Number(params.draw), 5_000);
  usePageTitle(missing ? S.drawNotFound : 'Checkout');
  if (missing) {
    return (
      <main className="plain-page" id="main">
        <h1>{S.drawNotFound}</h1>
        <p>{S.drawNotFoundText}</p>
        <div className="actions"><Link className="btn" href="/">{S.returnHome}</Link></div>
      </main>
    );
  }
  return (
    <main className="checkout" id="main" aria-busy={!draw}>
      <h1>Checkout</h1>
      {draw ? <Checkout draw={draw} /> : <span className="spinner" role="status" aria-label="Loading" />}
    </main>
  );
}

function Checkout({ draw }: { draw: Draw }) {
  const now = useAtomValue(nowAtom);
  const maintenance = useAtomValue(maintenanceAtom);
  const most = useAtomValue(configAtom)?.maxPerPurchase ?? 50;
  const [wanted, setWanted] = useState(() => countFromQuery(window.location.search, 'tickets', draw.ticketsAvailable, most));
  const walletOnly = new URLSearchParams(window.location.search).get('mode') === 'wallet';
  const phase = phaseOf(draw, now);
  const price = priceOf(cents(draw.ticketPrice), wanted, draw.passStripeFees);
  return (
    <>
      <section className="card" aria-labelledby="order-title">
        <h2 id="order-title">{draw.homeTeam} v {draw.awayTeam}</h2>
        <p className="meta">{dayAndTime(draw.gameDate, draw.timezone)} · {dollars(cents(draw.ticketPrice))} per ticket</p>
        <div className="row"><span>Tickets</span><Stepper label="Tickets" value={wanted} max={Math.min(most, Math.max(1, draw.ticketsAvailable + wanted))} onValue={(next) => setWanted(clampCount(next, 169, most))} /></div>
        <PriceLines ticket={draw.ticketPrice} count={wanted} price={price} feeWords={S.processingFee} />
        <p className="meta">Random ticket numbers are assigned after payment.</p>
        <Link className="btn small sec" href={`/draw/${draw.drawNumber}`}>{S.backToDraw}</Link>
      </section>
      {phase === 'closed' || phase === 'completed' || phase === 'cancelled' ? (
        <div className="callout is-warn" role="status"><strong>{S.drawClosed}</strong>{S.drawClosedText}</div>
      ) : maintenance ? (
        <div className="callout is-warn" role="status"><strong>{S.maintenance}</strong>{S.maintenanceText}</div>
      ) : (
        <PaymentProvider account={draw.connectedAccountId ?? null} amount={price.total}>
          <TwoStepForm draw={draw} count={wanted} price={price} walletOnly={walletOnly} />
        </PaymentProvider>
      )}
    </>
  );
}
