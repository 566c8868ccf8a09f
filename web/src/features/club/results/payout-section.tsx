import { useSetAtom } from 'jotai';
import { useState, type ReactNode } from 'react';
import { CLUB_API_PATHS, undoPayout, notifyWinners, recordPrizePaid } from '@/api/endpoints/club';
import type { OwnDraw, Payout, Winner, WinnersResponse } from '@/api/wire-club';
import { dayAndTime, dayText } from '@/shared/dates';
import { decimalToCents, formatDollars } from '@/shared/money';
import { fillPlaceholders } from '@/shared/strings';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { ConfirmDialog } from '@/shared/ui/confirm-dialog';
import { Field } from '@/shared/ui/field';
import { LoadFailed } from '@/shared/ui/load-failed';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { markPathsChangedAtom } from '../data/query-atoms';
import { errorText } from '../data/error-text';
import { useQuery } from '../data/use-query';
import { canSell, isOwner, type Role } from '../session/roles';
import { useMutation } from '../session/use-session';
import { canUndoPayout, firstNameOf, payoutStepOf, type PayoutStep } from './payout-steps';
import { WinnerBankDetails } from './winner-bank';
import { isOtherHolder } from './holder-name';

interface PayoutSectionProps {
  draw: OwnDraw;
  winner: Winner;
  answer: WinnersResponse;
  club: { role: Role };
}

/**
 * The payout as one timeline: announced, notified, details received, paid. One button does the next
 * step. The server only records the payment and moves no money (decision B-4). Only owners see bank
 * details and record payouts (decision G-17).
 */
