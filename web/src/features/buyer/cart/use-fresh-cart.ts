/**
 * Requests the draws of the cart before tickets are reserved (decision C-14), and tells the buyer
 * what has changed.
 */
import { useAtom, useSetAtom, useStore } from 'jotai';
import { useEffect, useState } from 'react';
import { fetchDraw } from '@/api/endpoints/buyer';
import { HttpError } from '@/api/http';
import type { Draw } from '@/api/wire';
import { nowAtom, receiveDrawsAtom } from '@/features/shared-live/live-atoms';
import { currentAttempt } from '@/features/buyer/checkout/state/purchase-attempt';
import { savedReservedTicketCount } from '@/features/buyer/checkout/reservation/reserved-tickets';
import { CART_PURCHASE_SCOPE, refreshCartFromDraws, removeItem, type Cart } from './cart';
import { cartAtom } from './cart-atoms';

export interface CartRefreshResult {
  fresh: boolean;
  /**
   * Texts about games that can no longer be bought, have too few tickets left or have a new price.
   */
  changes: readonly string[];
}

interface FetchedDraws {
  draws: Draw[];
  gone: number[];
}

async function fetchDraws(numbers: readonly number[]): Promise<FetchedDraws> {
  const answers = await Promise.all(
    numbers.map((number) =>
      fetchDraw(number).catch((error: unknown) =>
        error instanceof HttpError && error.status === 404 ? number : null,
      ),
    ),
  );
  return {
    draws: answers.filter(
      (answer): answer is Draw => typeof answer === 'object' && answer !== null,
    ),
    gone: answers.filter((answer): answer is number => typeof answer === 'number'),
  };
}

/**
 * Returns the draw with the tickets that this cart can buy, including those that the cart has
 * reserved itself.
 */
export const drawWithOwnReservedTickets = (draw: Draw, nowMs: number): Draw => ({
  ...draw,
  ticketsAvailable:
    draw.ticketsAvailable + savedReservedTicketCount(CART_PURCHASE_SCOPE, draw.drawNumber, nowMs),
});

/** Returns the cart with the server's current data, and texts about what changed. */
export function cartWithFreshDraws(
  cart: Cart,
  { draws, gone }: FetchedDraws,
  nowMs: number,
): { cart: Cart; changes: string[] } {
  const next = gone.reduce(
    (refreshed, number) =>
      cart.items
        .filter((item) => item.drawNumber === number)
        .reduce((left, item) => removeItem(left, item.drawId), refreshed),
    refreshCartFromDraws(cart, draws, nowMs),
  );
  const changes = cart.items.flatMap((item) => {
    const now = next.items.find((other) => other.drawId === item.drawId);
    const match = `${item.homeTeam} v ${item.awayTeam}`;
    if (!now) return [`${match} can no longer be bought and was taken out of your cart.`];
    if (now.quantity < item.quantity)
      return [`${match}: only ${now.quantity} left – quantity changed.`];
    return now.ticketPrice === item.ticketPrice ? [] : [`${match}: the ticket price has changed.`];
  });
  return { cart: next, changes };
}

export function useFreshCart(): CartRefreshResult {
  const store = useStore();
  const [cart, change] = useAtom(cartAtom);
  const receive = useSetAtom(receiveDrawsAtom);
  const [freshness, setFreshness] = useState<CartRefreshResult>({ fresh: false, changes: [] });
  const { fresh } = freshness;
  const numbers = cart.items.map((item) => item.drawNumber).join(',');
  useEffect(() => {
    if (numbers === '' || fresh) return;
    let current = true;
    void fetchDraws(numbers.split(',').map(Number)).then((result) => {
      if (!current) return;
      receive(result.draws);
      const now = store.get(nowAtom);
      const last = store.get(cartAtom);
      // During a payment before the page was reloaded, the cart's tickets may already have been
      // sold to this buyer.
      const paying = currentAttempt(CART_PURCHASE_SCOPE)?.paying === true;
      const next = paying
        ? { cart: last, changes: [] }
        : cartWithFreshDraws(
            last,
            { ...result, draws: result.draws.map((draw) => drawWithOwnReservedTickets(draw, now)) },
            now,
          );
      change(() => next.cart);
      setFreshness({ fresh: true, changes: next.changes });
    });
    return () => {
      current = false;
    };
  }, [numbers, fresh, receive, change, store]);
  return freshness;
}
