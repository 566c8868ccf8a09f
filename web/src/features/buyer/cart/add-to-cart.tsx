import { useAtom, useSetAtom } from 'jotai';
import type { Draw } from '@/api/wire';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import {
  TICKETS_PER_CART_MAX,
  addItem,
  fitsInCart,
  cartItemOf,
  wouldReplaceOtherClubsCart,
} from './cart';
import { cartAtom, cartDrawerOpenAtom } from './cart-atoms';

/**
 * Button that adds one ticket of a draw to the cart. A cart of another club is replaced. A message
 * offers an undo.
 */
export function AddToCart({ draw }: { draw: Draw }) {
  const [cart, change] = useAtom(cartAtom);
  const open = useSetAtom(cartDrawerOpenAtom);
  const showToast = useSetAtom(showToastAtom);
  const item = cartItemOf(draw, 1);
  const inCart = cart.items.some((cartItem) => cartItem.drawId === item.drawId);
  const onAdd = () => {
    if (inCart) return open(true);
    if (!fitsInCart(cart, [item]))
      return showToast({
        title: 'Your cart is full',
        text: `At most ${TICKETS_PER_CART_MAX} tickets in one purchase.`,
      });
    if (wouldReplaceOtherClubsCart(cart, item)) {
      showToast({
        title: 'Your cart was replaced',
        text: `It now holds tickets of ${draw.clubName} only.`,
        action: { label: 'Undo', run: () => change(() => cart) },
      });
    } else {
      open(true);
    }
    change((last) => addItem(last, item));
  };
  return (
    <button type="button" className="btn wide sec" onClick={onAdd}>
      {inCart ? 'In your cart' : 'Add to cart'}
      <span className="sr">
        : {draw.homeTeam} v {draw.awayTeam}
      </span>
    </button>
  );
}