export function PayoutSection({ draw, winner, answer, club }: PayoutSectionProps) {
  const number = draw.drawNumber;
  const { data: payouts, problem, retry } = useQuery<Payout[]>(CLUB_API_PATHS.payouts(number));
  const changed = useSetAtom(markPathsChangedAtom);
  const showToast = useSetAtom(showToastAtom);
  const { pending, run } = useMutation();
  const [paying, setPaying] = useState(false);
  const [note, setNote] = useState('');
  const [owns, sells] = [isOwner(club), canSell(club)];
  const name = firstNameOf(winner);
  const prize = formatDollars(decimalToCents(answer.prize));
  const paid = payouts?.find(({ type, status }) => type === 'winner' && status === 'completed');
  const step = payoutStepOf(winner, answer, Boolean(paid));
  const reload = () =>
    changed(
      CLUB_API_PATHS.payouts(number),
      CLUB_API_PATHS.winners(number),
      CLUB_API_PATHS.tasks(draw.clubId),
    );
  const complain = (title: string) => (error: unknown) =>
    showToast({ title, text: errorText(error, C.pleaseTryAgain), bad: true });
  const notify = () =>
    run(async () => {
      const again = answer.notified;
      const { emailsSent, totalWinners } = await notifyWinners(number, again);
      if (again && emailsSent === 0)
        showToast({ title: 'An e-mail was sent less than a minute ago.' });
      else
        showToast({
          title: fillPlaceholders(C.winnersNotified, { sent: emailsSent, total: totalWinners }),
          text: again ? 'The e-mail has a new link, which works for 7 days.' : undefined,
        });
      reload();
    }, complain(C.failedToNotify));
  const undo = (payout: Payout) =>
    run(async () => {
      await undoPayout(payout.id);
      showToast({ title: 'The prize is no longer marked as paid' });
      reload();
    }, complain(C.error));
  const pay = () =>
    run(async () => {
      const payout = await recordPrizePaid(number, note);
      setPaying(false);
      setNote('');
      showToast({
        title: 'Payout marked as paid',
        text: `${name} is told by e-mail in ten minutes.`,
        action: { label: 'Undo', run: () => void undo(payout) },
      });
      reload();
    }, complain(C.error));
  const failed = payouts?.filter(({ type, status }) => type === 'winner' && status === 'failed');
  const share = payouts?.find(({ type }) => type === 'club_share');
  const mayPay = owns && !winner.disputed && payouts !== undefined && !paid;
  const actions: Record<PayoutStep, ReactNode> = {
    notify: sells ? <MainButton label={C.notifyWinner} pending={pending} onPress={notify} /> : null,
    details: sells ? (
      <MainButton label={`Remind ${name}`} pending={pending} onPress={notify} />
    ) : null,
    pay: mayPay ? (
      <MainButton
        label={`I have paid ${name} ${prize}`}
        pending={pending}
        onPress={() => setPaying(true)}
      />
    ) : null,
    done: null,
  };
  return (
    <>
      <section aria-labelledby="payout-title" className="payout">
        <h2 id="payout-title">{C.payoutManagement}</h2>
        {winner.disputed && !paid ? (
          <p className="callout is-warn">
            The winner’s payment is disputed by the buyer’s bank. The prize can be paid once that is
            resolved.
          </p>
        ) : null}
        <ol className="card timeline">
          <Step
            title="Announced"
            state="done"
            when={answer.entered ? dayAndTime(answer.entered.enteredAt, draw.timezone) : null}
          >
            <p>
              {winner.homeNumber} & {winner.awayNumber}, ticket {winner.serialNumber}
              {answer.entered ? `, by ${answer.entered.by}` : ''}
            </p>
          </Step>
          <Step
            title="Notified"
            state={answer.notified ? 'done' : step === 'notify' ? 'now' : 'later'}
            when={answer.notifiedAt ? dayAndTime(answer.notifiedAt, draw.timezone) : null}
          >
            {answer.mailFailed ? (
              <p className="field-error">
                The e-mail could not be delivered. Call {name}, or send it again.
              </p>
            ) : answer.notified ? (
              <p>
                E-mailed{winner.buyerEmail ? ` to ${winner.buyerEmail}` : ''}
                {winner.respondBy && step === 'details'
                  ? `. ${name} can answer until ${dayAndTime(winner.respondBy, draw.timezone)}.`
                  : ''}
              </p>
            ) : (
              <p>{name} gets a private link to enter bank details. It works for 7 days.</p>
            )}
            {sells && step === 'details' ? (
              <button
                type="button"
                className="link-button"
                aria-disabled={pending}
                onClick={() => void notify()}
              >
                {C.sendAgain}
              </button>
            ) : null}
          </Step>
          <Step
            title="Details received"
            state={winner.bank ? 'done' : step === 'details' ? 'now' : 'later'}
            when={winner.bank ? dayAndTime(winner.bank.receivedAt, draw.timezone) : null}
          >
            {owns ? (
              <WinnerBankDetails
                number={number}
                bank={winner.bank}
                paid={Boolean(paid)}
                onChange={reload}
              />
            ) : (
              <p>The owners of the club see the winner’s bank details and record the payout.</p>
            )}
          </Step>
          <Step
            title={paid ? 'Paid' : `Pay ${name}`}
            state={paid ? 'done' : step === 'pay' ? 'now' : 'later'}
            when={paid?.completedAt ? dayAndTime(paid.completedAt, draw.timezone) : null}
          >
            {paid ? (
              <PaidText
                paid={paid}
                account={winner.bank?.accountNumber}
                timezone={draw.timezone}
                onUndo={owns ? () => void undo(paid) : null}
              />
            ) : problem && !payouts ? (
              <LoadFailed title="Failed to load payouts" onRetry={retry} />
            ) : step === 'pay' ? (
              <>
                {winner.bank && isOtherHolder(winner.buyerName ?? '', winner.bank.accountName) ? (
                  <p className="callout is-warn">
                    The account is in the name of {winner.bank.accountName}, not of{' '}
                    {winner.buyerName}. Call {winner.buyerPhone ?? name} before you pay.
                  </p>
                ) : null}
                <ol className="plain-steps">
                  <li>
                    Send <strong>{prize}</strong> from your club’s bank, reference{' '}
                    <strong>{winner.serialNumber}</strong>.
                  </li>
                  <li>Then press the button below.</li>
                </ol>
              </>
            ) : mayPay ? (
              <button type="button" className="link-button" onClick={() => setPaying(true)}>
                I paid {name} in another way
              </button>
            ) : null}
            {(failed ?? []).map((payout) => (
              <p className="meta" key={payout.id}>
                An earlier transfer failed
                {payout.failureReason ? `: ${payout.failureReason}` : ''}.
              </p>
            ))}
          </Step>
        </ol>
        {share ? (
          <p className="meta">
            Club share {formatDollars(decimalToCents(share.amount))}: paid by Stripe to your club’s
            account as tickets are sold.
          </p>
        ) : null}
      </section>
      {actions[step]}
      <ConfirmDialog
        title={`Have you paid ${name} ${prize}?`}
        open={paying}
        confirm={`I have paid ${prize}`}
        cancel="Not yet"
        pending={pending}
        onCancel={() => setPaying(false)}
        onConfirm={() => void pay()}
      >
        <p>
          This only records it; no money moves from here. {name} is told by e-mail in ten minutes.
          You can undo it for 24 hours.
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

function MainButton({
  label,
  pending,
  onPress,
}: {
  label: string;
  pending: boolean;
  onPress: () => unknown;
}) {
  return (
    <div className="sticky-bar">
      <button type="button" className="btn" aria-disabled={pending} onClick={() => onPress()}>
        {label}
      </button>
    </div>
  );
}

const STEP_STATE_TEXTS = { done: 'done', now: 'next', later: 'not yet' };

function Step({
  title,
  state,
  when,
  children,
}: {
  title: string;
  state: keyof typeof STEP_STATE_TEXTS;
  when: string | null;
  children: ReactNode;
}) {
  return (
    <li className={`step is-${state}`} aria-current={state === 'now' ? 'step' : undefined}>
      <span className="step-mark" aria-hidden="true">
        {state === 'done' ? '✓' : ''}
      </span>
      <div className="step-body">
        <div className="step-head">
          <h3>
            {title}
            <span className="sr">, {STEP_STATE_TEXTS[state]}</span>
          </h3>
          {when ? <span className="meta">{when}</span> : null}
        </div>
        {children}
      </div>
    </li>
  );
}

function PaidText({
  paid,
  account,
  timezone,
  onUndo,
}: {
  paid: Payout;
  account: string | undefined;
  timezone: string;
  onUndo: (() => void) | null;
}) {
  const [now] = useState(() => Date.now());
  return (
    <>
      <p>
        {formatDollars(decimalToCents(paid.amount))}
        {account ? ` to the account that ends in ${account.replace(/^•+/, '')}` : ''}
        {paid.note ? `. ${paid.note}` : ''}
      </p>
      {onUndo && paid.undoUntil && canUndoPayout(paid, now) ? (
        <button type="button" className="link-button" onClick={onUndo}>
          Undo: not paid yet
          <span className="meta"> (until {dayText(paid.undoUntil, timezone)})</span>
        </button>
      ) : null}
    </>
  );
}
