import './dashboard.css';
import { useSetAtom } from 'jotai';
import { useState } from 'react';
import { CLUB_API_PATHS } from '@/api/endpoints/club';
import type { Draw } from '@/api/wire';
import type { ClubTask, DrawPace } from '@/api/wire-club';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { Field } from '@/shared/ui/field';
import { LoadFailed } from '@/shared/ui/load-failed';
import { usePageTitle } from '@/shared/ui/page-title';
import { showToastAtom, type Toast } from '@/shared/ui/toast-atoms';
import { CreateDrawButton, archivedText } from '../frame/club-frame';
import { CookieBanner } from '../frame/cookie-banner';
import type { ClubPageContext } from '../frame/club-page';
import { useIsWideViewport } from '../frame/use-wide';
import { useQuery } from '../data/use-query';
import { canSell, isOwner } from '../session/roles';
import { CancelDrawDialog } from './cancel-draw-dialog';
import { DrawDetailsDialog } from './details-dialog';
import { DrawItem, type DrawItemProps } from './draw-item';
import { DrawTable, filteredDraws } from './draw-table';
import { HomepageCard } from './homepage-card';
import { PaymentSetupCard } from './payment-card';
import { SignedInMemberText, AccountStatusNotice } from './account-notices';
import { ShareKitDialog } from './share-kit';
import { StatCards } from './stat-cards';
import { StartSteps } from './start-steps';
import { prizeChipOf } from './tasks';
import { ToDoList } from './to-do';
import { DASHBOARD_POLL_INTERVAL_MS, useDashboardDraws } from './use-club-draws';
import { useDrawActions } from './use-draw-actions';

/** Number of completed draws that are listed before "Show all". */
const COMPLETED_ROWS_SHOWN = 10;
/** From this number of draws on, a phone shows a search field; a wide screen has the table. */
const SEARCH_FROM_DRAWS = 8;

export interface DashboardProps {
  here: ClubPageContext;
  /** Shares a draw, with the same function as the public pages. */
  onShare: (draw: Draw) => Promise<Toast | null>;
}

/**
 * The club's dashboard: what there is to do, the draws on sale and the completed ones. Beside them
 * the sums and the page and payment cards. A new club sees its first steps instead.
 */
