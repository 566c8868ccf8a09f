import '@/features/club/dashboard/dashboard.css';
import { useEffect } from 'react';
import type { PageProps } from '@/app/page-props';
import { EditDraw } from '@/features/club/draw-form/edit-draw';
import { ClubPage } from '@/features/club/frame/club-page';

/** Both spellings of its address show it; the one that lasts is edit-draw (decision A-3). */
export function Page({ params }: PageProps) {
  const number = Number(params.draw);
  useEffect(() => {
    const link = Object.assign(document.createElement('link'), { rel: 'canonical', href: `${window.location.origin}/admin/edit-draw/${number}` });
    document.head.append(link);
    return () => link.remove();
  }, [number]);
  return <ClubPage slug={params.slug} page={`edit-draw/${number}`}>{(here) => <EditDraw here={here} number={number} />}</ClubPage>;
}
