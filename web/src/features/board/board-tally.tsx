import { useAtomValue } from 'jotai';
import type { Draw } from '@/api/wire';
import { TallyGrid } from '@/features/shared-grid/tally-grid';
import { TICKETS, UNSOLD, isUnsold, phaseOf } from '@/features/shared-live/draw-phase';
import { nowAtom } from '@/features/shared-live/live-atoms';
import { cents, dollars, priceOf, wholeDollars } from '@/shared/money';
import { BoardTimer } from './board-timer';
import { BoardPrize, BoardTitle } from './board-title';
import type { BoardOptions } from './board-options';
import { PurchaseQrCode } from './purchase-qr-code';

/** The board before the result: lights, prize, tickets sold, time left and where to buy. */
export function BoardTally({ draw, options }: { draw: Draw; options: BoardOptions }) {
  const now = useAtomValue(nowAtom);
  const phase = phaseOf(draw, now);
  const ticket = cents(draw.ticketPrice);
  const price = draw.passStripeFees ? priceOf(ticket, 1, true).total : ticket;
  const opensAt = draw.opensAt ? Date.parse(draw.opensAt) : null;
  // Whether the draw is cancelled. A cancelled draw has no prize, and its sold tickets are
  // refunded.
  const off = phase === 'cancelled';
  // Whether all tickets are sold. Reserved tickets do not count: they can become available again,
  // so the board keeps its QR code (decision E-3).
  const full = draw.ticketsSold >= TICKETS;
  const unsold = isUnsold(draw, phase) && !full;
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
        {off ? null : (
          <>
            <p className="board-label">Prize pool</p>
            <BoardPrize prize={wholeDollars(cents(draw.currentPrize))} />
          </>
        )}
        <dl className="board-stats">
          {off ? null : (
            <div>
              <dt className="board-label">Tickets sold</dt>
              <dd className="num">
                {draw.ticketsSold} / {TICKETS}
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
        {!unsold && (phase === 'active' || (phase === 'soldOut' && !full)) ? (
          <PurchaseQrCode
            path={`/draw/${draw.drawNumber}`}
            shown={`/draw/${draw.drawNumber}`}
            price={`${dollars(price)} a ticket`}
            options={options}
          />
        ) : null}
        {unsold ? <p className="board-full num">{UNSOLD.title}</p> : null}
        {off ? <p className="board-full num">Every ticket is refunded</p> : null}
        {phase === 'soldOut' && full ? (
          <p className="board-full num">All 169 tickets are sold</p>
        ) : null}
      </div>
    </>
  );
}