export function Dashboard({ here: { club, user }, onShare }: DashboardProps) {
  usePageTitle(`${club.name} dashboard`);
  const { draws, problem, retry } = useDashboardDraws(club.id);
  const actions = useDrawActions(club.id);
  const showToast = useSetAtom(showToastAtom);
  const [detailed, setDetailed] = useState<number | null>(null);
  const [shared, setShared] = useState<number | null>(null);
  const wide = useIsWideViewport();
  const [table, setTable] = useState(false);
  const [search, setSearch] = useState('');
  const [allShown, setAllShown] = useState(false);
  const [cancelling, setCancelling] = useState<Draw | null>(null);
  const [winners, setWinners] = useState<ReadonlySet<number>>(new Set());
  const toggle = (number: number) =>
    setWinners(
      new Set(
        winners.has(number)
          ? [...winners].filter((shown) => shown !== number)
          : [...winners, number],
      ),
    );
  const { data: tasks } = useQuery<ClubTask[]>(CLUB_API_PATHS.tasks(club.id), {
    intervalMs: DASHBOARD_POLL_INTERVAL_MS,
  });
  const { data: pace } = useQuery<DrawPace[]>(CLUB_API_PATHS.pace(club.id), {
    intervalMs: DASHBOARD_POLL_INTERVAL_MS,
  });
  const propsOf = (draw: Draw): DrawItemProps => ({
    draw,
    slug: club.slug,
    clubName: club.name,
    sells: canSell(club),
    off: archivedText(club),
    actions,
    winnersShown: winners.has(draw.drawNumber),
    pace: pace?.find(({ drawNumber }) => drawNumber === draw.drawNumber),
    chip: prizeChipOf(tasks, draw.drawNumber),
    onShare: () => void onShare(draw).then((toast) => toast && showToast(toast)),
    onShareKit: () => setShared(draw.drawNumber),
    onDetails: () => setDetailed(draw.drawNumber),
    onWinners: () => toggle(draw.drawNumber),
    onCancel: () => setCancelling(draw),
  });
  const all = draws ? [...draws.awaiting, ...draws.active, ...draws.completed] : [];
  const asTable = wide && table && all.length > 0;
  const isNew = draws !== undefined && all.length === 0 && isOwner(club) && !club.archived;
  const found = (list: readonly Draw[]) => filteredDraws(list, search);
  const rows = (list: readonly Draw[]) => (
    <div>
      {list.map((draw) => (
        <DrawItem key={draw.drawNumber} {...propsOf(draw)} />
      ))}
    </div>
  );
  const completed = found(draws?.completed ?? []);
  const completedShown =
    allShown || search.trim() !== '' ? completed : completed.slice(0, COMPLETED_ROWS_SHOWN);
  return (
    <main className="admin dashboard" id="main" aria-busy={!draws && !problem}>
      <div className="admin-head">
        <h1>Dashboard</h1>
        {wide && all.length > 0 ? (
          <button
            type="button"
            className="btn small sec"
            aria-pressed={table}
            onClick={() => setTable(!table)}
          >
            Table view
          </button>
        ) : null}
      </div>
      <SignedInMemberText user={user} />
      <AccountStatusNotice user={user} />
      <div className="dashboard-columns">
        <div className="dashboard-main">
          {isNew ? <StartSteps club={club} user={user} /> : null}
          {isNew || !draws ? null : (
            <ToDoList
              club={club}
              tasks={tasks}
              awaitingCount={draws.awaiting.length}
              awaiting={rows(draws.awaiting)}
            />
          )}
          {!wide && all.length > SEARCH_FROM_DRAWS ? (
            <Field
              id="draw-search"
              label="Find a draw"
              type="search"
              value={search}
              onValue={setSearch}
            />
          ) : null}
          {asTable ? <DrawTable draws={all} propsOf={propsOf} /> : null}
          {!draws && problem ? (
            <LoadFailed title={S.failedToLoadDraws} onRetry={retry} />
          ) : asTable || isNew ? null : draws ? (
            <section aria-labelledby="list-active">
              <h2 id="list-active">Active Draws</h2>
              {found(draws.active).length === 0 ? (
                <p className="card empty">
                  {search.trim() !== ''
                    ? 'No draw on sale matches.'
                    : all.length > 0 || !canSell(club)
                      ? 'No draw is on sale now.'
                      : 'No draws yet – create your first'}
                </p>
              ) : (
                <div className="card draw-list">{rows(found(draws.active))}</div>
              )}
            </section>
          ) : (
            <span className="skeleton" style={{ height: 220 }} />
          )}
          {asTable || completed.length === 0 ? null : (
            <section aria-labelledby="list-completed">
              <h2 id="list-completed">Completed Draws</h2>
              <div className="card draw-list">
                {rows(completedShown)}
                {completedShown.length < completed.length ? (
                  <button type="button" className="link-button" onClick={() => setAllShown(true)}>
                    Show all {completed.length}
                  </button>
                ) : null}
              </div>
            </section>
          )}
        </div>
        <div className="dashboard-side">
          {isNew ? null : (
            <StatCards
              club={club.id}
              changeKey={all.map(({ ticketsSold, status }) => `${ticketsSold} ${status}`).join()}
            />
          )}
          <HomepageCard club={club} />
          <PaymentSetupCard club={club} />
          <CookieBanner />
        </div>
      </div>
      {canSell(club) && !isNew ? (
        <div className="sticky-bar phone-only">
          <CreateDrawButton club={club} className="btn" at="bar" />
        </div>
      ) : null}
      <DrawDetailsDialog
        draw={all.find(({ drawNumber }) => drawNumber === detailed) ?? null}
        onClose={() => setDetailed(null)}
      />
      <ShareKitDialog
        draw={all.find(({ drawNumber }) => drawNumber === shared) ?? null}
        clubName={club.name}
        onClose={() => setShared(null)}
      />
      <CancelDrawDialog club={club.id} draw={cancelling} onClose={() => setCancelling(null)} />
    </main>
  );
}
