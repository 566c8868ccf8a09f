/** Asks what is still there of each draw before anything is reserved (C-14), and says what had to go. */
import { useAtom, useSetAtom, useStore } from 'jotai';
import { useEffect, useState } from 'react';
import { fetchDraw } from '@/api/endpoints/buyer';
import { Problem } from '@/api/http';
import type { Draw } from '@/api/wire';
import { nowAtom, receiveDrawsAtom } from '@/features/shared-live/live-atoms';
import { attemptOf } from '@/features/buyer/checkout/attempt';
import { keptOf } from '@/features/buyer/checkout/kept';
import { CART_SCOPE, refresh, remove, type Cart } from './cart';
import { cartAtom } from './cart-atoms';

export interface Freshness {
  fresh: boolean;
  /** Games that can no longer be had, and games of which fewer are left than were wanted. */
  changes: readonly string[];
}

interface Asked {
  draws: Draw[];
  gone: number[];
}

async function askFor(numbers: readonly number[]): Promise<Asked> {
  const answers = await Promise.all(
    numbers.map((number) =>
      fetchDraw(number).catch((error: unknown) =>
        error instanceof Problem && error.status === 404 ? number : null,
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

/** What is left of a draw for this cart: what it has reserved itself is still its own to buy. */
export const forThisCart = (draw: Draw, nowMs: number): Draw => ({
  ...draw,
  ticketsAvailable: draw.ticketsAvailable + keptOf(CART_SCOPE, draw.drawNumber, nowMs),
});

/** The cart as the server's answers leave it, and what changed in words. */
export function freshened(
  cart: Cart,
  { draws, gone }: Asked,
  nowMs: number,
): { cart: Cart; changes: string[] } {
  const next = gone.reduce(
    (kept, number) =>
      cart.items
        .filter((item) => item.drawNumber === number)
        .reduce((left, item) => remove(left, item.drawId), kept),
    refresh(cart, draws, nowMs),
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

export function useFreshCart(): Freshness {
  const store = useStore();
  const [cart, change] = useAtom(cartAtom);
  const receive = useSetAtom(receiveDrawsAtom);
  const [freshness, setFreshness] = useState<Freshness>({ fresh: false, changes: [] });
  const { fresh } = freshness;
  const numbers = cart.items.map((item) => item.drawNumber).join(',');
  useEffect(() => {
    if (numbers === '' || fresh) return;
    let current = true;
    void askFor(numbers.split(',').map(Number)).then((asked) => {
      if (!current) return;
      receive(asked.draws);
      const now = store.get(nowAtom);
      const last = store.get(cartAtom);
      // After a reload in the middle of a payment its tickets may be sold already, to this very cart.
      const paying = attemptOf(CART_SCOPE)?.paying === true;
      const next = paying
        ? { cart: last, changes: [] }
        : freshened(
            last,
            { ...asked, draws: asked.draws.map((draw) => forThisCart(draw, now)) },
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
