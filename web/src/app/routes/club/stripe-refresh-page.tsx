import type { PageProps } from '@/app/page-props';
import { ClubPage } from '@/features/club/frame/club-page';
import { StripeRefreshPage } from '@/features/club/payments/connect-refresh';

export function Page({ params }: PageProps) {
  return (
    <ClubPage slug={params.slug} page="">
      {(here) => <StripeRefreshPage here={here} />}
    </ClubPage>
  );
}
