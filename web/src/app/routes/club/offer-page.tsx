import '@/features/club/dashboard/dashboard.css';
import type { PageProps } from '@/app/page-props';
import { ClubPage } from '@/features/club/frame/club-page';
import { OfferPage } from '@/features/club/offers/offer-editor';

export function Page({ params }: PageProps) {
  const id = params.offer === undefined ? null : Number(params.offer);
  return (
    <ClubPage slug={params.slug} page={`bundles/${params.offer ?? 'new'}`}>
      {(here) => <OfferPage here={here} id={id} />}
    </ClubPage>
  );
}
