import '@/features/club/dashboard/dashboard.css';
import type { PageProps } from '@/app/page-props';
import { ClubPage } from '@/features/club/frame/club-page';
import { PeoplePage } from '@/features/club/people/people';

export function Page({ params }: PageProps) {
  return (
    <ClubPage slug={params.slug} page="people">
      {(here) => <PeoplePage here={here} />}
    </ClubPage>
  );
}
