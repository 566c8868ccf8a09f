import type { OwnDraw, Winner } from '@/api/wire-club';
import { decimalToCents, formatDollars } from '@/shared/money';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { EmailLink, PhoneLink } from '../frame/contact-links';
import { jerseyColourOf } from './number-choice';
import { Jersey } from './jersey';

/** Shows the winner and how to reach them. Read-only users see no names (decision G-17). */
export function WinnerCard({
  draw,
  winner,
  prize,
  namesShown,
}: {
  draw: OwnDraw;
  winner: Winner;
  prize: string;
  namesShown: boolean;
}) {
  const { buyerName, buyerEmail, buyerPhone } = winner;
  return (
    <section className="card winner-card" aria-labelledby="winner-title">
      <div className="winner-top">
        <div>
          <h2 id="winner-title">{C.winnerAnnounced}</h2>
          {namesShown ? <p className="winner-name">{buyerName ?? C.notProvided}</p> : null}
          <p className="winner-prize num">{formatDollars(decimalToCents(prize))}</p>
          <p className="winner-ticket">
            Ticket {winner.serialNumber}, #{winner.homeNumber} × #{winner.awayNumber}
          </p>
        </div>
        <WinningJerseys draw={draw} winner={winner} />
      </div>
      {namesShown ? (
        <dl className="winner-contact">
          <div>
            <dt>Phone</dt>
            <dd>{buyerPhone ? <PhoneLink phone={buyerPhone} /> : C.notProvided}</dd>
          </div>
          <div>
            <dt>Email</dt>
            <dd>{buyerEmail ? <EmailLink email={buyerEmail} /> : C.notProvided}</dd>
          </div>
        </dl>
      ) : (
        <p>Who won, and how to reach them, is shown to sellers and owners.</p>
      )}
    </section>
  );
}

/** The two winning jerseys, for the eye only: the text beside them says the same. */
export function WinningJerseys({ draw, winner }: { draw: OwnDraw; winner: Winner }) {
  return (
    <div className="winning-jerseys" aria-hidden="true">
      <Jersey jersey={winner.homeNumber} colour={jerseyColourOf(draw, 'home')} />
      <span>×</span>
      <Jersey jersey={winner.awayNumber} colour={jerseyColourOf(draw, 'away')} />
    </div>
  );
}
