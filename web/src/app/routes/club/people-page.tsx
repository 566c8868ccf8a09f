import '@/features/club/dashboard/dashboard.css';
import type { PageProps } from '@/app/page-props';
import { ClubPage } from '@/features/club/frame/club-page';
import { People } from '@/features/club/people/people';

export function Page({ params }: PageProps) {
  return (
    <ClubPage slug={params.slug} page="people">
      {(here) => <People here={here} />}
    </ClubPage>
  );
}
