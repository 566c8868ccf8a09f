import { useSetAtom } from 'jotai';
import { useState, type FormEvent } from 'react';
import { useLocation } from 'wouter';
import { joinWaitlist } from '@/api/endpoints/club';
import { HttpError } from '@/api/http';
import type { WaitlistEntry } from '@/api/wire-club';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { Dialog } from '@/shared/ui/dialog';
import { Field } from '@/shared/ui/field';
import { ProblemList } from '@/shared/ui/problem-list';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { fieldProblemsOfError } from '../data/error-text';
import { useFormProblems } from '../data/use-form-problems';
import { waitlistProblems } from './login-rules';

const EMPTY_WAITLIST_ENTRY: WaitlistEntry = {
  clubName: '',
  contactName: '',
  contactEmail: '',
  contactPhone: '',
};
const HOME_REDIRECT_DELAY_MS = 1_000;

/**
 * Waitlist for clubs while registration is closed. After joining, the home page opens
 * (specification line B:18).
 */
export function WaitlistDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [entry, setEntry] = useState(EMPTY_WAITLIST_ENTRY);
  const [refusal, setRefusal] = useState<string | null>(null);
  const [state, setState] = useState<'open' | 'pending' | 'joined'>('open');
  const { problems, list, errorOf, report } = useFormProblems();
  const showToast = useSetAtom(showToastAtom);
  const [, navigate] = useLocation();
  const set = (more: Partial<WaitlistEntry>) => setEntry({ ...entry, ...more });
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    setRefusal(null);
    if (state !== 'open' || !report(waitlistProblems(entry))) return;
    setState('pending');
    try {
      await joinWaitlist(entry);
      setState('joined');
      showToast({ title: 'You are on the waitlist', text: 'We will be in touch.' });
      setTimeout(() => navigate('/'), HOME_REDIRECT_DELAY_MS);
    } catch (error) {
      setState('open');
      const fields = fieldProblemsOfError(error, (field) => `waitlist-${field}`);
      if (fields.length > 0) return void report(fields);
      // After a refusal by the server, the toast does not ask to try again (specification line
      // B:230).
      const text = error instanceof HttpError ? C.waitlistFailed : C.waitlistFailedText;
      setRefusal(C.waitlistFailedText);
      showToast({ title: text, bad: true });
    }
  };
  return (
    <Dialog title="Join the waitlist" open={open} onClose={onClose}>
      {state === 'joined' ? (
        <p role="status">You are on the waitlist. We will be in touch.</p>
      ) : (
        <form onSubmit={(event) => void onSubmit(event)} noValidate>
          <ProblemList problems={problems} ref={list} />
          {refusal ? (
            <p className="callout is-bad" role="alert">
              {refusal}
            </p>
          ) : null}
          <Field
            id="waitlist-clubName"
            name="organization"
            label="Club name"
            autoComplete="organization"
            value={entry.clubName}
            error={errorOf('waitlist-clubName')}
            onValue={(clubName) => set({ clubName })}
          />
          <Field
            id="waitlist-contactName"
            name="name"
            label="Contact name"
            autoComplete="name"
            value={entry.contactName}
            error={errorOf('waitlist-contactName')}
            onValue={(contactName) => set({ contactName })}
          />
          <Field
            id="waitlist-contactEmail"
            name="email"
            label="Contact email"
            type="email"
            inputMode="email"
            autoComplete="email"
            value={entry.contactEmail}
            error={errorOf('waitlist-contactEmail')}
            onValue={(contactEmail) => set({ contactEmail })}
          />
          <Field
            id="waitlist-contactPhone"
            name="tel"
            label="Contact phone"
            type="tel"
            inputMode="tel"
            autoComplete="tel"
            value={entry.contactPhone}
            error={errorOf('waitlist-contactPhone')}
            onValue={(contactPhone) => set({ contactPhone })}
          />
          <div className="actions">
            <button type="submit" className="btn wide" disabled={state === 'pending'}>
              Join waitlist
            </button>
          </div>
        </form>
      )}
    </Dialog>
  );
}
