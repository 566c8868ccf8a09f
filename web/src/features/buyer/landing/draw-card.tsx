import { useAtomValue } from 'jotai';
import { Link } from 'wouter';
import type { Draw } from '@/api/wire';
import { ClubCrest } from '@/features/buyer/site/club-crest';
import { ShareButton } from '@/features/buyer/site/share-button';
import { shareContentOf } from '@/features/buyer/site/share';
import { useIsPhone } from '@/features/buyer/site/use-is-phone';
import { CountdownPill } from '@/features/shared-live/countdown-pill';
import {
  drawPhaseOf,
  soldShareText,
  temporarilySoldOutText,
} from '@/features/shared-live/draw-phase';
import { drawAtom, nowAtom } from '@/features/shared-live/live-atoms';
import { clubBandVariables } from '@/shared/club-colours';
import { dayAndTime } from '@/shared/dates';
import { TICKETS_PER_DRAW } from '@/shared/draw-size';
import { landingCardPrizeOf, decimalToCents, priceOf, formatDollars } from '@/shared/money';
import { PUBLIC_TEXTS as S, winningPairText } from '@/shared/strings';
import { FormattedAmount } from '@/shared/ui/formatted-amount';
import { Tooltip } from '@/shared/ui/tooltip';
import { ProgressBar } from '@/shared/ui/progress-bar';
import { drawCardStateOf, type DrawCardState } from './draw-card-state';

interface LandingDrawCardProps {
  drawNumber: number;
  /** Whether the draw waits for its result. The card's badge says so. */
  awaiting?: boolean;
  /** Id of the card's title. Needed where the draw is on the page twice. */
  titleId?: string;
  /** Further controls, shown under the card's button. */
  children?: React.ReactNode;
}

/**
 * A draw in a list. The card itself is no link, so that a thumb that scrolls the list opens nothing
 * by accident.
 */
export function DrawCard({
  drawNumber,
  awaiting = false,
  titleId,
  children,
}: LandingDrawCardProps) {
  const draw = useAtomValue(drawAtom(drawNumber));
  const now = useAtomValue(nowAtom);
  const onPhone = useIsPhone();
  if (!draw) return <div className="card draw-card" aria-hidden="true" />;
  const phase = drawPhaseOf(draw, now);
  const state = drawCardStateOf(draw, phase, now);
  const title = titleId ?? `draw-${draw.drawNumber}-title`;
  const counts = draw.status === 'active' && !awaiting;
  return (
    <article
      className="card draw-card"
      aria-labelledby={title}
      data-state={state}
      style={clubBandVariables(draw.clubPrimaryColor, draw.clubAccentColor) as React.CSSProperties}
    >
      <div className="band">
        <ClubCrest draw={draw} />
        <h3 id={title}>
          {draw.homeTeam} v {draw.awayTeam}
        </h3>
      </div>
      <div className="hero-top">
        {counts ? (
          <CountdownPill kickOff={draw.gameDate} timezone={draw.timezone} view="card" />
        ) : null}
        <DrawStateBadge state={state} awaiting={awaiting} />
        {counts && (state === 'open' || state === 'soldOut') && onPhone ? (
          <ShareButton
            what={() => shareContentOf(draw, window.location.origin)}
            label={`Share ${draw.homeTeam} v ${draw.awayTeam}`}
          />
        ) : null}
      </div>
      <p className="meta">{dayAndTime(draw.gameDate, draw.timezone)}</p>
      <p className="meta">
        {draw.clubName}
        {draw.league ? ` · ${draw.league}` : ''}
      </p>
      {state === 'completed' ? (
        <DrawCardResult draw={draw} />
      ) : state === 'cancelled' ? (
        <CancelledDrawCardFigures />
      ) : (
        <SalesProgress draw={draw} />
      )}
      {state === 'completed' ? null : <p className="meta">{ticketPriceLine(draw)}</p>}
      {state === 'completed' ? null : (
        <DrawCardFooter draw={draw} state={state} awaiting={awaiting} />
      )}
      {children}
    </article>
  );
}

/** Shows the ticket price, the fee and the total where the buyer pays the fee (decision D14). */
function ticketPriceLine(draw: Draw): string {
  const ticket = decimalToCents(draw.ticketPrice);
  if (!draw.passStripeFees) return `${formatDollars(ticket)} a ticket`;
  const { cardFee, total } = priceOf(ticket, 1, true);
  return `${formatDollars(ticket)} + ${formatDollars(cardFee)} fee = ${formatDollars(total)}`;
}

function DrawStateBadge({ state, awaiting }: { state: DrawCardState; awaiting: boolean }) {
  switch (state) {
    case 'completed':
      return <span className="badge is-completed">{S.completedCaps}</span>;
    case 'closed':
      return <span className="badge is-closed">{awaiting ? S.resultsPending : S.drawClosed}</span>;
    case 'cancelled':
      return <span className="badge is-cancelled">Cancelled</span>;
    default:
      return null;
  }
}

