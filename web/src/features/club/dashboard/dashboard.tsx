import './dashboard.css';
import { useSetAtom } from 'jotai';
import { useState } from 'react';
import type { Draw } from '@/api/wire';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { LoadFailed } from '@/shared/ui/load-failed';
import { usePageTitle } from '@/shared/ui/page-title';
import { showToastAtom, type Toast } from '@/shared/ui/toast-atoms';
import { CreateDrawButton, archivedText } from '../frame/club-frame';
import { CookieBanner } from '../frame/cookie-banner';
import type { ClubPageContext } from '../frame/club-page';
import { useIsWideViewport } from '../frame/use-wide';
import { canSell } from '../session/roles';
import { DrawDetailsDialog } from './details-dialog';
import { DrawItem, type DrawItemProps } from './draw-item';
import { DrawTable } from './draw-table';
import type { DrawListName } from './draw-labels';
import { HomepageCard } from './homepage-card';
import { PaymentSetupCard } from './payment-card';
import { SignedInMemberText, AccountStatusNotice } from './account-notices';
import { StatCards } from './stat-cards';
import { useDashboardDraws } from './use-club-draws';
import { useDrawActions } from './use-draw-actions';

export interface DashboardProps {
  here: ClubPageContext;
  /** Shares a draw, with the same function as the public pages. */
  onShare: (draw: Draw) => Promise<Toast | null>;
}

/**
 * The club's dashboard. Draws that await a result come first, then draws on sale, sums, the page
 * and payment cards, and completed draws.
 */
export function Dashboard({ here: { club, user }, onShare }: DashboardProps) {
  usePageTitle(`${club.name} dashboard`);
  const { draws, problem, retry } = useDashboardDraws(club.id);
  const actions = useDrawActions(club.id);
  const showToast = useSetAtom(showToastAtom);
  const [detailed, setDetailed] = useState<number | null>(null);
  const wide = useIsWideViewport();
  const [table, setTable] = useState(false);
  const [winners, setWinners] = useState<ReadonlySet<number>>(new Set());
  const toggle = (number: number) =>
    setWinners(
      new Set(
        winners.has(number)
          ? [...winners].filter((shown) => shown !== number)
          : [...winners, number],
      ),
    );
  const propsOf = (draw: Draw): DrawItemProps => ({
    draw,
    slug: club.slug,
    sells: canSell(club),
    off: archivedText(club),
    actions,
    winnersShown: winners.has(draw.drawNumber),
    onShare: () => void onShare(draw).then((toast) => toast && showToast(toast)),
    onDetails: () => setDetailed(draw.drawNumber),
    onWinners: () => toggle(draw.drawNumber),
  });
  const list = (name: DrawListName, title: string, lead?: string, none?: string) => {
    const of = draws?.[name] ?? [];
    if (of.length === 0 && !none) return null;
    return (
      <section aria-labelledby={`list-${name}`}>
        <h2 id={`list-${name}`}>{title}</h2>
        {lead ? <p className="lead list-lead">{lead}</p> : null}
        {of.length === 0 ? <p className="card empty">{none}</p> : null}
        <div className="draw-items">
          {of.map((draw) => (
            <DrawItem key={draw.drawNumber} {...propsOf(draw)} />
          ))}
        </div>
      </section>
    );
  };
  const all = draws ? [...draws.awaiting, ...draws.active, ...draws.completed] : [];
  const asTable = wide && table && all.length > 0;
  const some = draws && draws.active.length + draws.awaiting.length + draws.completed.length > 0;
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
      <CookieBanner />
      <SignedInMemberText user={user} />
      <AccountStatusNotice user={user} />
      {asTable ? (
        <DrawTable draws={all} propsOf={propsOf} />
      ) : (
        list(
          'awaiting',
          'Draws Awaiting Results',
          canSell(club)
            ? C.gamesFinishedEnter
            : 'Games have finished. A seller or an owner enters their results.',
        )
      )}
      {!draws && problem ? (
        <LoadFailed title={S.failedToLoadDraws} onRetry={retry} />
      ) : asTable ? null : draws ? (
        list(
          'active',
          'Active Draws',
          undefined,
          some || !canSell(club) ? 'No draw is on sale now.' : 'No draws yet – create your first',
        )
      ) : (
        <span className="skeleton" style={{ height: 220 }} />
      )}
      <StatCards
        club={club.id}
        changeKey={all.map(({ ticketsSold, status }) => `${ticketsSold} ${status}`).join()}
      />
      <div className="side-cards">
        <HomepageCard club={club} />
        <PaymentSetupCard club={club} />
      </div>
      {asTable ? null : list('completed', 'Completed Draws')}
      {canSell(club) ? (
        <div className="sticky-bar phone-only">
          <CreateDrawButton club={club} className="btn" at="bar" />
        </div>
      ) : null}
      <DrawDetailsDialog
        draw={all.find(({ drawNumber }) => drawNumber === detailed) ?? null}
        onClose={() => setDetailed(null)}
      />
    </main>
  );
}
