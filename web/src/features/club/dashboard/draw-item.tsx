import { useAtomValue } from 'jotai';
import { Link } from 'wouter';
import type { Draw } from '@/api/wire';
import { CountdownPill } from '@/features/shared-live/countdown-pill';
import { nowAtom } from '@/features/shared-live/live-atoms';
import { TICKETS_PER_DRAW } from '@/shared/draw-size';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { ActionsMenu, type ActionsMenuItem } from '../frame/actions-menu';
import { adminPath } from '../session/user';
import {
  drawBadgesOf,
  drawListNameOf,
  prizeText,
  grossSalesText,
  teamsText,
  gameTimeText,
} from './draw-labels';
import type { DrawListName } from './draw-labels';
import type { DrawActions } from './use-draw-actions';
import { WinnersPanel } from './winners-panel';

export interface DrawItemProps {
  draw: Draw;
  slug: string;
  /** Whether the user may change the draw and download the list of its buyers. */
  sells: boolean;
  /** Why actions that change the draw are disabled; null when they are enabled. */
  off: string | null;
  actions: DrawActions;
  winnersShown: boolean;
  onShare: () => void;
  onDetails: () => void;
  onWinners: () => void;
}

/**
 * Returns the menu entries of a draw for the list that it is in (specification lines B:50-54). A
 * cancelled draw has no entry for winners.
 */
export function drawMenuItems(
  { draw, slug, sells, off, actions, winnersShown, onShare, onDetails, onWinners }: DrawItemProps,
  list: DrawListName,
): ActionsMenuItem[] {
  const results = { label: C.enterResults, href: adminPath(slug, `results/${draw.drawNumber}`) };
  const view = { label: C.viewPublic, href: `/draw/${draw.drawNumber}`, away: true };
  const details = { label: C.details, onChoose: onDetails };
  const selling = (...items: ActionsMenuItem[]) => (sells ? items : []);
  if (list === 'active')
    return [
      { label: C.shareLink, onChoose: onShare },
      ...selling({ label: C.editDraw, href: adminPath(slug, `edit-draw/${draw.drawNumber}`), off }),
      view,
      details,
      ...selling(results),
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

/** One draw with its main action and a menu for the other actions. */
export function DrawItem(props: DrawItemProps) {
  const { draw, slug, winnersShown, onShare } = props;
  const now = useAtomValue(nowAtom);
  const list = drawListNameOf(draw, now);
  const results = adminPath(slug, `results/${draw.drawNumber}`);
  return (
    <article className={`card draw-item is-${list}`} aria-label={teamsText(draw)}>
      <div className="draw-item-top">
        <span className="badges">
          {drawBadgesOf(draw, now).map(({ text, tone }) => (
            <span className={`badge ${tone}`} key={text}>
              {text}
            </span>
          ))}
        </span>
        {list === 'active' ? (
          <CountdownPill kickOff={draw.gameDate} timezone={draw.timezone} view="page" />
        ) : null}
      </div>
      <h3>{teamsText(draw)}</h3>
      {draw.league ? <p className="meta">{draw.league}</p> : null}
      <p className="meta">{gameTimeText(draw)}</p>
      <dl className="stats">
        <div className="stat">
          <dt>Sold</dt>
          <dd>
            {draw.ticketsSold}/{TICKETS_PER_DRAW}
          </dd>
        </div>
        <div className="stat">
          <dt>Sales</dt>
          <dd>{grossSalesText(draw)}</dd>
        </div>
        <div className="stat">
          <dt>Prize</dt>
          <dd>{prizeText(draw)}</dd>
        </div>
      </dl>
      <div className="draw-item-actions">
        {list === 'active' ? (
          <button type="button" className="btn" onClick={onShare}>
            {C.shareLink}
          </button>
        ) : null}
        {list === 'awaiting' && props.sells ? (
          <Link className="btn" href={results}>
            {C.enterResults}
          </Link>
        ) : null}
        {list === 'completed' && draw.status === 'completed' ? (
          <Link className="btn sec" href={results}>
            Winner and payout
          </Link>
        ) : null}
        <ActionsMenu of={teamsText(draw)} items={drawMenuItems(props, list)} />
      </div>
      {winnersShown ? (
        <WinnersPanel draw={draw.drawNumber} timezone={draw.timezone} namesShown={props.sells} />
      ) : null}
    </article>
  );
}
