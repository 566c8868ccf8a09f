import '@/features/club/dashboard/dashboard.css';
import type { PageProps } from '@/app/page-props';
import { CreateDrawPage } from '@/features/club/draw-form/create-draw';
import { ClubPage } from '@/features/club/frame/club-page';
import { CLUB_TEXTS as C } from '@/shared/strings-club';

const LOGIN_REQUIRED_TOAST = { title: 'Authentication required', text: C.logInToCreate, bad: true };

export function Page({ params }: PageProps) {
  return (
    <ClubPage slug={params.slug} page="create-draw" guestToast={LOGIN_REQUIRED_TOAST}>
      {(here) => <CreateDrawPage here={here} />}
    </ClubPage>
  );
}
