import { useAtomValue } from 'jotai';
import type { Draw } from '@/api/wire';
import { TallyGrid } from '@/features/shared-grid/tally-grid';
import {
  CLUB_NOT_SELLING_NOTICE,
  drawPhaseOf,
  futureOpeningTimeOf,
  isClubNotSelling,
  temporarilySoldOutText,
  type DrawPhase,
} from '@/features/shared-live/draw-phase';
import { nowAtom } from '@/features/shared-live/live-atoms';
import { TICKETS_PER_DRAW } from '@/shared/draw-size';
import { decimalToCents, formatDollars, formatWholeDollars, priceOf } from '@/shared/money';
import { BoardQrCode } from './board-qr-code';
import { BoardPrize, BoardSaleNumbers } from './board-sale-numbers';
import { FittedText } from './fitted-text';
import type { BoardOptions } from './board-options';

/** The board before the result: lights, prize, tickets sold, time left and where to buy. */
export function BoardBeforeResult({
  draw,
  justSoldFrom,
  options,
}: {
  draw: Draw;
  /** The count from which tickets are just sold. */
  justSoldFrom?: number;
  options: BoardOptions;
}) {
  const now = useAtomValue(nowAtom);
  const phase = drawPhaseOf(draw, now);
  // A cancelled draw has no prize, and its sold tickets are refunded.
  if (phase === 'cancelled') return <CancelledBoard draw={draw} options={options} />;
  const prize = decimalToCents(draw.currentPrize);
  const maxPrize = formatWholeDollars(decimalToCents(draw.maxPrize));
  // Before the first sale the prize is nothing, so the board leads with what it can become.
  const isUnsold = draw.ticketsSold === 0 && prize === 0;
  return (
    <>
      {options.compact ? null : (
        <div className="board-grid">
          <TallyGrid sold={draw.ticketsSold} justSoldFrom={justSoldFrom} />
        </div>
      )}
      {isUnsold ? (
        <BoardPrize label="Max Potential" amount={decimalToCents(draw.maxPrize)} />
      ) : (
        <BoardPrize label="Prize pool" amount={prize} />
      )}
      <dl className="board-extra">
        <div>
          <dt className="board-label">{isUnsold ? 'Prize pool' : 'Max Potential'}</dt>
          <dd className="num">{isUnsold ? formatWholeDollars(prize) : maxPrize}</dd>
        </div>
      </dl>
      <BoardSaleNumbers
        sold={draw.ticketsSold}
        cap={TICKETS_PER_DRAW}
        times={{
          status: phase === 'soldOut' ? 'active' : draw.status,
          opensAt: draw.opensAt ? Date.parse(draw.opensAt) : null,
          closesAt: Date.parse(draw.gameDate),
          of: 'draw',
        }}
      />
      <DrawQrCode draw={draw} phase={phase} now={now} options={options} />
    </>
  );
}

function CancelledBoard({ draw, options }: { draw: Draw; options: BoardOptions }) {
  return (
    <>
      {options.compact ? null : (
        <div className="board-grid">
          <TallyGrid sold={0} />
        </div>
      )}
      <div className="board-notice">
        <p className="board-label">Draw</p>
        <FittedText className="board-notice-title num" text="Cancelled" />
        <p className="board-notice-text">Every ticket is refunded</p>
      </div>
      <BoardQrCode
        path={`/draw/${draw.drawNumber}`}
        title="Read more"
        note="Scan for this draw"
        purpose="QR code of the draw"
        options={options}
      />
    </>
  );
}

/** The ticket with the QR code: how to buy, or what to expect when nothing can be bought. */
function DrawQrCode({
  draw,
  phase,
  now,
  options,
}: {
  draw: Draw;
  phase: DrawPhase;
  now: number;
  options: BoardOptions;
}) {
  // Whether all tickets are sold. Reserved tickets do not count: they can become available again,
  // so the board keeps its QR code (decision E-3).
  const allSold = draw.ticketsSold >= TICKETS_PER_DRAW;
  // A link to buy would lead nowhere.
  if (isClubNotSelling(draw, phase) && !allSold)
    return (
      <div className="board-qr is-notice">
        <p className="board-notice-text">{CLUB_NOT_SELLING_NOTICE.title}</p>
      </div>
    );
  const ticket = decimalToCents(draw.ticketPrice);
  const price = formatDollars(draw.passStripeFees ? priceOf(ticket, 1, true).total : ticket);
  const path = `/draw/${draw.drawNumber}`;
  if (phase === 'soldOut' && allSold)
    return (
      <BoardQrCode
        path={path}
        title="Sold out"
        note={`All ${TICKETS_PER_DRAW} tickets are sold`}
        purpose="QR code of the draw"
        options={options}
      />
    );
  if (phase !== 'active' && phase !== 'soldOut')
    return (
      <BoardQrCode
        path={path}
        title="Follow the draw"
        note="Scan for the result"
        purpose="QR code of the draw"
        options={options}
      />
    );
  if (phase === 'soldOut' && temporarilySoldOutText(draw))
    return (
      <BoardQrCode
        path={path}
        title="Taken for now"
        note={`${draw.ticketsHeld} may come free`}
        purpose="QR code to buy tickets"
        options={options}
      />
    );
  return (
    <BoardQrCode
      path={path}
      title={futureOpeningTimeOf(draw, now) ? 'Scan and be ready' : 'Scan to buy'}
      note={`${price} each · ${draw.ticketsAvailable} left`}
      purpose="QR code to buy tickets"
      options={options}
    />
  );
}
