import { useSetAtom } from 'jotai';
import { useState } from 'react';
import { CLUB_API_PATHS, acceptTerms } from '@/api/endpoints/club';
import type { TermsText } from '@/api/wire-club';
import { splitTitle } from '@/shared/split-title';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { Dialog } from '@/shared/ui/dialog';
import { CheckboxField } from '@/shared/ui/field';
import { LoadFailed } from '@/shared/ui/load-failed';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { useQuery } from '../data/use-query';
import { useMutation } from '../session/use-session';

interface ServiceTermsProps {
  club: number;
  open: boolean;
  /** Button label of the action that follows the agreement. */
  purpose: string;
  onClose: () => void;
  onAgreed: () => Promise<void>;
}

/**
 * Asks the club to agree to the Terms of Service before a draw is published. The agreement is
 * recorded first (specification line B:144).
 */
export function ServiceTermsDialog({ club, open, purpose, onClose, onAgreed }: ServiceTermsProps) {
  const {
    data: terms,
    problem,
    retry,
  } = useQuery<TermsText>(open ? CLUB_API_PATHS.serviceTerms : null);
  const [agreed, setAgreed] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const { pending, run } = useMutation();
  const showToast = useSetAtom(showToastAtom);
  const proceed = () => {
    // The club cannot agree before the terms have loaded.
    if (!terms) return;
    if (!agreed) {
      setError(C.agreementRequired);
      showToast({ ...splitTitle(C.agreementRequired), bad: true });
      document.getElementById('agree-terms')?.focus();
      return;
    }
    setError(null);
    void run(
      async () => {
        await acceptTerms(club, terms.version);
        await onAgreed();
      },
      () => {
        setError(C.agreementFailed);
        showToast({ title: C.agreementFailed, bad: true });
      },
    );
  };
  return (
    <Dialog title="Terms of Service" open={open} onClose={onClose}>
      <div className="terms-text" tabIndex={0} role="region" aria-label="The terms">
        {terms ? (
          terms.text
            .split(/\n{2,}/)
            .map((paragraph) => <p key={paragraph.slice(0, 60)}>{paragraph}</p>)
        ) : (
          <TermsSummary />
        )}
      </div>
      {!terms && problem ? <LoadFailed title="The terms did not load." onRetry={retry} /> : null}
      <CheckboxField id="agree-terms" checked={agreed} error={error} onChecked={setAgreed}>
        I have read and agree to the Terms of Service
      </CheckboxField>
      <div className="confirm-actions">
        <button type="button" className="btn sec" onClick={onClose}>
          Cancel
        </button>
        <button type="button" className="btn" aria-disabled={pending || !terms} onClick={proceed}>
          {purpose}
        </button>
      </div>
    </Dialog>
  );
}

/** Summary shown until the full text has loaded. */
function TermsSummary() {
  return (
    <>
      <p>
        Your club runs this draw, keeps the ticket money and pays the winner directly. The platform
        takes its fee; Stripe processes the payments.
      </p>
      <p>
        Buyers must be 18 or older and in Australia. Winners are told by e-mail and phone and have 7
        days to respond.
      </p>
    </>
  );
}
