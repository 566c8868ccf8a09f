import '@/features/club/dashboard/dashboard.css';
import type { PageProps } from '@/app/page-props';
import { ActivityPage } from '@/features/club/activity/activity';
import { ClubPage } from '@/features/club/frame/club-page';

export function Page({ params }: PageProps) {
  return (
    <ClubPage slug={params.slug} page="activity">
      {(here) => <ActivityPage here={here} />}
    </ClubPage>
  );
}
