import { useAtomValue } from 'jotai';
import type { Draw } from '@/api/wire';
import { TallyGrid } from '@/features/shared-grid/tally-grid';
import {
  CLUB_NOT_SELLING_NOTICE,
  isClubNotSelling,
  drawPhaseOf,
} from '@/features/shared-live/draw-phase';
import { nowAtom } from '@/features/shared-live/live-atoms';
import { TICKETS_PER_DRAW } from '@/shared/draw-size';
import { decimalToCents, formatDollars, priceOf, formatWholeDollars } from '@/shared/money';
import { BoardTimer } from './board-timer';
import { BoardPrize, BoardTitle } from './board-title';
import type { BoardOptions } from './board-options';
import { PurchaseQrCode } from './purchase-qr-code';

/** The board before the result: lights, prize, tickets sold, time left and where to buy. */
export function BoardBeforeResult({ draw, options }: { draw: Draw; options: BoardOptions }) {
  const now = useAtomValue(nowAtom);
  const phase = drawPhaseOf(draw, now);
  const ticket = decimalToCents(draw.ticketPrice);
  const price = draw.passStripeFees ? priceOf(ticket, 1, true).total : ticket;
  const opensAt = draw.opensAt ? Date.parse(draw.opensAt) : null;
  // Whether the draw is cancelled. A cancelled draw has no prize, and its sold tickets are
  // refunded.
  const cancelled = phase === 'cancelled';
  // Whether all tickets are sold. Reserved tickets do not count: they can become available again,
  // so the board keeps its QR code (decision E-3).
  const allSold = draw.ticketsSold >= TICKETS_PER_DRAW;
  const clubNotSelling = isClubNotSelling(draw, phase) && !allSold;
  return (
    <>
      <BoardTitle text={`${draw.homeTeam} v ${draw.awayTeam}`}>
        {draw.homeTeam}
        <span className="v">v</span>
        {draw.awayTeam}
      </BoardTitle>
      {options.compact ? null : (
        <div className="board-grid">
          <TallyGrid sold={draw.ticketsSold} />
        </div>
      )}
      <div className="board-side">
        {cancelled ? null : (
          <>
            <p className="board-label">Prize pool</p>
            <BoardPrize prize={formatWholeDollars(decimalToCents(draw.currentPrize))} />
          </>
        )}
        <dl className="board-stats">
          {cancelled ? null : (
            <div>
              <dt className="board-label">Tickets sold</dt>
              <dd className="num">
                {draw.ticketsSold} / {TICKETS_PER_DRAW}
              </dd>
            </div>
          )}
          <BoardTimer
            times={{
              status: phase === 'soldOut' ? 'active' : draw.status,
              opensAt,
              closesAt: Date.parse(draw.gameDate),
              of: 'draw',
            }}
          />
        </dl>
        {!clubNotSelling && (phase === 'active' || (phase === 'soldOut' && !allSold)) ? (
          <PurchaseQrCode
            path={`/draw/${draw.drawNumber}`}
            shown={`/draw/${draw.drawNumber}`}
            price={`${formatDollars(price)} a ticket`}
            options={options}
          />
        ) : null}
        {clubNotSelling ? <p className="board-full num">{CLUB_NOT_SELLING_NOTICE.title}</p> : null}
        {cancelled ? <p className="board-full num">Every ticket is refunded</p> : null}
        {phase === 'soldOut' && allSold ? (
          <p className="board-full num">All 169 tickets are sold</p>
        ) : null}
      </div>
    </>
  );
}
