import { useSetAtom } from 'jotai';
import { CLUB_API_PATHS, downloadWinnerReport, notifyWinners } from '@/api/endpoints/club';
import type { WinnersResponse } from '@/api/wire-club';
import { dayAndTime } from '@/shared/dates';
import { saveFile } from '@/shared/save-file';
import { fillPlaceholders } from '@/shared/strings';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { markPathsChangedAtom } from '../data/query-atoms';
import { errorText } from '../data/error-text';
import { useMutation } from '../session/use-session';
import { WinnerHiddenNote } from './winner-hidden-note';
import { WinnerDetails } from './winner-view';

/** Shows the winner, with actions to notify the winner and to download the report. */
export function WinnerCard({
  number,
  timezone,
  answer,
  sells,
}: {
  number: number;
  timezone: string;
  answer: WinnersResponse;
  sells: boolean;
}) {
  const { pending, run } = useMutation();
  const showToast = useSetAtom(showToastAtom);
  const changed = useSetAtom(markPathsChangedAtom);
  const winner = answer.winningTickets[0];
  const notify = () =>
    run(
      async () => {
        const { emailsSent, totalWinners } = await notifyWinners(number);
        showToast({
          title: fillPlaceholders(C.winnersNotified, { sent: emailsSent, total: totalWinners }),
        });
        changed(CLUB_API_PATHS.winners(number));
      },
      (error) =>
        showToast({ title: C.failedToNotify, text: errorText(error, C.pleaseTryAgain), bad: true }),
    );
  const report = () =>
    run(
      async () => saveFile(await downloadWinnerReport(number)),
      (error) =>
        showToast({ title: C.downloadFailed, text: errorText(error, C.pleaseTryAgain), bad: true }),
    );
  const keep = (
    <button type="button" className="btn sec" onClick={() => void report()}>
      {C.downloadReport}
    </button>
  );
  if (!winner) {
    if (!answer.revealedAt) return null;
    return (
      <section className="card" aria-labelledby="winner-title">
        <h2 id="winner-title">The result is in</h2>
        <WinnerHiddenNote at={answer.revealedAt} timezone={timezone} />
        {sells ? <div className="row-actions">{keep}</div> : null}
      </section>
    );
  }
  return (
    <section className="card" aria-labelledby="winner-title">
      <h2 id="winner-title">{C.winnerAnnounced}</h2>
      <WinnerDetails winner={winner} prize={answer.prize} namesShown={sells} />
      {sells ? (
        <div className="row-actions">
          {winner.sold ? (
            <button
              type="button"
              className="btn"
              aria-disabled={pending}
              onClick={() => void notify()}
            >
              {C.notifyWinner}
            </button>
          ) : null}
          {keep}
        </div>
      ) : null}
      {answer.notified ? (
        <p className="meta" role="status">
          The winner has been e-mailed
          {winner.respondBy
            ? ` and can answer until ${dayAndTime(winner.respondBy, timezone)}`
            : ''}
          .
        </p>
      ) : null}
      {winner.sold && sells ? (
        <>
          <h3 className="payout-how">How to pay the winner</h3>
          <ol className="plain-steps">
            <li>Notify the winner. The e-mail holds a private link for their bank details.</li>
            <li>Winners have 7 days to respond. Call them if they do not.</li>
            <li>Pay the prize from your club’s account, then mark it as paid below.</li>
          </ol>
        </>
      ) : null}
    </section>
  );
}
