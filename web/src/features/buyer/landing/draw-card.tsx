import { useAtomValue, useSetAtom } from 'jotai';
import { Link } from 'wouter';
import type { Draw } from '@/api/wire';
import { Countdown } from '@/features/shared-live/countdown-pill';
import { phaseOf, soldShare, type DrawPhase } from '@/features/shared-live/draw-phase';
import { drawAtom, nowAtom } from '@/features/shared-live/live-atoms';
import { dayAndTime } from '@/shared/dates';
import { cardPrize, cents, priceOf, dollars, shortDollars } from '@/shared/money';
import { S, winningPair } from '@/shared/strings';
import { ShareIcon } from '@/shared/ui/icons';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { isPhone, share, shareOf } from '@/features/buyer/site/share';

/** A draw in a list. Not the whole card is a link: the button is, so a thumb that scrolls buys nothing. */
export function DrawCard({ drawNumber, awaiting = false, children }: { drawNumber: number; awaiting?: boolean; children?: React.ReactNode }) {
  const draw = useAtomValue(drawAtom(drawNumber));
  const now = useAtomValue(nowAtom);
  if (!draw) return <div className="card draw-card" aria-hidden="true" />;
  const phase = phaseOf(draw, now);
  const title = `draw-${draw.drawNumber}-title`;
  const ticket = cents(draw.ticketPrice);
  return (
    <article className="card draw-card" aria-labelledby={title}>
      <div className="hero-top">
        {phase === 'active' || phase === 'soldOut' ? <Countdown kickOff={draw.gameDate} timezone={draw.timezone} view="card" /> : <ClosedBadge phase={phase} awaiting={awaiting} />}
        {phase === 'active' && isPhone() ? <ShareButton draw={draw} /> : null}
      </div>
      <h3 id={title}>{draw.homeTeam} v {draw.awayTeam}</h3>
      <p className="meta">{dayAndTime(draw.gameDate, draw.timezone)}</p>
      <p className="meta" title={draw.clubName}>{draw.clubName}{draw.league ? ` · ${draw.league}` : ''}</p>
      <p className="meta">{priceLine(draw)}</p>
      {phase === 'completed' ? (
        <Result draw={draw} />
      ) : (
        <>
          <dl className="stats">
            <div className="stat"><dt>Current prize</dt><dd>{shortDollars(cardPrize(draw.ticketsSold, ticket, draw.prizePercentage, draw.roundUpPrize))}</dd></div>
            <div className="stat"><dt>Tickets sold</dt><dd>{draw.ticketsSold}/169</dd></div>
            <div className="stat"><dt>Max Potential</dt><dd>{shortDollars(cents(draw.maxPrize))}</dd></div>
          </dl>
          <div className="progress" role="progressbar" aria-label={`${draw.homeTeam} v ${draw.awayTeam}: tickets sold`} aria-valuemin={0} aria-valuemax={169} aria-valuenow={draw.ticketsSold}>
            <span style={{ '--part': draw.ticketsSold / 169 } as React.CSSProperties} />
          </div>
          <Foot draw={draw} phase={phase} awaiting={awaiting} />
        </>
      )}
      {children}
    </article>
  );
}

/** The whole price stands first where a fee is passed on: the single total is what counts (D14). */
function priceLine(draw: Draw): string {
  const ticket = cents(draw.ticketPrice);
  if (!draw.passStripeFees) return `${dollars(ticket)} a ticket`;
  const { cardFee, total } = priceOf(ticket, 1, true);
  return `${dollars(ticket)} + ${dollars(cardFee)} fee = ${dollars(total)}`;
}

function ClosedBadge({ phase, awaiting }: { phase: DrawPhase; awaiting: boolean }) {
  if (phase === 'completed') return <span className="badge is-completed">{S.completedCaps}</span>;
  if (phase === 'cancelled') return <span className="badge is-cancelled">Cancelled</span>;
  return <span className="badge is-closed">{awaiting ? S.resultsPending : S.drawClosed}</span>;
}

function Foot({ draw, phase, awaiting }: { draw: Draw; phase: DrawPhase; awaiting: boolean }) {
  const name = `${draw.homeTeam} v ${draw.awayTeam}`;
  if (phase === 'active') return <Link className="btn wide" href={`/draw/${draw.drawNumber}`}>{S.buyNow}<span className="sr">: {name}</span></Link>;
  const words = phase === 'soldOut' ? [S.soldOut, S.allTicketsPurchased] : [awaiting ? S.resultsPending : S.drawClosed, S.gameHasStarted];
  return (
    <p className="closed-foot">
      <strong>{words[0]}</strong> <Link href={`/draw/${draw.drawNumber}`}>{words[1]}<span className="sr">: {name}</span></Link>
    </p>
  );
}

function Result({ draw }: { draw: Draw }) {
  const { homeFirstTryScorer: home, awayFirstTryScorer: away } = draw;
  return (
    <>
      <dl className="stats">
        <div className="stat"><dt>First try scorers</dt><dd>{home && away ? winningPair(home, away) : '–'}</dd></div>
        <div className="stat"><dt>Winner’s prize</dt><dd>{shortDollars(cents(draw.currentPrize))}</dd></div>
        <div className="stat"><dt>Tickets sold</dt><dd title={soldShare(draw.ticketsSold)}>{draw.ticketsSold}/169</dd></div>
      </dl>
      <p className="closed-foot">
        <strong>{draw.winningTicketSold === false ? 'Winning ticket not sold' : (draw.winningTicketSerial ?? '')}</strong>{' '}
        <Link href={`/draw/${draw.drawNumber}`}>See result<span className="sr">: {draw.homeTeam} v {draw.awayTeam}</span></Link>
      </p>
    </>
  );
}

function ShareButton({ draw }: { draw: Draw }) {
  const showToast = useSetAtom(showToastAtom);
  const onShare = async () => {
    const toast = await share(shareOf(draw, window.location.origin));
    if (toast) showToast(toast);
  };
  return (
    <button type="button" className="icon-btn" aria-label={`Share ${draw.homeTeam} v ${draw.awayTeam}`} onClick={() => void onShare()}>
      <ShareIcon />
    </button>
  );
}
