import type { PageProps } from '@/app/page-props';
import { ClubPage } from '@/features/club/frame/club-page';
import { ConnectRefresh } from '@/features/club/payments/connect-refresh';

export function Page({ params }: PageProps) {
  return (
    <ClubPage slug={params.slug} page="">
      {(here) => <ConnectRefresh here={here} />}
    </ClubPage>
  );
}
