import { useAtomValue } from 'jotai';
import type { CSSProperties } from 'react';
import { Link } from 'wouter';
import type { Draw } from '@/api/wire';
import type { DrawPace } from '@/api/wire-club';
import { CountdownPill } from '@/features/shared-live/countdown-pill';
import { nowAtom } from '@/features/shared-live/live-atoms';
import { TICKETS_PER_DRAW } from '@/shared/draw-size';
import { decimalToCents, formatDollars } from '@/shared/money';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { ActionsMenu, type ActionsMenuItem } from '../frame/actions-menu';
import { ShareIcon } from '../frame/icons';
import { adminPath } from '../session/user';
import {
  drawBadgesOf,
  drawListNameOf,
  prizeText,
  shortGameText,
  teamsText,
  gameTimeText,
} from './draw-labels';
import type { DrawListName } from './draw-labels';
import { paceText } from './pace';
import type { DrawActions } from './use-draw-actions';
import { WinnersPanel } from './winners-panel';

export interface DrawItemProps {
  draw: Draw;
  slug: string;
  clubName: string;
  /** Whether the user may change the draw and download the list of its buyers. */
  sells: boolean;
  /** Why actions that change the draw are disabled; null when they are enabled. */
  off: string | null;
  actions: DrawActions;
  winnersShown: boolean;
  pace: DrawPace | undefined;
  /** What is open about the prize of a completed draw. */
  chip: { text: string; tone: string } | null;
  onShare: () => void;
  onShareKit: () => void;
  onDetails: () => void;
  onWinners: () => void;
  onCancel: () => void;
}

/**
 * Returns the menu entries of a draw for the list that it is in (specification lines B:50-54). A
 * cancelled draw has no entry for winners.
 */
export function drawMenuItems(
  {
    draw,
    slug,
    sells,
    off,
    actions,
    winnersShown,
    onShare,
    onShareKit,
    onDetails,
    onWinners,
    onCancel,
  }: DrawItemProps,
  list: DrawListName,
): ActionsMenuItem[] {
  const results = { label: C.enterResults, href: adminPath(slug, `results/${draw.drawNumber}`) };
  const view = { label: C.viewPublic, href: `/draw/${draw.drawNumber}`, away: true };
  const details = { label: C.details, onChoose: onDetails };
  const selling = (...items: ActionsMenuItem[]) => (sells ? items : []);
  if (list === 'active')
    return [
      { label: C.shareLink, onChoose: onShare },
      { label: 'Share kit', onChoose: onShareKit },
      ...selling({ label: C.editDraw, href: adminPath(slug, `edit-draw/${draw.drawNumber}`), off }),
      view,
      details,
      ...selling(results),
      // Only the operator cancels a draw with sales, because that refunds buyers.
      ...(draw.ticketsSold + draw.ticketsHeld === 0
        ? selling({ label: 'Cancel Draw', onChoose: onCancel, off })
        : []),
    ];
  if (list === 'awaiting') return [...selling(results), view, details];
  return [
    view,
    details,
    ...(draw.status === 'cancelled'
      ? []
      : [{ label: winnersShown ? C.hideWinners : C.showWinners, onChoose: onWinners }]),
    ...selling(
      { label: C.downloadReportPdf, onChoose: () => actions.report(draw) },
      { label: C.downloadCsv, onChoose: () => actions.csv(draw) },
      {
        label: draw.archived ? C.unarchiveDraw : C.archiveDraw,
        onChoose: () => actions.archive(draw),
        off,
      },
    ),
  ];
}

/** One draw as a slim row: name, facts, progress, main action and a menu for the other actions. */
export function DrawItem(props: DrawItemProps) {
  const { draw, slug, clubName, winnersShown, onShare, pace, chip } = props;
  const now = useAtomValue(nowAtom);
  const list = drawListNameOf(draw, now);
  const results = adminPath(slug, `results/${draw.drawNumber}`);
  const compared = list === 'active' ? paceText(pace, draw.ticketsSold) : null;
  const pair = `${draw.homeFirstTryScorer} & ${draw.awayFirstTryScorer}`;
  const won =
    draw.winningTicketSold === null || draw.winningTicketSold === undefined
      ? ''
      : draw.winningTicketSold
        ? `, won by ${pair}`
        : `, ${pair} not sold`;
  return (
    <article className={`draw-item is-${list}`} aria-label={teamsText(draw)}>
      <div className="draw-item-name">
        <div className="badges">
          {drawBadgesOf(draw, now).map(({ text, tone }) => (
            <span className={`badge ${tone}`} key={text}>
              {text}
            </span>
          ))}
          {list === 'active' ? (
            <CountdownPill kickOff={draw.gameDate} timezone={draw.timezone} view="page" />
          ) : null}
          {chip ? <span className={`badge task-chip is-${chip.tone}`}>{chip.text}</span> : null}
        </div>
        <h3 title={teamsText(draw)}>{shortGameText(draw, clubName)}</h3>
        <p className="meta">
          {[draw.league, gameTimeText(draw), formatDollars(decimalToCents(draw.ticketPrice))]
            .filter(Boolean)
            .join(', ')}
        </p>
      </div>
      <div className="draw-item-sales">
        <p>
          <strong>
            {draw.ticketsSold} of {TICKETS_PER_DRAW}
          </strong>
          , prize {prizeText(draw)}
          {won}
        </p>
        <div className="progress pace-bar">
          <span style={{ '--part': draw.ticketsSold / TICKETS_PER_DRAW } as CSSProperties} />
          {list === 'active' && pace ? (
            <i
              style={{ left: `${(pace.lastSold / TICKETS_PER_DRAW) * 100}%` }}
              title={`Last game: ${pace.lastSold} at this time`}
            />
          ) : null}
        </div>
        {compared ? <p className="meta">{compared}</p> : null}
      </div>
      <div className="draw-item-menu">
        {list === 'active' ? (
          <button type="button" className="btn small sec share-button" onClick={onShare}>
            <ShareIcon />
            <span>{C.shareLink}</span>
          </button>
        ) : null}
        <ActionsMenu of={teamsText(draw)} items={drawMenuItems(props, list)} />
      </div>
      <div className="draw-item-main">
        {list === 'awaiting' && props.sells ? (
          <Link className="btn small" href={results}>
            {C.enterResults}
          </Link>
        ) : null}
        {list === 'completed' && draw.status === 'completed' ? (
          <Link className="btn small sec" href={results}>
            Winner and payout
          </Link>
        ) : null}
      </div>
      {winnersShown ? (
        <WinnersPanel draw={draw.drawNumber} timezone={draw.timezone} namesShown={props.sells} />
      ) : null}
    </article>
  );
}
