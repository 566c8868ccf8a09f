import { useSetAtom } from 'jotai';
import { useState } from 'react';
import { CLUB_API_PATHS, recordWinnerPayout, recordPayoutOutcome } from '@/api/endpoints/club';
import type { Payout, Winner } from '@/api/wire-club';
import { dayText } from '@/shared/dates';
import { decimalToCents, formatDollars } from '@/shared/money';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { ConfirmDialog } from '@/shared/ui/confirm-dialog';
import { Field } from '@/shared/ui/field';
import { LoadFailed } from '@/shared/ui/load-failed';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { markPathsChangedAtom } from '../data/query-atoms';
import { errorText } from '../data/error-text';
import { useQuery } from '../data/use-query';
import { useMutation } from '../session/use-session';
import { WinnerBankDetails } from './winner-bank';

const PAYOUT_STATUS_LABELS: Record<string, { text: string; tone: string }> = {
  pending: { text: 'Pending', tone: 'is-awaiting' },
  details_received: { text: 'Details received', tone: 'is-active' },
  completed: { text: 'Completed', tone: 'is-completed' },
  failed: { text: 'Failed', tone: 'is-cancelled' },
};

export function PayoutStatus({ status }: { status: string }) {
  const { text, tone } = PAYOUT_STATUS_LABELS[status] ?? { text: status, tone: '' };
  return <span className={`badge ${tone}`}>{text}</span>;
}

/**
 * Shows the payout: pending, details received, completed or failed. The section only records the
 * payment and moves no money (decision B-4). Only owners see bank details and record payouts
 * (decision G-17).
 */
export function PayoutSection({
  number,
  winner,
  owns,
}: {
  number: number;
  winner: Winner | undefined;
  owns: boolean;
}) {
  const { data: payouts, problem, retry } = useQuery<Payout[]>(CLUB_API_PATHS.payouts(number));
  const changed = useSetAtom(markPathsChangedAtom);
  const reload = () => changed(CLUB_API_PATHS.payouts(number), CLUB_API_PATHS.winners(number));
  const paid =
    winner?.winnerPayoutStatus === 'completed' ||
    payouts?.some(({ type, status }) => type === 'winner' && status === 'completed');
  // A disputed payment delays the prize (decision C-25). A refunded ticket has no prize.
  const disputed = Boolean(winner?.disputed) && !paid;
  const waits = disputed || winner?.sold === false;
  return (
    <section className="card" aria-labelledby="payout-title">
      <div className="admin-head">
        <h2 id="payout-title">{C.payoutManagement}</h2>
        {winner?.sold ? (
          <PayoutStatus status={paid ? 'completed' : (winner.winnerPayoutStatus ?? 'pending')} />
        ) : null}
      </div>
      {winner && !winner.sold ? (
        <p className="lead">No prize is due: nobody bought the winning ticket.</p>
      ) : null}
      {disputed ? (
        <p className="callout is-warn">
          The winner’s payment is disputed by the buyer’s bank. The prize can be paid once that is
          resolved.
        </p>
      ) : null}
      {winner?.sold && !owns ? (
        <p className="lead">
          The owners of the club see the winner’s bank details and record the payout.
        </p>
      ) : null}
      {winner?.sold && owns ? (
        <WinnerBankDetails
          number={number}
          bank={winner.bank}
          paid={Boolean(paid)}
          onChange={reload}
        />
      ) : null}
      {!payouts && problem ? <LoadFailed title="Failed to load payouts" onRetry={retry} /> : null}
      <PayoutList
        number={number}
        payouts={payouts ?? []}
        owns={owns}
        waits={waits}
        due={
          owns &&
          !waits &&
          Boolean(winner?.sold) &&
          payouts !== undefined &&
          !payouts.some(({ type, status }) => type === 'winner' && status !== 'failed')
        }
        onChange={reload}
      />
    </section>
  );
}

