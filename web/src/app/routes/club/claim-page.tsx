import '@/features/club/dashboard/dashboard.css';
import type { PageProps } from '@/app/page-props';
import { Claim } from '@/features/club/claim/claim';

export function Page({ params }: PageProps) {
  return <Claim fromPath={params.token} />;
}
