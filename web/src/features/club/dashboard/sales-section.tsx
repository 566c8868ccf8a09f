import { useAtomValue } from 'jotai';
import { Suspense, lazy } from 'react';
import { CLUB_API_PATHS } from '@/api/endpoints/club';
import type { Draw } from '@/api/wire';
import type { DrawSales } from '@/api/wire-club';
import { nowAtom } from '@/features/shared-live/live-atoms';
import { LoadFailed } from '@/shared/ui/load-failed';
import { useQuery } from '../data/use-query';
import type { SalesChart as LoadedChart } from './sales-chart';

/** How often the sales are read again while they are shown. */
const SALES_POLL_INTERVAL_MS = 60_000;
const SalesChart = lazy<typeof LoadedChart>(() =>
  import('./sales-chart').then(
    (part) => ({ default: part.SalesChart }),
    () => ({
      default: () => <p role="alert">The chart did not load. Reload the page to see it.</p>,
    }),
  ),
);

/** The sales of a draw over time. The chart's code loads when it is shown. */
export function SalesSection({ draw }: { draw: Draw }) {
  const { data, problem, retry } = useQuery<DrawSales>(CLUB_API_PATHS.sales(draw.drawNumber), {
    intervalMs: SALES_POLL_INTERVAL_MS,
  });
  const now = useAtomValue(nowAtom);
  // Whole minutes, so that the chart is not drawn again each second.
  const minutesNow = Math.floor((Date.parse(draw.gameDate) - now) / 60_000);
  const placeholder = <span className="skeleton" style={{ height: 280 }} />;
  return (
    <section aria-labelledby="sales-title">
      <h3 id="sales-title">Sales</h3>
      {!data && problem ? (
        <LoadFailed title="Failed to load the sales" onRetry={retry} />
      ) : !data ? (
        placeholder
      ) : (
        <Suspense fallback={placeholder}>
          <SalesChart sales={data} minutesNow={minutesNow} />
        </Suspense>
      )}
    </section>
  );
}
