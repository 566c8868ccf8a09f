import type { PageProps } from '@/app/page-props';
import { shareOrCopy, shareContentOf } from '@/features/buyer/site/share';
import { Dashboard } from '@/features/club/dashboard/dashboard';
import { ClubPage } from '@/features/club/frame/club-page';

/** A club's dashboard. Its share button uses the share text of the draw's public page. */
export function Page({ params }: PageProps) {
  return (
    <ClubPage slug={params.slug} page="">
      {(here) => (
        <Dashboard
          here={here}
          onShare={(draw) => shareOrCopy(shareContentOf(draw, window.location.origin))}
        />
      )}
    </ClubPage>
  );
}
