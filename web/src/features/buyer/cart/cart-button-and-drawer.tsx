import './cart.css';
import { useAtom, useAtomValue } from 'jotai';
import { useLocation } from 'wouter';
import { formatDollars } from '@/shared/money';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { Dialog } from '@/shared/ui/dialog';
import { CartIcon } from '@/shared/ui/icons';
import { cartBadgeText } from './cart';
import { cartAtom, cartDrawerOpenAtom, cartTotalsAtom } from './cart-atoms';
import { CartLines } from './cart-lines';
import { useCartSyncAcrossTabs } from './use-cart-sync-across-tabs';

/** The floating cart button and its drawer. Hidden while the cart is empty. */
export function CartButtonAndDrawer() {
  useCartSyncAcrossTabs();
  const cart = useAtomValue(cartAtom);
  const { tickets, total } = useAtomValue(cartTotalsAtom);
  const [open, setOpen] = useAtom(cartDrawerOpenAtom);
  const [path, navigate] = useLocation();
  if (cart.items.length === 0) return null;
  const onCheckout = () => {
    setOpen(false);
    navigate('/cart/checkout');
  };
  return (
    <>
      {path.startsWith('/cart') ? null : (
        <button
          type="button"
          className="cart-button no-print"
          aria-haspopup="dialog"
          aria-label={`Cart, ${tickets} ${tickets === 1 ? 'ticket' : 'tickets'}`}
          onClick={() => setOpen('toggle')}
        >
          <CartIcon />
          <span className="cart-word">Your cart</span>
          <span className="cart-count num" aria-hidden="true">
            {cartBadgeText(tickets)}
          </span>
        </button>
      )}
      <Dialog title="Your cart" kind="drawer" open={open} onClose={() => setOpen(false)}>
        <CartLines />
        <div className="drawer-foot">
          <div className="sum-row total">
            <span>Total</span>
            <span>{formatDollars(total)}</span>
          </div>
          <p className="meta">{S.sixtySeconds}</p>
          <button type="button" className="btn wide" onClick={onCheckout}>
            Checkout
          </button>
        </div>
      </Dialog>
    </>
  );
}
