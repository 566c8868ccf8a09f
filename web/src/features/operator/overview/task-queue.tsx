import { useAtomValue, useSetAtom } from 'jotai';
import { useState } from 'react';
import { Link } from 'wouter';
import { remindClubOfResult } from '@/api/endpoints/operator';
import { nowAtom } from '@/features/shared-live/live-atoms';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { formatDuration } from '../components/relative-time';
import { LoadError, RowsSkeleton } from '../components/common';
import { isTestDraw, useHideTestDraws } from '../draws/hidden-test-draws';
import { useQuery } from '../queries/use-query';
import { useActionWithFeedback } from '../session/use-action';
import { openTasks, type Task, type Urgency } from './tasks';

const TASKS_SHOWN = 8;
const URGENCY_NAMES: Record<Urgency, string> = {
  now: 'Urgent',
  soon: 'Due',
  later: 'When there is time',
};

/** Mails the club that its result is due. The server sends it at most once an hour. */
function RemindButton({ task, draw, isFirst }: { task: Task; draw: number; isFirst: boolean }) {
  const { busy, run } = useActionWithFeedback();
  const toast = useSetAtom(showToastAtom);
  const onRemind = () =>
    void run(
      async () => {
        const { sent, message } = await remindClubOfResult(draw);
        toast({ title: sent ? 'Reminder sent' : 'Already reminded', text: message });
      },
      { failed: 'The club was not reminded', failedText: 'Please try again.' },
    );
  return (
    <button
      type="button"
      className={isFirst ? 'btn small' : 'btn small sec'}
      aria-label={`${task.button}: ${task.title}`}
      disabled={busy}
      onClick={onRemind}
    >
      {task.button}
    </button>
  );
}

/** The list of everything that waits for the operator, with one button each. */
export function TaskQueue() {
  const anomalies = useQuery('anomalies');
  const orphans = useQuery('orphans');
  const draws = useQuery('draws');
  const waitlist = useQuery('waitlist');
  const hideTest = useHideTestDraws().on;
  const now = useAtomValue(nowAtom);
  const [all, setAll] = useState(false);
  const sources = [anomalies, orphans, draws, waitlist];
  const isLoaded = sources.every(({ data, error }) => data !== undefined || error !== null);
  const failed = sources.find(({ data, error }) => data === undefined && error !== null);
  const tasks = isLoaded
    ? openTasks(
        {
          anomalies: anomalies.data ?? [],
          orphans: orphans.data ?? [],
          draws: (draws.data ?? []).filter((draw) => !hideTest || !isTestDraw(draw)),
          waitlist: waitlist.data ?? [],
        },
        now,
      )
    : [];
  const shown = all ? tasks : tasks.slice(0, TASKS_SHOWN);
  return (
    <section className="card panel ops-tasks" aria-labelledby="tasks-title">
      <div className="ops-panel-head">
        <h2 id="tasks-title">
          Needs you now{' '}
          {tasks.length > 0 ? <span className="ops-tally">{tasks.length}</span> : null}
        </h2>
        <span className="meta">Most urgent first</span>
      </div>
      {failed?.error ? (
        <LoadError
          title="A part of the list did not load"
          error={failed.error}
          onRetry={() => void failed.refetch().catch(() => {})}
        />
      ) : null}
      {!isLoaded ? <RowsSkeleton rows={4} /> : null}
      {isLoaded && !failed && tasks.length === 0 ? (
        <p className="empty">Nothing needs you.</p>
      ) : null}
      <ul>
        {shown.map((task, index) => (
          <li key={task.id} className={`ops-task is-${task.urgency}`}>
            <span className="ops-task-mark" title={URGENCY_NAMES[task.urgency]}>
              <span className="sr">{URGENCY_NAMES[task.urgency]}: </span>
            </span>
            <div>
              <strong>{task.title}</strong>
              <small>{task.detail}</small>
            </div>
            <time dateTime={task.since}>{formatDuration(now - Date.parse(task.since))}</time>
            {task.remindsOf === undefined ? (
              <Link
                className={index === 0 ? 'btn small' : 'btn small sec'}
                href={task.href}
                aria-label={`${task.button}: ${task.title}`}
              >
                {task.button}
              </Link>
            ) : (
              <RemindButton task={task} draw={task.remindsOf} isFirst={index === 0} />
            )}
          </li>
        ))}
      </ul>
      {tasks.length > shown.length ? (
        <button type="button" className="link-btn" onClick={() => setAll(true)}>
          {tasks.length - shown.length} more
        </button>
      ) : null}
    </section>
  );
}
