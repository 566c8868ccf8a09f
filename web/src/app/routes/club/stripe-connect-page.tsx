import type { PageProps } from '@/app/page-props';
import { ClubPage } from '@/features/club/frame/club-page';
import { StripeReturnPage } from '@/features/club/payments/connect-return';

export function Page({ params }: PageProps) {
  return (
    <ClubPage slug={params.slug} page="">
      {(here) => <StripeReturnPage here={here} />}
    </ClubPage>
  );
}
