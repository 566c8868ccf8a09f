import '@/features/club/dashboard/dashboard.css';
import type { PageProps } from '@/app/page-props';
import { ClubPage } from '@/features/club/frame/club-page';
import { OfferList } from '@/features/club/offers/offer-list';

export function Page({ params }: PageProps) {
  return (
    <ClubPage slug={params.slug} page="bundles">
      {(here) => <OfferList here={here} />}
    </ClubPage>
  );
}