interface PayoutListProps {
  number: number;
  payouts: readonly Payout[];
  owns: boolean;
  /** Whether the prize must not be paid now. */
  waits: boolean;
  due: boolean;
  onChange: () => void;
}

function PayoutList({ number, payouts, owns, waits, due, onChange }: PayoutListProps) {
  const [settlingPayout, setSettling] = useState<{
    payout: Payout;
    status: 'completed' | 'failed';
  } | null>(null);
  const [note, setNote] = useState('');
  const { pending, run } = useMutation();
  const showToast = useSetAtom(showToastAtom);
  const complain = (error: unknown) =>
    showToast({ title: C.error, text: errorText(error, C.pleaseTryAgain), bad: true });
  const record = () =>
    run(async () => {
      await recordWinnerPayout(number);
      onChange();
    }, complain);
  const settle = () =>
    settlingPayout &&
    run(async () => {
      await recordPayoutOutcome(settlingPayout.payout.id, settlingPayout.status, note);
      setSettling(null);
      setNote('');
      showToast({
        title:
          settlingPayout.status === 'completed'
            ? 'Payout marked as paid'
            : 'Payout marked as failed',
      });
      onChange();
    }, complain);
  return (
    <>
      <h3>Payouts</h3>
      {payouts.length === 0 && !due ? <p className="lead">None.</p> : null}
      <ul className="payouts">
        {payouts.map((payout) => (
          <li key={payout.id}>
            <div>
              <strong>
                {payout.type === 'winner'
                  ? `Prize for ${payout.recipientName ?? 'the winner'}`
                  : 'Club share'}
              </strong>
              <span className="num">{formatDollars(decimalToCents(payout.amount))}</span>
            </div>
            {/* The club receives its share with each ticket sale, so its payout shows no
                waiting state. */}
            {payout.type === 'winner' || payout.status === 'failed' ? (
              <PayoutStatus status={payout.status} />
            ) : (
              <span className="meta">
                Paid by Stripe to your club’s account as tickets are sold.
              </span>
            )}
            {payout.completedAt ? (
              <span className="meta">{dayText(payout.completedAt)}</span>
            ) : null}
            {payout.note || payout.failureReason ? (
              <span className="meta">{payout.failureReason ?? payout.note}</span>
            ) : null}
            {owns && payout.type === 'winner' && payout.status === 'pending' ? (
              <div className="row-actions">
                {waits ? null : (
                  <button
                    type="button"
                    className="btn small"
                    onClick={() => setSettling({ payout, status: 'completed' })}
                  >
                    Mark as paid
                  </button>
                )}
                <button
                  type="button"
                  className="btn small sec"
                  onClick={() => setSettling({ payout, status: 'failed' })}
                >
                  Mark as failed
                </button>
              </div>
            ) : null}
          </li>
        ))}
      </ul>
      {due ? (
        <div className="row-actions">
          <button
            type="button"
            className="btn small"
            aria-disabled={pending}
            onClick={() => void record()}
          >
            Record the prize payout
          </button>
        </div>
      ) : null}
      <ConfirmDialog
        title={
          settlingPayout?.status === 'failed'
            ? 'Mark this payout as failed?'
            : 'Has the prize been paid?'
        }
        open={settlingPayout !== null}
        confirm={settlingPayout?.status === 'failed' ? 'Mark as failed' : 'Mark as paid'}
        pending={pending}
        onCancel={() => setSettling(null)}
        onConfirm={() => void settle()}
      >
        <p>
          {formatDollars(decimalToCents(settlingPayout?.payout.amount))} to{' '}
          {settlingPayout?.payout.recipientName ?? 'the winner'}. This only records it; no money
          moves from here.
        </p>
        <Field
          id="payout-note"
          label="Note (optional)"
          maxLength={500}
          value={note}
          onValue={setNote}
        />
      </ConfirmDialog>
    </>
  );
}
