import '@/features/club/dashboard/dashboard.css';
import type { PageProps } from '@/app/page-props';
import { BuyersPage } from '@/features/club/buyers/buyers';
import { ClubPage } from '@/features/club/frame/club-page';

export function Page({ params }: PageProps) {
  return (
    <ClubPage slug={params.slug} page="buyers">
      {(here) => <BuyersPage here={here} />}
    </ClubPage>
  );
}
