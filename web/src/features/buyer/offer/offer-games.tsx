import { useAtomValue } from 'jotai';
import { Link } from 'wouter';
import type { OfferGame } from '@/api/wire-public';
import { gameDrawNumber, gameTitle } from '@/features/shared-offer/offer';
import { drawPhaseOf } from '@/features/shared-live/draw-phase';
import { liveStateAtom, nowAtom } from '@/features/shared-live/live-atoms';
import { dayAndTime } from '@/shared/dates';
import { TICKETS_PER_DRAW } from '@/shared/draw-size';
import { decimalToCents, formatDollars, priceOf } from '@/shared/money';
import { PUBLIC_TEXTS as S } from '@/shared/strings';

/** The games of an offer with date, price and prize. A game that is sold out or over is marked. */
export function OfferGames({ games }: { games: readonly OfferGame[] }) {
  return (
    <section className="card panel offer-games" aria-labelledby="games-title">
      <h2 id="games-title">
        {games.length === 1 ? 'The game' : `${games.length} games, one ticket in each`}
      </h2>
      <ul>
        {games.map((game) => (
          <GameRow key={game.id} game={game} />
        ))}
      </ul>
    </section>
  );
}

function GameRow({ game }: { game: OfferGame }) {
  const number = gameDrawNumber(game);
  const draw = useAtomValue(liveStateAtom).draws[number];
  const now = useAtomValue(nowAtom);
  const phase = drawPhaseOf(
    draw ?? {
      status: game.status ?? 'active',
      gameDate: game.gameDate,
      ticketsAvailable: game.ticketsAvailable ?? 1,
    },
    now,
  );
  // Shows the numbers in the offer until the game's draw is loaded.
  const [prize, sold] = [
    draw?.currentPrize ?? game.currentPrize,
    draw?.ticketsSold ?? game.ticketsSold,
  ];
  const ticket = priceOf(decimalToCents(game.ticketPrice), 1, game.passStripeFees);
  return (
    <li>
      <div>
        <strong>{gameTitle(game)}</strong>
        <span className="meta">
          {game.league ? `${game.league} · ` : ''}
          {dayAndTime(game.gameDate, game.timezone)}
        </span>
        {phase === 'cancelled' ? (
          <span className="meta">Every ticket is refunded</span>
        ) : prize !== undefined && sold !== undefined ? (
          <span className="meta">
            Prize {formatDollars(decimalToCents(prize))} · {sold}/{TICKETS_PER_DRAW} sold
          </span>
        ) : null}
        <Link className="game-link" href={`/draw/${number}`}>
          See draw<span className="sr">: {gameTitle(game)}</span>
        </Link>
      </div>
      <div className="game-side">
        <span className="num">{formatDollars(ticket.total)}</span>
        {phase === 'soldOut' ? <span className="badge is-closed">{S.soldOut}</span> : null}
        {phase === 'closed' ? <span className="badge is-closed">{S.drawClosed}</span> : null}
        {phase === 'cancelled' ? <span className="badge is-cancelled">Cancelled</span> : null}
        {phase === 'completed' ? (
          <span className="badge is-completed">{S.completedCaps}</span>
        ) : null}
      </div>
    </li>
  );
}
