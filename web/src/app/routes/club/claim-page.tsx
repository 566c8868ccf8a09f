import '@/features/club/dashboard/dashboard.css';
import type { PageProps } from '@/app/page-props';
import { PrizeClaimPage } from '@/features/club/claim/claim';

export function Page({ params }: PageProps) {
  return <PrizeClaimPage fromPath={params.token} />;
}
