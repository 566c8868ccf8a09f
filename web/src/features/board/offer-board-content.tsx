import { useAtomValue } from 'jotai';
import type { Offer, WidgetResponse } from '@/api/wire-public';
import { gameDrawNumber, offerPrice } from '@/features/shared-offer/offer';
import { liveStateAtom, nowAtom, surchargeModeAtom } from '@/features/shared-live/live-atoms';
import { dayAndTime } from '@/shared/dates';
import { TICKETS_PER_DRAW } from '@/shared/draw-size';
import { formatDollars, formatWholeDollars } from '@/shared/money';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { BoardTimer } from './board-timer';
import { BoardPrize, BoardTitle } from './board-title';
import type { BoardOptions } from './board-options';
import { PurchaseQrCode } from './purchase-qr-code';

interface OfferBoardContentProps {
  widget: WidgetResponse;
  /** The offer with its games. Null until it has loaded; the board then shows only the totals. */
  offer: Offer | null;
  address: { club: string; slug: string };
  options: BoardOptions;
}

const parseTime = (text: string | null) => (text ? Date.parse(text) : null);

/**
 * The board of an offer: the totals of its games, one row for each game, and where to buy them
 * together.
 */
export function OfferBoardContent({ widget, offer, address, options }: OfferBoardContentProps) {
  const mode = useAtomValue(surchargeModeAtom);
  const path = `/w/bundle:${address.club}/${address.slug}`;
  const now = useAtomValue(nowAtom);
  const closesAt = parseTime(widget.earliestClosesAt ?? widget.closesAt);
  const onSale =
    !['closed', 'completed', 'cancelled', 'archived', 'draft', 'ended'].includes(widget.status) &&
    !(closesAt !== null && closesAt <= now);
  return (
    <>
      <BoardTitle text={widget.title}>{widget.title}</BoardTitle>
      {options.compact ? null : (
        <div className="board-games">{offer ? <GameRows offer={offer} /> : null}</div>
      )}
      <div className="board-side">
        <p className="board-label">Prize pool</p>
        <BoardPrize prize={formatWholeDollars(widget.prizePoolCents)} />
        <dl className="board-stats">
          <div>
            <dt className="board-label">Tickets sold</dt>
            <dd className="num">
              {widget.ticketsSold}
              {widget.ticketsCap ? ` / ${widget.ticketsCap}` : ''}
            </dd>
          </div>
          <BoardTimer
            times={{
              status: widget.status,
              opensAt: parseTime(widget.earliestOpensAt ?? widget.opensAt),
              closesAt,
              of: 'offer',
            }}
          />
        </dl>
        {onSale ? (
          <PurchaseQrCode
            path={path}
            shown={path}
            price={offer ? `From ${formatDollars(offerPrice(offer, 1, mode).total)}` : S.brand}
            options={options}
          />
        ) : null}
      </div>
    </>
  );
}

function GameRows({ offer }: { offer: Offer }) {
  const draws = useAtomValue(liveStateAtom).draws;
  return (
    <ul>
      {offer.games.map((game) => {
        const sold = draws[gameDrawNumber(game)]?.ticketsSold ?? game.ticketsSold;
        return (
          <li key={game.id}>
            <h2>
              {game.homeTeam}
              <span className="v">v</span>
              {game.awayTeam}
            </h2>
            <p className="board-label">
              {dayAndTime(game.gameDate, game.timezone)}
              {sold === undefined ? '' : ` · ${sold} / ${TICKETS_PER_DRAW}`}
            </p>
            {sold === undefined ? null : (
              <div className="board-bar" aria-hidden="true">
                <span style={{ '--part': sold / TICKETS_PER_DRAW } as React.CSSProperties} />
              </div>
            )}
          </li>
        );
      })}
    </ul>
  );
}
