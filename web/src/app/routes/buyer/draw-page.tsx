import '@/features/shared-grid/grid.css';
import '@/features/buyer/checkout/checkout.css';
import '@/features/buyer/draw-page/draw-page.css';
import { useAtomValue } from 'jotai';
import { Link } from 'wouter';
import type { PageProps } from '@/app/page-props';
import { BuyPanel } from '@/features/buyer/draw-page/buy-panel';
import { DrawHero } from '@/features/buyer/draw-page/draw-hero';
import { DrawPageDetails } from '@/features/buyer/draw-page/draw-page-details';
import { drawPhaseOf } from '@/features/shared-live/draw-phase';
import { clubBandVariables } from '@/shared/club-colours';
import { nowAtom } from '@/features/shared-live/live-atoms';
import { useLiveDraw } from '@/features/shared-live/use-live';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { LoadFailed } from '@/shared/ui/load-failed';
import { useBelowFold } from '@/shared/ui/use-below-fold';
import { usePageTitle } from '@/shared/ui/page-title';

/** Shows one draw and its purchase form on one screen. */
export function Page({ params }: PageProps) {
  return /^\d+$/.test(params.draw ?? '') ? (
    <DrawPage drawNumber={Number(params.draw)} />
  ) : (
    <DrawNotFound />
  );
}

function DrawPage({ drawNumber }: { drawNumber: number }) {
  const { draw, missing, failed, retry } = useLiveDraw(drawNumber);
  const now = useAtomValue(nowAtom);
  const belowFold = useBelowFold();
  usePageTitle(draw ? `${draw.homeTeam} v ${draw.awayTeam}` : S.brand);
  if (missing) return <DrawNotFound />;
  if (!draw) return <DrawSkeleton failed={failed} onRetry={retry} />;
  const phase = drawPhaseOf(draw, now);
  return (
    <main
      className="wrap draw-layout themed"
      id="main"
      style={clubBandVariables(draw.clubPrimaryColor, draw.clubAccentColor) as React.CSSProperties}
    >
      <DrawHero draw={draw} phase={phase} />
      {belowFold || phase !== 'active' ? <BuyPanel draw={draw} phase={phase} /> : <FormSkeleton />}
      {belowFold ? <DrawPageDetails draw={draw} /> : <div className="more below-fold" />}
    </main>
  );
}

function DrawNotFound() {
  usePageTitle(S.drawNotFound);
  return (
    <main className="plain-page" id="main">
      <h1>{S.drawNotFound}</h1>
      <p>{S.drawNotFoundText}</p>
      <div className="actions">
        <Link className="btn" href="/#live-draws">
          Find Draws
        </Link>
        <Link className="btn sec" href="/">
          Home
        </Link>
      </div>
    </main>
  );
}

function DrawSkeleton({ failed, onRetry }: { failed: boolean; onRetry: () => Promise<void> }) {
  return (
    <main className="wrap draw-layout" id="main" aria-busy={!failed}>
      <section className="card hero">
        <h1 className="sr">{failed ? S.failedToFetchDraw : 'Loading the draw'}</h1>
        {failed ? (
          <LoadFailed title={S.failedToFetchDraw} onRetry={onRetry} />
        ) : (
          <>
            <span className="skeleton" style={{ width: 90, height: 26 }} />
            <span className="skeleton" style={{ width: '80%', height: 30, marginTop: 8 }} />
            <span className="skeleton" style={{ width: '60%', height: 80, marginTop: 8 }} />
          </>
        )}
      </section>
      <FormSkeleton />
    </main>
  );
}

/** The place of the form. The server renders the same. */
function FormSkeleton() {
  return (
    <section className="card buy form-skeleton" aria-hidden="true">
      <span className="skeleton" style={{ height: 50 }} />
      <span className="skeleton" style={{ height: 74 }} />
      <span className="skeleton" style={{ height: 90 }} />
      <span className="skeleton" style={{ height: 48 }} />
    </section>
  );
}
