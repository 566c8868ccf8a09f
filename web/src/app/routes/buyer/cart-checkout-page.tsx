import '@/features/buyer/checkout/checkout.css';
import '@/features/buyer/checkout/two-step.css';
import { useAtom, useAtomValue } from 'jotai';
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { fetchDraw } from '@/api/endpoints/buyer';
import { CartForm } from '@/features/buyer/cart/cart-form';
import { CartLines } from '@/features/buyer/cart/cart-lines';
import { cartAtom, totalsAtom } from '@/features/buyer/cart/cart-atoms';
import { refresh } from '@/features/buyer/cart/cart';
import { PaymentProvider } from '@/features/buyer/checkout/payment-provider';
import { SupportContacts } from '@/features/buyer/site/support-contacts';
import { liveAtom, maintenanceAtom, receiveDrawsAtom } from '@/features/shared-live/live-atoms';
import { dollars } from '@/shared/money';
import { S } from '@/shared/strings';
import { usePageTitle } from '@/shared/ui/page-title';
import { useSetAtom } from 'jotai';

const LEAVES_AFTER_MS = 300;

/** Asks what is still there of each draw before anything is reserved. */
function useFreshCart(): boolean {
  const [cart, change] = useAtom(cartAtom);
  const receive = useSetAtom(receiveDrawsAtom);
  const [fresh, setFresh] = useState(false);
  const numbers = cart.items.map((item) => item.drawNumber).join(',');
  useEffect(() => {
    if (numbers === '' || fresh) return;
    let current = true;
    void Promise.all(numbers.split(',').map((number) => fetchDraw(Number(number)))).then(
      (draws) => {
        if (!current) return;
        receive(draws);
        change((last) => refresh(last, Object.fromEntries(draws.map((draw) => [draw.id, draw.status === 'active' ? draw.ticketsAvailable : 0]))));
        setFresh(true);
      },
      () => current && setFresh(true),
    );
    return () => {
      current = false;
    };
  }, [numbers, fresh, receive, change]);
  return fresh;
}

/** The cart's checkout: one club, one payment, two minutes. */
export function Page() {
  const cart = useAtomValue(cartAtom);
  const { total, tickets } = useAtomValue(totalsAtom);
  const maintenance = useAtomValue(maintenanceAtom);
  const draws = useAtomValue(liveAtom).draws;
  const [, navigate] = useLocation();
  const [expired, setExpired] = useState(false);
  const fresh = useFreshCart();
  const empty = cart.items.length === 0;
  usePageTitle(expired ? S.reservationExpiredPage : 'Cart checkout');
  useEffect(() => {
    if (!empty || expired) return;
    const timer = setTimeout(() => navigate('/'), LEAVES_AFTER_MS);
    return () => clearTimeout(timer);
  }, [empty, expired, navigate]);
  if (expired) return <main className="plain-page" id="main"><h1>{S.reservationExpiredPage}</h1><p>Your tickets have been given back, and you have not been charged.</p></main>;
  if (empty || !fresh) return <main className="plain-page" id="main"><h1>{S.loadingCart}</h1></main>;
  const account = draws[cart.items[0]?.drawNumber ?? 0]?.connectedAccountId ?? null;
  return (
    <main className="checkout" id="main">
      <h1>Cart checkout</h1>
      <details className="card" open={tickets <= 10}>
        <summary className="row"><strong>{tickets} {tickets === 1 ? 'ticket' : 'tickets'} · {dollars(total)}</strong></summary>
        <CartLines />
      </details>
      {maintenance ? (
        <div className="callout is-warn" role="status"><strong>{S.maintenance}</strong>{S.maintenanceText}</div>
      ) : (
        <PaymentProvider account={account} amount={total}><CartForm onExpired={() => setExpired(true)} /></PaymentProvider>
      )}
      <section className="card" aria-labelledby="help-title"><h2 id="help-title">{S.needHelpAsked}</h2><SupportContacts /></section>
    </main>
  );
}
