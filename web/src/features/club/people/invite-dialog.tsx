import { useSetAtom } from 'jotai';
import { useState, type FormEvent } from 'react';
import { CLUB_API_PATHS, inviteMember } from '@/api/endpoints/club';
import { HttpError } from '@/api/http';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { Dialog } from '@/shared/ui/dialog';
import { Field } from '@/shared/ui/field';
import { ProblemList } from '@/shared/ui/problem-list';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { markPathsChangedAtom } from '../data/query-atoms';
import { fieldProblemsOfError, errorText } from '../data/error-text';
import { useFormProblems } from '../data/use-form-problems';
import { useMutation } from '../session/use-session';
import { EMPTY_INVITATION, invitationProblems } from './people-rules';
import { RoleChoice } from './role-choice';

/**
 * Dialog that invites a member by e-mail. Members choose their own password on the page that the
 * e-mailed link opens.
 */
export function InviteDialog({
  club,
  open,
  onClose,
}: {
  club: number;
  open: boolean;
  onClose: () => void;
}) {
  return (
    <Dialog title="Invite somebody" open={open} onClose={onClose}>
      <InviteForm club={club} onDone={onClose} />
    </Dialog>
  );
}

function InviteForm({ club, onDone }: { club: number; onDone: () => void }) {
  const [invitation, setInvitation] = useState(EMPTY_INVITATION);
  const [refusal, setRefusal] = useState<string | null>(null);
  const { problems, list, errorOf, report } = useFormProblems();
  const { pending, run } = useMutation();
  const showToast = useSetAtom(showToastAtom);
  const changed = useSetAtom(markPathsChangedAtom);
  const refuse = (error: unknown) => {
    const emailTaken =
      error instanceof HttpError && error.code === 'email-in-use'
        ? [{ field: 'invite-email', text: errorText(error, C.pleaseTryAgain) }]
        : [];
    const wrong = [...fieldProblemsOfError(error, (field) => `invite-${field}`), ...emailTaken];
    if (wrong.length > 0) return void report(wrong);
    setRefusal(errorText(error, C.pleaseTryAgain));
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    setRefusal(null);
    if (!report(invitationProblems(invitation))) return;
    void run(async () => {
      const person = await inviteMember(club, {
        ...invitation,
        name: invitation.name.trim(),
        email: invitation.email.trim(),
      });
      changed(CLUB_API_PATHS.people(club));
      showToast(
        person.state === 'active'
          ? { title: `${person.name} is one of your people already` }
          : { title: 'Invitation sent', text: `${person.email} has a link to choose a password.` },
      );
      onDone();
    }, refuse);
  };
  return (
    <form onSubmit={onSubmit} noValidate>
      <ProblemList problems={problems} ref={list} />
      {refusal ? (
        <p className="callout is-bad" role="alert">
          {refusal}
        </p>
      ) : null}
      <Field
        id="invite-name"
        label="Name"
        autoComplete="off"
        maxLength={100}
        enterKeyHint="next"
        value={invitation.name}
        error={errorOf('invite-name')}
        onValue={(name) => setInvitation({ ...invitation, name })}
      />
      <Field
        id="invite-email"
        label="Email"
        type="email"
        inputMode="email"
        autoComplete="off"
        autoCapitalize="none"
        value={invitation.email}
        error={errorOf('invite-email')}
        onValue={(email) => setInvitation({ ...invitation, email })}
      />
      <RoleChoice
        id="invite-role"
        role={invitation.role}
        onRole={(role) => setInvitation({ ...invitation, role })}
      />
      <div className="confirm-actions">
        <button type="submit" className="btn" aria-disabled={pending}>
          Send invitation
        </button>
      </div>
    </form>
  );
}
