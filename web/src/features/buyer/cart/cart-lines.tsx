import { useAtom, useAtomValue } from 'jotai';
import { dayAndTime } from '@/shared/dates';
import { formatDollars, ticketPriceText } from '@/shared/money';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { Stepper } from '@/shared/ui/stepper';
import {
  TICKETS_PER_CART_MAX,
  TICKETS_PER_LINE_MAX,
  maxQuantityOf,
  removeItem,
  setQuantity,
} from './cart';
import type { CartItem } from './cart';
import { cartAtom, cartTotalsAtom } from './cart-atoms';

/**
 * Returns the message of the ticket limit that the cart has reached. Empty if it has reached none.
 */
function ticketLimitText(items: readonly CartItem[], tickets: number): string {
  if (tickets >= TICKETS_PER_CART_MAX)
    return `At most ${TICKETS_PER_CART_MAX} tickets in one purchase.`;
  return items.some((item) => item.quantity >= TICKETS_PER_LINE_MAX)
    ? `At most ${TICKETS_PER_LINE_MAX} tickets of one draw.`
    : '';
}

/** The lines of the cart, its subtotal and its card fee. `frozen` lines cannot be edited. */
export function CartLines({ frozen = false }: { frozen?: boolean }) {
  const [cart, change] = useAtom(cartAtom);
  const { subtotal, cardFee, tickets } = useAtomValue(cartTotalsAtom);
  return (
    <>
      <ul className="cart-lines">
        {cart.items.map((item) => (
          <li key={item.drawId} className="cart-line">
            <strong>
              {item.homeTeam} v {item.awayTeam}
            </strong>
            <span className="meta">
              {dayAndTime(item.gameDate, item.timezone)} ·{' '}
              {ticketPriceText(item.ticketPrice, item.passStripeFees)} each
            </span>
            {frozen ? (
              <span className="num">× {item.quantity}</span>
            ) : (
              <CartLineControls
                item={item}
                max={maxQuantityOf(cart, item)}
                onQuantity={(quantity) =>
                  change((last) => setQuantity(last, item.drawId, quantity))
                }
                onRemove={() => change((last) => removeItem(last, item.drawId))}
              />
            )}
          </li>
        ))}
      </ul>
      <p className="meta cart-limit" role="status">
        {ticketLimitText(cart.items, tickets)}
      </p>
      <div className="sum-row">
        <span>Subtotal</span>
        <span>{formatDollars(subtotal)}</span>
      </div>
      {cardFee > 0 ? (
        <div className="sum-row">
          <span>{S.paymentProcessingFees}</span>
          <span>{formatDollars(cardFee)}</span>
        </div>
      ) : null}
    </>
  );
}

function CartLineControls({
  item,
  max,
  onQuantity,
  onRemove,
}: {
  item: CartItem;
  max: number;
  onQuantity: (quantity: number) => void;
  onRemove: () => void;
}) {
  const match = `${item.homeTeam} v ${item.awayTeam}`;
  return (
    <span className="cart-controls">
      <button type="button" className="link-btn" onClick={onRemove}>
        Remove<span className="sr"> {match}</span>
      </button>
      <Stepper
        label={`Tickets for ${match}`}
        value={item.quantity}
        max={max}
        onValue={onQuantity}
      />
    </span>
  );
}
