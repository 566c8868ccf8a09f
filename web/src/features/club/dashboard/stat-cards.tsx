import { useEffect, useRef } from 'react';
import { CLUB_API_PATHS } from '@/api/endpoints/club';
import type { ClubStats } from '@/api/wire-club';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { useQuery } from '../data/use-query';
import { signedDollars } from './draw-labels';
import { DASHBOARD_POLL_INTERVAL_MS } from './use-club-draws';

const STATS_RELOAD_DELAY_MS = 1_000;

/**
 * Cards with the club's sums. `changeKey` changes with ticket counts and results from the socket; a
 * change triggers a reload.
 */
export function StatCards({ club, changeKey }: { club: number; changeKey: string }) {
  const { data, retry } = useQuery<ClubStats>(CLUB_API_PATHS.stats(club), {
    intervalMs: DASHBOARD_POLL_INTERVAL_MS,
  });
  const before = useRef(changeKey);
  useEffect(() => {
    if (before.current === changeKey) return;
    before.current = changeKey;
    const timer = setTimeout(() => void retry(), STATS_RELOAD_DELAY_MS);
    return () => clearTimeout(timer);
  }, [changeKey, retry]);
  const cards: { label: string; value: string; note?: string }[] = [
    { label: C.totalRevenue, value: signedDollars(data?.totalRevenue) },
    {
      label: C.ticketsSold,
      value: data ? String(data.ticketsSold) : '–',
      note:
        data && data.ticketsWithoutBuyer > 0
          ? `+${data.ticketsWithoutBuyer} without a buyer`
          : undefined,
    },
    { label: C.clubProfit, value: signedDollars(data?.clubProfit) },
  ];
  return (
    <section aria-label="Totals">
      <dl className="stat-cards">
        {cards.map(({ label, value, note }) => (
          <div className="card stat" key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
            {note ? <dd className="stat-note">{note}</dd> : null}
          </div>
        ))}
      </dl>
      {data?.feesEstimated ? (
        <p className="meta">Card fees that the provider has not stated yet are estimated.</p>
      ) : null}
    </section>
  );
}
