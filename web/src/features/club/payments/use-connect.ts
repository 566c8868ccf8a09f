import { useSetAtom } from 'jotai';
import { startStripeOnboarding } from '@/api/endpoints/club';
import { HttpError } from '@/api/http';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { errorText } from '../data/error-text';
import { useMutation } from '../session/use-session';

/** Requests a single-use link and opens the payment provider's onboarding pages. */
export function useStripeOnboarding(
  club: number,
  leave: (url: string) => void = (url) => window.location.assign(url),
) {
  const { pending, run } = useMutation();
  const showToast = useSetAtom(showToastAtom);
  const connect = () =>
    run(
      async () => leave((await startStripeOnboarding(club)).onboardingUrl),
      (error) => {
        const platform =
          error instanceof HttpError &&
          (error.body.setupRequired === true || error.code === 'setup-required');
        const title = platform ? C.platformSetupRequired : C.setupFailed;
        const text = errorText(error, C.pleaseTryAgain);
        showToast({ title, text: text === title ? C.pleaseTryAgain : text, bad: true });
      },
    );
  return { pending, connect };
}
