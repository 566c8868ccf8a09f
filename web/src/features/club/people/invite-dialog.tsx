import { useSetAtom } from 'jotai';
import { useState, type FormEvent } from 'react';
import { CLUB_PATHS, invite } from '@/api/endpoints/club';
import { HttpError } from '@/api/http';
import { C } from '@/shared/strings-club';
import { Dialog } from '@/shared/ui/dialog';
import { Field } from '@/shared/ui/field';
import { ProblemList } from '@/shared/ui/problem-list';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { changedAtom } from '../data/query-atoms';
import { refusedFields, said } from '../data/error-text';
import { useFormProblems } from '../data/use-form-problems';
import { useAction } from '../session/use-session';
import { EMPTY_INVITATION, invitationProblems } from './people-rules';
import { RoleChoice } from './role-choice';

/** Invites a member by e-mail. Members choose their own password behind the link. */
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
  const [wanted, setWanted] = useState(EMPTY_INVITATION);
  const [refusal, setRefusal] = useState<string | null>(null);
  const { problems, list, errorOf, settle } = useFormProblems();
  const { pending, run } = useAction();
  const showToast = useSetAtom(showToastAtom);
  const changed = useSetAtom(changedAtom);
  const refuse = (error: unknown) => {
    const taken =
      error instanceof HttpError && error.code === 'email-in-use'
        ? [{ field: 'invite-email', text: said(error, C.pleaseTryAgain) }]
        : [];
    const wrong = [...refusedFields(error, (field) => `invite-${field}`), ...taken];
    if (wrong.length > 0) return void settle(wrong);
    setRefusal(said(error, C.pleaseTryAgain));
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    setRefusal(null);
    if (!settle(invitationProblems(wanted))) return;
    void run(async () => {
      const person = await invite(club, {
        ...wanted,
        name: wanted.name.trim(),
        email: wanted.email.trim(),
      });
      changed(CLUB_PATHS.people(club));
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
        value={wanted.name}
        error={errorOf('invite-name')}
        onValue={(name) => setWanted({ ...wanted, name })}
      />
      <Field
        id="invite-email"
        label="Email"
        type="email"
        inputMode="email"
        autoComplete="off"
        autoCapitalize="none"
        value={wanted.email}
        error={errorOf('invite-email')}
        onValue={(email) => setWanted({ ...wanted, email })}
      />
      <RoleChoice
        id="invite-role"
        role={wanted.role}
        onRole={(role) => setWanted({ ...wanted, role })}
      />
      <div className="confirm-actions">
        <button type="submit" className="btn" aria-disabled={pending}>
          Send invitation
        </button>
      </div>
    </form>
  );
}
