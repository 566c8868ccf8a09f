import { useAtomValue } from 'jotai';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { ClubTask } from '@/api/wire-club';
import { nowAtom } from '@/features/shared-live/live-atoms';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import type { CurrentClub } from '../frame/club-frame';
import { useStripeOnboarding } from '../payments/use-connect';
import { canSell, isOwner } from '../session/roles';
import { prizeTaskText, waitText } from './tasks';

interface ToDoListProps {
  club: CurrentClub;
  tasks: readonly ClubTask[] | undefined;
  /** Number of draws that await their result. */
  awaitingCount: number;
  /** The rows of these draws. */
  awaiting: ReactNode;
}

/**
 * What the club has to do, the oldest first. Draws that await a result are listed together, before
 * or after the other tasks by the age of the oldest of them.
 */
export function ToDoList({ club, tasks, awaitingCount, awaiting }: ToDoListProps) {
  const now = useAtomValue(nowAtom);
  const others = (tasks ?? []).filter(({ kind }) => kind !== 'enter-result');
  const oldestResult = tasks?.find(({ kind }) => kind === 'enter-result');
  const count = others.length + awaitingCount;
  if (count === 0) return null;
  const resultsFirst =
    oldestResult !== undefined && (others[0] === undefined || oldestResult.since < others[0].since);
  const results =
    awaitingCount > 0 ? (
      <div className="to-do-results">
        <h3>Draws Awaiting Results</h3>
        <p className="lead">
          {canSell(club)
            ? C.gamesFinishedEnter
            : 'Games have finished. A seller or an owner enters their results.'}
        </p>
        {awaiting}
      </div>
    ) : null;
  return (
    <section className="card to-do" aria-labelledby="to-do-title">
      <div className="to-do-head">
        <h2 id="to-do-title">
          To do <span className="count">{count}</span>
        </h2>
        <span className="meta">Oldest first</span>
      </div>
      {resultsFirst ? results : null}
      <ul className="to-do-items">
        {others.map((task) => (
          <TaskRow
            key={`${task.kind} ${task.draw?.drawNumber}`}
            task={task}
            club={club}
            now={now}
          />
        ))}
      </ul>
      {resultsFirst ? null : results}
    </section>
  );
}

function TaskRow({ task, club, now }: { task: ClubTask; club: CurrentClub; now: number }) {
  const { pending, connect } = useStripeOnboarding(club.id);
  const prize = prizeTaskText(task, club.slug, now);
  if (prize)
    return (
      <li className="to-do-item">
        <div>
          <strong>{prize.title}</strong>
          <p className={`late is-${prize.tone}`}>
            {prize.late}
            <span className="meta"> · {`${task.draw?.homeTeam} v ${task.draw?.awayTeam}`}</span>
          </p>
        </div>
        {canSell(club) ? (
          <Link className="btn small sec" href={prize.href}>
            {prize.button}
          </Link>
        ) : null}
      </li>
    );
  if (task.kind === 'connect-stripe')
    return (
      <li className="to-do-item">
        <div>
          <strong>Finish Stripe</strong>
          <p className="late is-warn">
            {C.connectFirst}
            <span className="meta"> · {waitText(task.since, now)}</span>
          </p>
        </div>
        {isOwner(club) ? (
          <button
            type="button"
            className="btn small sec"
            aria-disabled={pending}
            onClick={() => void connect()}
          >
            {pending ? C.settingUp : 'Connect Stripe account'}
          </button>
        ) : null}
      </li>
    );
  return null;
}