function SalesProgress({ draw }: { draw: Draw }) {
  const ticket = decimalToCents(draw.ticketPrice);
  const most = decimalToCents(draw.maxPrize);
  return (
    <>
      <dl className="stats">
        <div className="stat prize">
          <dt>Current prize</dt>
          <dd>
            <FormattedAmount
              of={landingCardPrizeOf(
                draw.ticketsSold,
                ticket,
                draw.prizePercentage,
                draw.roundUpPrize,
              )}
            />
          </dd>
        </div>
        <div className="stat">
          <dt>Tickets sold</dt>
          <dd title={soldShareText(draw.ticketsSold)}>
            {draw.ticketsSold}/{TICKETS_PER_DRAW}
          </dd>
        </div>
        <div className="stat">
          <dt>Max Potential</dt>
          <dd>
            <Tooltip text={`The prize is ${formatDollars(most)} if all 169 tickets are sold.`}>
              <FormattedAmount of={most} />
            </Tooltip>
          </dd>
        </div>
      </dl>
      <ProgressBar
        label={`${draw.homeTeam} v ${draw.awayTeam}: tickets sold`}
        value={draw.ticketsSold}
        max={TICKETS_PER_DRAW}
      />
    </>
  );
}

function CancelledDrawCardFigures() {
  return (
    <dl className="stats">
      <div className="stat">
        <dt>Current prize</dt>
        <dd>None</dd>
      </div>
      <div className="stat">
        <dt>Tickets</dt>
        <dd>Refunded</dd>
      </div>
    </dl>
  );
}

function DrawCardFooter({
  draw,
  state,
  awaiting,
}: {
  draw: Draw;
  state: DrawCardState;
  awaiting: boolean;
}) {
  const name = `${draw.homeTeam} v ${draw.awayTeam}`;
  if (state === 'open')
    return (
      <Link className="btn wide" href={`/draw/${draw.drawNumber}`}>
        {S.buyNow}
        <span className="sr">: {name}</span>
      </Link>
    );
  if (state === 'scheduled')
    return (
      <p className="closed-foot">
        <strong>On sale from {dayAndTime(draw.opensAt ?? '', draw.timezone)}</strong>{' '}
        <Link href={`/draw/${draw.drawNumber}`}>
          See draw<span className="sr">: {name}</span>
        </Link>
      </p>
    );
  const taken = temporarilySoldOutText(draw);
  const [status, note] = {
    closed: [awaiting ? S.resultsPending : S.drawClosed, S.gameHasStarted],
    // A draw is sold out only once no ticket is held either (decision M-8).
    soldOut: taken ? [taken.title, taken.text] : [S.soldOut, S.allTicketsPurchased],
    cancelled: ['Cancelled', 'Every ticket is refunded'],
  }[state as 'closed' | 'soldOut' | 'cancelled'];
  return (
    <p className="closed-foot">
      <span>
        <strong>{status}</strong> <span className="meta closed-note">{note}</span>
      </span>{' '}
      <Link href={`/draw/${draw.drawNumber}`}>
        See draw<span className="sr">: {name}</span>
      </Link>
    </p>
  );
}

/** Shows the scorers, the prize and the serial number, but never a name (decision E-21). */
function DrawCardResult({ draw }: { draw: Draw }) {
  const { homeFirstTryScorer: home, awayFirstTryScorer: away } = draw;
  const unsold = draw.winningTicketSold === false;
  return (
    <>
      <dl className="stats">
        <div className="stat prize">
          <dt>{unsold ? 'Prize, not won' : 'Winner’s prize'}</dt>
          <dd>
            <FormattedAmount of={decimalToCents(draw.currentPrize)} />
          </dd>
        </div>
        <div className="stat">
          <dt>First try scorers</dt>
          <dd>{home && away ? winningPairText(home, away) : '–'}</dd>
        </div>
        <div className="stat">
          <dt>Tickets sold</dt>
          <dd title={soldShareText(draw.ticketsSold)}>
            {draw.ticketsSold}/{TICKETS_PER_DRAW}
          </dd>
        </div>
      </dl>
      <p className="closed-foot">
        <span>
          <span className="meta">{unsold ? 'Winning ticket, not sold' : 'Winning ticket'}</span>
          <strong className="serial-line">{draw.winningTicketSerial ?? '–'}</strong>
        </span>
        <Link href={`/draw/${draw.drawNumber}`}>
          See result
          <span className="sr">
            : {draw.homeTeam} v {draw.awayTeam}
          </span>
        </Link>
      </p>
    </>
  );
}
