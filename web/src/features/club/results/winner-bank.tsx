import { useSetAtom } from 'jotai';
import { useState } from 'react';
import { removeProposedWinnerBank, saveWinnerBank } from '@/api/endpoints/club';
import type { MaskedBankDetails, PendingApproval } from '@/api/wire-club';
import { dayText } from '@/shared/dates';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { errorText } from '../data/error-text';
import { useMutation } from '../session/use-session';
import { BankDetailsForm } from './bank-form';
import { BankDetailsReveal } from './reveal-bank';

interface WinnerBankDetailsProps {
  number: number;
  bank: MaskedBankDetails | null;
  paid: boolean;
  onChange: () => void;
}

/**
 * Shows the bank account for the prize. Details that the winner gave are replaced only after two
 * people have entered the same new details.
 */
export function WinnerBankDetails({ number, bank, paid, onChange }: WinnerBankDetailsProps) {
  const [typing, setTyping] = useState(false);
  const showToast = useSetAtom(showToastAtom);
  const pending = paid ? null : (bank?.pendingApproval ?? null);
  return (
    <>
      {bank ? (
        <>
          <BankDetailList bank={bank} source={bank.from} />
          {paid ? null : <BankDetailsReveal number={number} />}
        </>
      ) : (
        <p className="lead">Not received yet.</p>
      )}
      {pending ? (
        <ProposedBankDetails
          number={number}
          pending={pending}
          onApprove={() => setTyping(true)}
          onChange={onChange}
        />
      ) : null}
      {paid ? null : typing ? (
        <>
          {bank?.from === 'winner' && !pending ? (
            <p className="callout">
              The winner gave these bank details. A second person has to enter the same new details
              before they replace them, and the winner is e-mailed.
            </p>
          ) : null}
          <BankDetailsForm
            submitLabel="Save bank details"
            send={async (details) => {
              const { pendingApproval } = await saveWinnerBank(number, details);
              setTyping(false);
              showToast(
                pendingApproval
                  ? {
                      title: 'A second person has to approve',
                      text: 'The winner’s own details stay until then.',
                    }
                  : { title: 'Bank details saved' },
              );
              onChange();
            }}
          />
        </>
      ) : pending ? null : (
        <div className="row-actions">
          <button type="button" className="btn small sec" onClick={() => setTyping(true)}>
            {bank ? 'Replace bank details' : 'Enter bank details'}
          </button>
        </div>
      )}
    </>
  );
}

function BankDetailList({
  bank: { accountName, bsb, accountNumber },
  source,
}: {
  bank: Pick<MaskedBankDetails, 'accountName' | 'bsb' | 'accountNumber'>;
  source?: string;
}) {
  return (
    <dl className="facts">
      <dt>Account name</dt>
      <dd>{accountName}</dd>
      <dt>BSB</dt>
      <dd>{bsb}</dd>
      <dt>Account number</dt>
      <dd>{accountNumber}</dd>
      {source ? (
        <>
          <dt>From</dt>
          <dd>the {source}</dd>
        </>
      ) : null}
    </dl>
  );
}

/**
 * Bank details that await approval. A second person approves them by entering the same details; an
 * owner or the operator can remove them.
 */
function ProposedBankDetails({
  number,
  pending,
  onApprove,
  onChange,
}: {
  number: number;
  pending: PendingApproval;
  onApprove: () => void;
  onChange: () => void;
}) {
  const { pending: running, run } = useMutation();
  const showToast = useSetAtom(showToastAtom);
  const decline = () =>
    run(
      async () => {
        await removeProposedWinnerBank(number);
        showToast({
          title: pending.isOwn ? 'Change withdrawn' : 'Change declined',
          text: 'The winner’s own details stay.',
        });
        onChange();
      },
      (error) => showToast({ title: C.error, text: errorText(error, C.pleaseTryAgain), bad: true }),
    );
  return (
    <section className="callout is-warn" aria-labelledby="proposal-title">
      <h4 id="proposal-title">New bank details wait for a second person</h4>
      <BankDetailList bank={pending} />
      <p>
        {pending.isOwn
          ? 'You entered these details. Another owner of the club, or the platform operator, has to enter the same'
          : 'Somebody else entered these details. Ask the winner whether they are right. To approve them, enter the same'}{' '}
        until {dayText(pending.expiresAt)}. Until then the winner’s own details stay.
      </p>
      <div className="row-actions">
        {pending.isOwn ? null : (
          <button type="button" className="btn small" onClick={onApprove}>
            Enter the same details
          </button>
        )}
        <button
          type="button"
          className="btn small sec"
          aria-disabled={running}
          onClick={() => void decline()}
        >
          {pending.isOwn ? 'Withdraw' : 'Decline'}
        </button>
      </div>
    </section>
  );
}
