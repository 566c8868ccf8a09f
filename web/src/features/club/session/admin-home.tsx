import { useEffect, useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { CLUB_API_PATHS } from '@/api/endpoints/club';
import { isSessionExpiredError } from '@/api/session-expired';
import type { ClubStats } from '@/api/wire-club';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { usePageTitle } from '@/shared/ui/page-title';
import { isNotFoundError, useQuery } from '../data/use-query';
import { ClubPageLayout } from '../frame/club-frame';
import { Redirect, ClubPageSkeleton } from '../frame/club-page';
import { useSession } from './use-session';
import { adminPath, rememberedUser } from './user';

/**
 * Redirects from /admin: a club to its own dashboard, while the operator stays (decision A-4).
 * Without a server response, the empty dashboard is shown.
 */
export function AdminHome() {
  const session = useSession();
  const late = useIsPlaceholderTimeOver();
  if (session.state === 'unknown') return late ? <DashboardWithoutData /> : <ClubPageSkeleton />;
  if (session.state !== 'in') return <DashboardWithoutSession />;
  const { user, clubSlug } = session.whoami;
  if (!user.isAdmin && clubSlug) return <Redirect to={adminPath(clubSlug)} />;
  return <DashboardWithoutClub isAdmin={user.isAdmin} />;
}

/** Milliseconds after which the dashboard without data replaces the placeholders. */
const PLACEHOLDER_SHOWN_MS = 300;

function useIsPlaceholderTimeOver(): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), PLACEHOLDER_SHOWN_MS);
    return () => clearTimeout(timer);
  }, []);
  return late;
}

function DashboardWithoutClub({ isAdmin }: { isAdmin: boolean }) {
  usePageTitle('Dashboard');
  return (
    <ClubPageLayout club={null}>
      <main className="admin" id="main">
        <h1>Dashboard</h1>
        <section className="card">
          <h2>{isAdmin ? 'Signed in as the operator' : 'No club yet'}</h2>
          <p className="lead">
            {isAdmin
              ? 'A club’s own dashboard is at its address; the whole platform is in the console.'
              : 'This login belongs to no club page.'}
          </p>
          {isAdmin ? (
            <div className="actions">
              <Link className="btn" href="/super-admin">
                Super admin console
              </Link>
              <Link className="btn sec" href="/admin/payment-monitoring">
                Payment monitoring
              </Link>
              <Link className="btn sec" href="/admin/stripe-debug">
                Transactions
              </Link>
            </div>
          ) : null}
        </section>
      </main>
    </ClubPageLayout>
  );
}

/**
 * The dashboard without data (decision A-14). The response to the dashboard's own first request
 * decides whether a login is needed.
 */
function DashboardWithoutSession() {
  const { problem } = useQuery<ClubStats>(CLUB_API_PATHS.stats(rememberedUser()?.id ?? 0), {
    opensLogin: false,
  });
  if (isSessionExpiredError(problem) || isNotFoundError(problem))
    return <Redirect to="/admin/login" />;
  return (
    <DashboardWithoutData>
      {problem ? (
        <p className="callout is-warn" role="status">
          The server cannot be reached now. Nothing is lost; try again in a moment.
        </p>
      ) : null}
    </DashboardWithoutData>
  );
}

function DashboardWithoutData({ children }: { children?: ReactNode }) {
  usePageTitle('Dashboard');
  return (
    <ClubPageLayout club={null}>
      <main className="admin" id="main">
        <h1>Dashboard</h1>
        <dl className="stat-cards">
          {[C.totalRevenue, C.ticketsSold, C.clubProfit].map((label) => (
            <div className="card stat" key={label}>
              <dt>{label}</dt>
              <dd>–</dd>
            </div>
          ))}
        </dl>
        {children}
      </main>
    </ClubPageLayout>
  );
}
