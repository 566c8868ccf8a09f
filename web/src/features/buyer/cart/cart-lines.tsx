import { useAtom, useAtomValue } from 'jotai';
import { dayAndTime } from '@/shared/dates';
import { cents, dollars } from '@/shared/money';
import { S } from '@/shared/strings';
import { Stepper } from '@/shared/ui/stepper';
import { remove, setQuantity } from './cart';
import { cartAtom, totalsAtom } from './cart-atoms';

/** What is in the cart, line by line, and what it comes to. */
export function CartLines({ frozen = false }: { frozen?: boolean }) {
  const [cart, change] = useAtom(cartAtom);
  const { subtotal, cardFee } = useAtomValue(totalsAtom);
  return (
    <>
      <ul>
        {cart.items.map((item) => (
          <li key={item.drawId} className="cart-line">
            <strong>{item.homeTeam} v {item.awayTeam}</strong>
            <span className="meta">
              {dayAndTime(item.gameDate)} · {dollars(cents(item.ticketPrice))} each
              {frozen ? ` · ${item.quantity} ${item.quantity === 1 ? 'ticket' : 'tickets'}` : <> · <button type="button" className="link-btn" onClick={() => change((last) => remove(last, item.drawId))}>Remove<span className="sr"> {item.homeTeam} v {item.awayTeam}</span></button></>}
            </span>
            {frozen ? null : <Stepper label={`Tickets for ${item.homeTeam} v ${item.awayTeam}`} value={item.quantity} max={Math.min(item.availableTickets, 50)} onValue={(quantity) => change((last) => setQuantity(last, item.drawId, quantity))} />}
          </li>
        ))}
      </ul>
      <div className="sum-row"><span>Subtotal</span><span>{dollars(subtotal)}</span></div>
      {cardFee > 0 ? <div className="sum-row"><span>{S.paymentProcessingFees}</span><span>{dollars(cardFee)}</span></div> : null}
    </>
  );
}
