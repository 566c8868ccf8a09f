/** Texts of the tasks on top of the dashboard. */
import type { ClubTask } from '@/api/wire-club';
import { decimalToCents, formatDollars } from '@/shared/money';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { adminPath } from '../session/user';

const DAY_MS = 86_400_000;

/** Formats how long a task waits: 'today', 'since yesterday', '12 days'. */
export function waitText(since: string, nowMs: number): string {
  const days = Math.floor((nowMs - Date.parse(since)) / DAY_MS);
  if (days <= 0) return 'today';
  return days === 1 ? '1 day' : `${days} days`;
}

export interface TaskText {
  title: string;
  /** The urgent part of the second line. */
  late: string;
  tone: 'danger' | 'warn';
  button: string;
  href: string;
}

/** Returns the text of a task about a prize; null for the other tasks. */
export function prizeTaskText(task: ClubTask, slug: string, nowMs: number): TaskText | null {
  const { draw } = task;
  if (!draw) return null;
  const name = draw.winnerName ?? 'The winner';
  const first = draw.winnerName?.split(/\s+/)[0] ?? 'the winner';
  const prize = formatDollars(decimalToCents(draw.prize));
  const wait = waitText(task.since, nowMs);
  const href = adminPath(slug, `results/${draw.drawNumber}`);
  switch (task.kind) {
    case 'notify-winner':
      return {
        title: `${name} won ${prize}`,
        late: wait === 'today' ? 'Not told yet' : `Not told yet, ${wait} late`,
        tone: 'danger',
        button: C.notifyWinner,
        href,
      };
    case 'remind-winner':
      return {
        title: `${name} has not answered`,
        late: wait === 'today' ? 'The time to answer is over' : `${wait} late, ${prize}`,
        tone: 'danger',
        button: `Remind ${first}`,
        href,
      };
    case 'pay-winner':
      return {
        title: `Pay ${draw.winnerName ?? 'the winner'} ${prize}`,
        late: wait === 'today' ? 'Bank details came today' : `Bank details here for ${wait}`,
        tone: 'warn',
        button: `Pay ${first}`,
        href,
      };
    default:
      return null;
  }
}

/** Returns the chip on a completed draw whose prize is not settled; null when nothing is open. */
export function prizeChipOf(
  tasks: readonly ClubTask[] | undefined,
  drawNumber: number,
): { text: string; tone: 'danger' | 'warn' } | null {
  const task = tasks?.find(({ draw }) => draw?.drawNumber === drawNumber);
  if (!task?.draw) return null;
  if (task.kind === 'pay-winner')
    return { text: `Pay ${formatDollars(decimalToCents(task.draw.prize))}`, tone: 'warn' };
  if (task.kind === 'notify-winner') return { text: 'Tell winner', tone: 'danger' };
  return task.kind === 'remind-winner' ? { text: 'Remind winner', tone: 'danger' } : null;
}
