import '@/features/buyer/checkout/two-step.css';
import { useAtomValue, useSetAtom } from 'jotai';
import {
  cartAtom,
  cartDrawerOpenAtom,
  emptyCartAtom,
  reloadCartAtom,
  cartTotalsAtom,
} from '@/features/buyer/cart/cart-atoms';
import { readCartLog } from '@/features/buyer/cart/cart-log';
import { formatDollars } from '@/shared/money';
import { readStoredText } from '@/shared/storage';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { usePageTitle } from '@/shared/ui/page-title';

/**
 * Shows the cart in this browser and its log. Has no data from the server and no personal data
 * (decision A-12).
 */
export function Page() {
  const cart = useAtomValue(cartAtom);
  const { tickets, total } = useAtomValue(cartTotalsAtom);
  const empty = useSetAtom(emptyCartAtom);
  const reload = useSetAtom(reloadCartAtom);
  const toggle = useSetAtom(cartDrawerOpenAtom);
  const log = readCartLog();
  usePageTitle('Cart debug console');
  return (
    <main className="checkout" id="main">
      <h1>Cart debug console</h1>
      <p>
        {cart.items.length} {cart.items.length === 1 ? 'line' : 'lines'}, {tickets}{' '}
        {tickets === 1 ? 'ticket' : 'tickets'}, {formatDollars(total)}. Club {cart.clubId ?? '–'}.
      </p>
      <div className="actions">
        <button
          type="button"
          className="btn small sec"
          onClick={() => toggle('toggle')}
          disabled={cart.items.length === 0}
        >
          Open the cart
        </button>
        <button type="button" className="btn small sec" onClick={() => reload(false)}>
          Read again
        </button>
        <button type="button" className="btn small sec" onClick={() => empty()}>
          Clear
        </button>
      </div>
      <section className="card debug" aria-labelledby="stored-title">
        <h2 id="stored-title">Stored as {S.cartKey}</h2>
        <pre tabIndex={0}>{formattedJson(readStoredText('local', S.cartKey))}</pre>
      </section>
      <section className="card debug" aria-labelledby="log-title">
        <h2 id="log-title">Log</h2>
        <pre tabIndex={0}>
          {log.length === 0
            ? 'Nothing yet.'
            : log.map((line) => `${line.at}  ${line.what}`).join('\n')}
        </pre>
      </section>
    </main>
  );
}

function formattedJson(text: string | null): string {
  if (text === null) return 'nothing';
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text.slice(0, 2_000);
  }
}
