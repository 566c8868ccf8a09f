import { useAtom, useAtomValue } from 'jotai';
import { dayAndTime } from '@/shared/dates';
import { dollars, ticketPriceWords } from '@/shared/money';
import { S } from '@/shared/strings';
import { Stepper } from '@/shared/ui/stepper';
import { most, remove, setQuantity, type CartItem } from './cart';
import { cartAtom, totalsAtom } from './cart-atoms';

/** What is in the cart, line by line, and what it comes to. Frozen while it is being paid for. */
export function CartLines({ frozen = false }: { frozen?: boolean }) {
  const [cart, change] = useAtom(cartAtom);
  const { subtotal, cardFee } = useAtomValue(totalsAtom);
  return (
    <>
      <ul className="cart-lines">
        {cart.items.map((item) => (
          <li key={item.drawId} className="cart-line">
            <strong>{item.homeTeam} v {item.awayTeam}</strong>
            <span className="meta">{dayAndTime(item.gameDate)} · {ticketPriceWords(item.ticketPrice, item.passStripeFees)} each</span>
            {frozen ? <span className="num">× {item.quantity}</span> : <Controls item={item} onQuantity={(quantity) => change((last) => setQuantity(last, item.drawId, quantity))} onRemove={() => change((last) => remove(last, item.drawId))} />}
          </li>
        ))}
      </ul>
      <div className="sum-row"><span>Subtotal</span><span>{dollars(subtotal)}</span></div>
      {cardFee > 0 ? <div className="sum-row"><span>{S.paymentProcessingFees}</span><span>{dollars(cardFee)}</span></div> : null}
    </>
  );
}

function Controls({ item, onQuantity, onRemove }: { item: CartItem; onQuantity: (quantity: number) => void; onRemove: () => void }) {
  const match = `${item.homeTeam} v ${item.awayTeam}`;
  return (
    <span className="cart-controls">
      <button type="button" className="link-btn" onClick={onRemove}>Remove<span className="sr"> {match}</span></button>
      <Stepper label={`Tickets for ${match}`} value={item.quantity} max={most(item)} onValue={onQuantity} />
    </span>
  );
}
