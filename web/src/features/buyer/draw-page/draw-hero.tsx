import { useSetAtom } from 'jotai';
import type { Draw } from '@/api/wire';
import { ClubCrest } from '@/features/buyer/site/club-crest';
import { shareOrCopy, shareContentOf } from '@/features/buyer/site/share';
import { StatusBadge } from '@/features/buyer/site/status-badge';
import { TallyGrid } from '@/features/shared-grid/tally-grid';
import { CountdownPill } from '@/features/shared-live/countdown-pill';
import { soldShareText, type DrawPhase } from '@/features/shared-live/draw-phase';
import { FreshnessBadge } from '@/features/shared-live/freshness-badge';
import { dayAndTime } from '@/shared/dates';
import { TICKETS_PER_DRAW } from '@/shared/draw-size';
import { decimalToCents, ticketPriceText } from '@/shared/money';
import { ShareIcon } from '@/shared/ui/icons';
import { FormattedAmount } from '@/shared/ui/formatted-amount';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { ProgressBar } from '@/shared/ui/progress-bar';

/**
 * The header section of a draw: its match, prize and sales. The server renders the same markup: see
 * README.md before changing it.
 */
export function DrawHero({ draw, phase }: { draw: Draw; phase: DrawPhase }) {
  return (
    <section className="card hero" aria-label="Draw">
      <div className="hero-top">
        <ClubCrest draw={draw} />
        <StatusBadge phase={phase} />
        <span className="hero-side">
          {/* Depends on the server's status only, so that a countdown at zero stays until the
              server changes the status (specification line A:178). */}
          {draw.status === 'active' || draw.status === 'open' ? (
            <CountdownPill kickOff={draw.gameDate} view="page" />
          ) : null}
          <ShareDrawButton draw={draw} />
        </span>
      </div>
      <h1 className="teams">
        {draw.homeTeam}
        <span className="v"> v </span>
        {draw.awayTeam}
      </h1>
      <p className="meta">
        {draw.league ? `${draw.league} · ` : ''}
        {dayAndTime(draw.gameDate, draw.timezone)} ·{' '}
        {ticketPriceText(draw.ticketPrice, draw.passStripeFees)}
        {draw.passStripeFees ? '' : ' a ticket'}
      </p>
      {phase === 'cancelled' ? (
        <CancelledDrawFigures />
      ) : (
        <DrawFigures draw={draw} withGrid={draw.status !== 'completed'} />
      )}
      <FreshnessBadge />
    </section>
  );
}

function DrawFigures({ draw, withGrid }: { draw: Draw; withGrid: boolean }) {
  return (
    <div className="hero-figures">
      <dl className="stats">
        <div className="stat prize">
          <dt>Prize pool</dt>
          <dd>
            <FormattedAmount of={decimalToCents(draw.currentPrize)} />
          </dd>
        </div>
        <div className="stat">
          <dt>Tickets sold</dt>
          <dd>
            {draw.ticketsSold}/{TICKETS_PER_DRAW}
          </dd>
        </div>
        <div className="stat">
          <dt>Max Potential</dt>
          <dd>
            <FormattedAmount of={decimalToCents(draw.maxPrize)} />
          </dd>
        </div>
      </dl>
      {withGrid ? <TicketsGrid sold={draw.ticketsSold} /> : null}
      <div className="progress-row">
        <ProgressBar label="Tickets sold" value={draw.ticketsSold} max={TICKETS_PER_DRAW} />
        <span className="num">{soldShareText(draw.ticketsSold)}</span>
      </div>
    </div>
  );
}

/**
 * The sold tickets as lights in a fixed public order. The grid has no axes, because no number may
 * be seen before the result.
 */
function TicketsGrid({ sold }: { sold: number }) {
  return (
    <div className="tickets-grid">
      <TallyGrid sold={sold} />
      <p className="legend">
        <span className="is-sold">Sold</span>
        <span>Available</span>
      </p>
    </div>
  );
}

/**
 * The figures of a cancelled draw. The ticket count is hidden, because it falls to zero while
 * refunds complete.
 */
function CancelledDrawFigures() {
  return (
    <dl className="stats">
      <div className="stat">
        <dt>Prize pool</dt>
        <dd>None</dd>
      </div>
      <div className="stat">
        <dt>Tickets</dt>
        <dd>Refunded</dd>
      </div>
    </dl>
  );
}

function ShareDrawButton({ draw }: { draw: Draw }) {
  const showToast = useSetAtom(showToastAtom);
  const onShare = async () => {
    const toast = await shareOrCopy(shareContentOf(draw, window.location.origin));
    if (toast) showToast(toast);
  };
  return (
    <button
      type="button"
      className="icon-btn"
      aria-label="Share this draw"
      onClick={() => void onShare()}
    >
      <ShareIcon />
    </button>
  );
}
