import { useSetAtom } from 'jotai';
import { useState, type FormEvent } from 'react';
import { resendTickets, searchBuyers } from '@/api/endpoints/club';
import type { BuyerOrder } from '@/api/wire-club';
import { dayAndTime } from '@/shared/dates';
import { decimalToCents, formatDollars } from '@/shared/money';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { Field } from '@/shared/ui/field';
import { usePageTitle } from '@/shared/ui/page-title';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { EmailLink, PhoneLink } from '../frame/contact-links';
import { errorText } from '../data/error-text';
import { BackLink } from '../frame/club-frame';
import { AccessDenied, type ClubPageContext } from '../frame/club-page';
import { SELLERS_ONLY_TEXT, canSell } from '../session/roles';
import { useMutation } from '../session/use-session';

const SEARCH_CHARS_MIN = 3;

/** Finds a buyer of the club and mails the tickets again. */
export function BuyersPage({ here: { club } }: { here: ClubPageContext }) {
  usePageTitle('Find a buyer');
  const [text, setText] = useState('');
  const [error, setError] = useState<string | null>(null);
  const [orders, setOrders] = useState<BuyerOrder[] | null>(null);
  const { pending, run } = useMutation();
  if (!canSell(club))
    return <AccessDenied title="Find a buyer" text={SELLERS_ONLY_TEXT} club={club} />;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim().length < SEARCH_CHARS_MIN) {
      setError('Type at least 3 letters or digits.');
      return;
    }
    setError(null);
    void run(
      async () => setOrders(await searchBuyers(club.id, text.trim())),
      (failure) => setError(errorText(failure, C.pleaseTryAgain)),
    );
  };
  return (
    <main className="admin" id="main">
      <BackLink club={club} />
      <h1>Find a buyer</h1>
      <form className="card" onSubmit={onSubmit} noValidate role="search">
        <Field
          id="buyer-search"
          label="Name, e-mail or phone"
          type="search"
          autoComplete="off"
          hint="Each search is recorded in the activity log."
          value={text}
          error={error}
          onValue={setText}
        />
        <div className="row-actions">
          <button type="submit" className="btn" aria-disabled={pending}>
            Find
          </button>
        </div>
      </form>
      {orders ? (
        <section className="card draw-list" aria-labelledby="found-title">
          <h2 id="found-title" className="list-title" role="status">
            {orders.length === 0
              ? 'Nobody found'
              : orders.length === 1
                ? '1 order'
                : `${orders.length} orders`}
          </h2>
          <ul className="to-do-items">
            {orders.map((order) => (
              <OrderRow key={order.orderId} club={club.id} order={order} />
            ))}
          </ul>
        </section>
      ) : null}
    </main>
  );
}

function OrderRow({ club, order }: { club: number; order: BuyerOrder }) {
  const { pending, run } = useMutation();
  const showToast = useSetAtom(showToastAtom);
  const resend = () =>
    run(
      async () => {
        const { sent } = await resendTickets(club, order.orderId);
        showToast(
          sent
            ? { title: `The tickets are on the way to ${order.buyerEmail}` }
            : { title: 'They were sent often enough. Try again in an hour.', bad: true },
        );
      },
      (error) => showToast({ title: C.error, text: errorText(error, C.pleaseTryAgain), bad: true }),
    );
  const tickets = order.ticketCount === 1 ? '1 ticket' : `${order.ticketCount} tickets`;
  return (
    <li className="to-do-item">
      <div>
        <strong>{order.buyerName}</strong>
        <p className="buyer-contact">
          <EmailLink email={order.buyerEmail} />
          {order.buyerPhone ? <PhoneLink phone={order.buyerPhone} /> : null}
        </p>
        <p className="meta">
          {tickets} of draw {order.drawNumbers.join(', ')},{' '}
          {formatDollars(decimalToCents(order.total))}, {dayAndTime(order.boughtAt)}
        </p>
      </div>
      <button
        type="button"
        className="btn small sec"
        aria-disabled={pending}
        onClick={() => void resend()}
      >
        Send tickets again
        <span className="sr"> to {order.buyerName}</span>
      </button>
    </li>
  );
}
