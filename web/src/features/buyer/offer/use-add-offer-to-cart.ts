/** Adds a whole offer to the cart: every game or none (decision H-9). */
import { useAtom, useSetAtom } from 'jotai';
import { useState } from 'react';
import { fetchDraw } from '@/api/endpoints/buyer';
import { trackOfferEvent } from '@/api/endpoints/public';
import type { Draw } from '@/api/wire';
import type { Offer } from '@/api/wire-public';
import {
  TICKETS_PER_CART_MAX,
  addItem,
  fitsInCart,
  cartItemOf,
  wouldReplaceOtherClubsCart,
} from '@/features/buyer/cart/cart';
import type { Cart, CartItem } from '@/features/buyer/cart/cart';
import { cartAtom, cartDrawerOpenAtom } from '@/features/buyer/cart/cart-atoms';
import {
  ASSUMED_TICKETS_AVAILABLE,
  gameDrawNumber,
  offerRefusalText,
} from '@/features/shared-offer/offer';
import { receiveDrawsAtom } from '@/features/shared-live/live-atoms';
import { useServerNow } from '@/features/shared-live/use-live';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { showToastAtom } from '@/shared/ui/toast-atoms';

/**
 * Returns one cart line for each game. As specified, 9999 tickets count as available until the
 * server sends the number.
 */
const cartItemsOfOffer = (offer: Offer, draws: readonly Draw[], count: number): CartItem[] =>
  draws.map((draw) => ({
    ...cartItemOf(draw, count),
    availableTickets: ASSUMED_TICKETS_AVAILABLE,
    bundleId: offer.id,
  }));

const addAllItems = (cart: Cart, items: readonly CartItem[]): Cart => items.reduce(addItem, cart);

export function useAddOfferToCart(offer: Offer, onAdded: () => void) {
  const [cart, change] = useAtom(cartAtom);
  const openDrawer = useSetAtom(cartDrawerOpenAtom);
  const receive = useSetAtom(receiveDrawsAtom);
  const showToast = useSetAtom(showToastAtom);
  const serverNow = useServerNow();
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<string | null>(null);

  const onAdd = async (count: number) => {
    if (busy) return;
    setBusy(true);
    setRefused(null);
    try {
      // Loads all draws now, so that only a combination that can be bought enters the cart.
      const draws = await Promise.all(offer.games.map((game) => fetchDraw(gameDrawNumber(game))));
      receive(draws);
      const why =
        draws.length === 0
          ? 'This offer has no games yet.'
          : offerRefusalText(draws, count, serverNow());
      if (why) return setRefused(why);
      const items = cartItemsOfOffer(offer, draws, count);
      const replaced = items[0] !== undefined && wouldReplaceOtherClubsCart(cart, items[0]);
      if (!fitsInCart(cart, items))
        return setRefused(
          `At most ${TICKETS_PER_CART_MAX} tickets in one purchase, and your cart holds some already.`,
        );
      // The drawer stays closed, because it would cover the toast with the undo button.
      if (replaced)
        showToast({
          title: 'Your cart was replaced',
          text: `It now holds tickets of ${offer.clubName} only.`,
          action: { label: 'Undo', run: () => change(() => cart) },
        });
      change((last) => addAllItems(last, items));
      if (!replaced) openDrawer(true);
      trackOfferEvent('offer_add_to_cart', { clubSlug: offer.clubSlug, bundleSlug: offer.slug });
      onAdded();
    } catch {
      setRefused(`${S.failedToFetchDraw}. Nothing was added. Please try again.`);
    } finally {
      setBusy(false);
    }
  };
  return { onAdd, busy, refused };
}
