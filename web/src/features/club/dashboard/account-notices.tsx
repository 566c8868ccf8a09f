import { useSetAtom } from 'jotai';
import { sendVerificationMail } from '@/api/endpoints/club';
import type { User } from '@/api/wire-club';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { errorText } from '../data/error-text';
import { archivedText } from '../frame/club-frame';
import { ROLE_TEXTS, roleOf } from '../session/roles';
import { useMutation, useRefreshWhoami } from '../session/use-session';

/** Notice above the dashboard: the e-mail address is unconfirmed, or the club is archived. */
export function AccountStatusNotice({ user }: { user: User }) {
  const { pending, run } = useMutation();
  const refreshWhoami = useRefreshWhoami();
  const showToast = useSetAtom(showToastAtom);
  if (user.isAdmin) return null;
  if (user.archived) return <p className="callout is-warn">{archivedText(user)}</p>;
  if (user.emailVerified !== false || roleOf(user) !== 'owner') return null;
  const send = () =>
    run(
      async () => {
        showToast({ title: (await sendVerificationMail(user.id)).message });
        // Loads the user again, because the e-mail address may have been confirmed on another
        // device. The reminder then disappears.
        await refreshWhoami();
      },
      (error) => showToast({ title: C.error, text: errorText(error, C.pleaseTryAgain), bad: true }),
    );
  return (
    <div className="callout is-warn reminder">
      <p>Please confirm your email address with the link we sent to {user.email}.</p>
      <button
        type="button"
        className="btn small sec"
        aria-disabled={pending}
        onClick={() => void send()}
      >
        {C.sendAgain}
      </button>
    </div>
  );
}

/** Shows a club member's own login and role. The role explains why some buttons are missing. */
export function SignedInMemberText({ user }: { user: User }) {
  if (!user.memberName) return null;
  const { name, does } = ROLE_TEXTS[roleOf(user)];
  return (
    <p className="lead">
      Signed in as {user.memberName}. <strong>{name}</strong>: {does}
    </p>
  );
}
