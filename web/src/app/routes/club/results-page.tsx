import '@/features/club/dashboard/dashboard.css';
import type { PageProps } from '@/app/page-props';
import { ClubPage } from '@/features/club/frame/club-page';
import { ResultsPage } from '@/features/club/results/results';

export function Page({ params }: PageProps) {
  const number = Number(params.draw);
  return (
    <ClubPage slug={params.slug} page={`results/${number}`}>
      {(here) => <ResultsPage here={here} number={number} />}
    </ClubPage>
  );
}
