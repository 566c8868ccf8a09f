import { useAtomValue } from 'jotai';
import type { Draw } from '@/api/wire';
import { TallyGrid } from '@/features/shared-grid/tally-grid';
import { boardTimeLeft, pageBand } from '@/features/shared-live/countdown';
import { TICKETS, phaseOf } from '@/features/shared-live/draw-phase';
import { nowAtom } from '@/features/shared-live/live-atoms';
import { cents, dollars, priceOf, wholeDollars } from '@/shared/money';
import { S } from '@/shared/strings';

export interface BoardOptions {
  compact: boolean;
  /** `xl` scales the code to 45 % of the height, for a screen seen from far away. */
  qr: 'xl' | null;
  loc: string | null;
}

/** Before the result: lights, the prize, how many are sold, how long is left, and where to buy. */
export function BoardTally({ draw, options }: { draw: Draw; options: BoardOptions }) {
  return (
    <>
      <h1>{draw.homeTeam}<span className="v">v</span>{draw.awayTeam}</h1>
      {options.compact ? null : <div className="board-grid"><TallyGrid sold={draw.ticketsSold} /></div>}
      <div className="board-side">
        <p className="board-label">Prize pool</p>
        <p className="board-prize num">{wholeDollars(cents(draw.currentPrize))}</p>
        <dl className="board-stats">
          <div><dt className="board-label">Tickets sold</dt><dd className="num">{draw.ticketsSold} / {TICKETS}</dd></div>
          <TimeLeft draw={draw} />
        </dl>
        <PlayHere draw={draw} options={options} />
      </div>
    </>
  );
}

function TimeLeft({ draw }: { draw: Draw }) {
  const now = useAtomValue(nowAtom);
  const phase = phaseOf(draw, now);
  const opensAt = draw.opensAt ? Date.parse(draw.opensAt) : 0;
  if (opensAt > now) return <Timer words="Opens in" ms={opensAt - now} band="" />;
  if (phase === 'closed') return <div><dt className="board-label">{S.drawClosed}</dt><dd className="num">{S.resultsPending}</dd></div>;
  if (phase === 'cancelled') return <div><dt className="board-label">Draw</dt><dd className="num">Cancelled</dd></div>;
  const kickOff = Date.parse(draw.gameDate);
  const band = pageBand(now, kickOff);
  return <Timer words="Kick-off in" ms={kickOff - now} band={band === 'green' || band === 'yellow' ? '' : ` band-${band}-ink`} />;
}

function Timer({ words, ms, band }: { words: string; ms: number; band: string }) {
  return <div><dt className="board-label">{words}</dt><dd className={`num${band}`}><span role="timer">{boardTimeLeft(ms)}</span></dd></div>;
}

function PlayHere({ draw, options }: { draw: Draw; options: BoardOptions }) {
  const now = useAtomValue(nowAtom);
  if (phaseOf(draw, now) !== 'active') return null;
  const query = new URLSearchParams({ src: 'widget', mode: options.compact ? 'compact' : 'fullscreen' });
  if (options.loc) query.set('loc', options.loc);
  const path = `/draw/${draw.drawNumber}`;
  const size = options.qr === 'xl' ? '45vh' : options.compact ? '180px' : 'min(260px, 36vh)';
  const ticket = cents(draw.ticketPrice);
  const price = draw.passStripeFees ? priceOf(ticket, 1, true).total : ticket;
  return (
    <div className="board-qr">
      <img src={`/api/qr.svg?url=${encodeURIComponent(`${path}?${query.toString()}`)}`} alt={`QR code to buy tickets at ${window.location.host}${path}`} style={{ '--qr': size } as React.CSSProperties} />
      <div>
        <h2>Scan to play</h2>
        <p>{dollars(price)} a ticket · over 18s</p>
        <p>{window.location.host}{path}</p>
      </div>
    </div>
  );
}
