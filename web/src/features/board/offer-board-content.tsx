import { useAtomValue } from 'jotai';
import type { Offer, OfferGame, WidgetResponse } from '@/api/wire-public';
import { gameDrawNumber, offerPrice } from '@/features/shared-offer/offer-facts';
import { liveStateAtom, nowAtom, surchargeModeAtom } from '@/features/shared-live/live-atoms';
import { dayAndTime } from '@/shared/dates';
import { TICKETS_PER_DRAW } from '@/shared/draw-size';
import { decimalToCents, formatDollars, formatWholeDollars } from '@/shared/money';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { BoardQrCode } from './board-qr-code';
import { BoardPrize, BoardSaleNumbers } from './board-sale-numbers';
import type { BoardOptions } from './board-options';
import { FittedText, Match } from './fitted-text';

interface OfferBoardContentProps {
  widget: WidgetResponse;
  /** The offer with its games. Null until it has loaded; the board then shows only the totals. */
  offer: Offer | null;
  address: { club: string; slug: string };
  options: BoardOptions;
}

/** Games that fit a board in a readable size. More games become one line of text. */
const GAMES_SHOWN_MAX = 4;

const parseTime = (text: string | null) => (text ? Date.parse(text) : null);

/** Path of an offer's QR code and of the address that viewers type. */
export const offerShortPath = ({ club, slug }: { club: string; slug: string }) =>
  `/w/bundle:${club}/${slug}`;

/**
 * The board of an offer: the totals of its games, one row for each game, and where to buy them
 * together.
 */
export function OfferBoardContent({ widget, offer, address, options }: OfferBoardContentProps) {
  const mode = useAtomValue(surchargeModeAtom);
  const now = useAtomValue(nowAtom);
  const closesAt = parseTime(widget.earliestClosesAt ?? widget.closesAt);
  const onSale =
    !['closed', 'completed', 'cancelled', 'archived', 'draft', 'ended'].includes(widget.status) &&
    !(closesAt !== null && closesAt <= now);
  const games = offer?.games.length ?? 0;
  return (
    <>
      {options.compact ? null : (
        <div className="board-grid board-games">{offer ? <GameRows offer={offer} /> : null}</div>
      )}
      <BoardPrize label="Prize pool" amount={widget.prizePoolCents} />
      <dl className="board-extra">
        {games > 0 ? (
          <div>
            <dt className="board-label">One ticket in each of</dt>
            <dd className="num">{games === 1 ? '1 game' : `${games} games`}</dd>
          </div>
        ) : null}
      </dl>
      <BoardSaleNumbers
        sold={widget.ticketsSold}
        cap={widget.ticketsCap}
        times={{
          status: widget.status,
          opensAt: parseTime(widget.earliestOpensAt ?? widget.opensAt),
          closesAt,
          of: 'offer',
        }}
      />
      {onSale ? (
        <BoardQrCode
          path={offerShortPath(address)}
          title="Scan to buy"
          note={offer ? `From ${formatDollars(offerPrice(offer, 1, mode).total)}` : S.brand}
          purpose="QR code to buy tickets"
          options={options}
        />
      ) : (
        <BoardQrCode
          path={offerShortPath(address)}
          title="See the games"
          note="Scan for the results"
          purpose="QR code of the offer"
          options={options}
        />
      )}
    </>
  );
}

function GameRows({ offer }: { offer: Offer }) {
  const shown = offer.games.slice(0, GAMES_SHOWN_MAX);
  const more = offer.games.length - shown.length;
  return (
    <ul style={{ '--rows': shown.length } as React.CSSProperties}>
      {shown.map((game, at) => (
        <GameRow key={game.id} game={game} more={at === shown.length - 1 ? more : 0} />
      ))}
    </ul>
  );
}

/** One game. The last row also says how many more games there are. */
function GameRow({ game, more }: { game: OfferGame; more: number }) {
  const draw = useAtomValue(liveStateAtom).draws[gameDrawNumber(game)];
  const sold = draw?.ticketsSold ?? game.ticketsSold;
  const prize = draw?.currentPrize ?? game.currentPrize;
  const when = dayAndTime(game.gameDate, game.timezone);
  return (
    <li className="board-game">
      <FittedText
        as="h2"
        className="board-game-title"
        text={`${game.homeTeam} v ${game.awayTeam}`}
        breakBelow={0.85}
      >
        <Match home={game.homeTeam} away={game.awayTeam} />
      </FittedText>
      <FittedText className="board-label board-game-when" text={when} />
      <p className="board-game-numbers num">
        {sold === undefined ? null : (
          <span className="board-game-sold">
            {sold}
            <span className="board-of"> / {TICKETS_PER_DRAW}</span>
          </span>
        )}
        {prize === undefined ? null : (
          <span className="board-game-prize">{formatWholeDollars(decimalToCents(prize))}</span>
        )}
      </p>
      {sold === undefined ? null : (
        <div className="board-bar" aria-hidden="true">
          <span style={{ '--part': sold / TICKETS_PER_DRAW } as React.CSSProperties} />
        </div>
      )}
      {more > 0 ? (
        <p className="board-label">{more === 1 ? 'and 1 more game' : `and ${more} more games`}</p>
      ) : null}
    </li>
  );
}
