import type { Winner } from '@/api/wire-club';
import { decimalToCents, formatDollars } from '@/shared/money';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { EmailLink, PhoneLink } from '../frame/contact-links';

/**
 * Shows the winner and the contact, or that the winning ticket was not sold (decision D-11).
 * Read-only users see no names (decision G-17).
 */
export function WinnerDetails({
  winner,
  prize,
  namesShown,
}: {
  winner: Winner;
  prize: string;
  namesShown: boolean;
}) {
  const { buyerName, buyerEmail, buyerPhone } = winner;
  return (
    <div className="winner">
      <p className="winner-pair num">
        <span className="sr">Winning pair: home </span>#{winner.homeNumber} ×{' '}
        <span className="sr">away </span>#{winner.awayNumber}
      </p>
      <dl className="facts">
        <dt>Winning ticket</dt>
        <dd>{winner.serialNumber}</dd>
        {winner.sold && namesShown ? (
          <>
            <dt>Name</dt>
            <dd>{buyerName ?? C.notProvided}</dd>
            <dt>Email</dt>
            <dd>{buyerEmail ? <EmailLink email={buyerEmail} /> : C.notProvided}</dd>
            <dt>Phone</dt>
            <dd>{buyerPhone ? <PhoneLink phone={buyerPhone} /> : C.notProvided}</dd>
          </>
        ) : null}
        <dt>Prize</dt>
        <dd>{formatDollars(decimalToCents(prize))}</dd>
      </dl>
      {winner.sold && !namesShown ? (
        <p className="lead">Who won, and how to reach them, is shown to sellers and owners.</p>
      ) : null}
      {winner.sold ? null : <p className="callout is-warn">{C.ticketNotSold}</p>}
    </div>
  );
}
