import { expect, test } from 'vitest';
import { NOW } from '@/testing/console-harness';
import {
  makeAdminDraws,
  makeAnomaly,
  makeOrphanedTickets,
  makeWaitlist,
} from '@/testing/operator-data';
import { ANALYTICS } from '@/testing/platform-data';
import { signedCents } from '../components/money';
import { revenueTermsOf } from './overview';
import { openTasks, type TaskSources } from './tasks';
import { runningSums } from './trend-charts';

const NOTHING: TaskSources = { anomalies: [], orphans: [], draws: [], waitlist: [] };
const titlesOf = (sources: Partial<TaskSources>) =>
  openTasks({ ...NOTHING, ...sources }, NOW).map(({ title }) => title);

test('nothing is a task when nothing waits', () => {
  const resolved = makeAnomaly({ type: 'dispute', resolved: true });
  expect(titlesOf({})).toEqual([]);
  expect(titlesOf({ anomalies: [resolved] })).toEqual([]);
});

test('disputes and missing tickets come first, each by itself, and other payments are one task', () => {
  const [orphan] = makeOrphanedTickets(NOW);
  if (!orphan) throw new Error('an orphaned ticket is expected');
  const at = (minutesAgo: number) => new Date(NOW - minutesAgo * 60_000).toISOString();
  const tasks = openTasks(
    {
      ...NOTHING,
      orphans: [orphan],
      waitlist: makeWaitlist(NOW).slice(0, 1),
      anomalies: [
        makeAnomaly({ id: 'dup', amount: '20.00', detectedAt: at(60) }),
        makeAnomaly({ id: 'bad', type: 'mismatched_amount', amount: '40.00', detectedAt: at(90) }),
        makeAnomaly({
          id: 'mis',
          type: 'missing_ticket',
          amount: '10.00',
          detectedAt: at(22),
          customerName: 'Grace Liu',
        }),
        makeAnomaly({ id: 'dis', type: 'dispute', amount: '50.00', detectedAt: at(180) }),
        makeAnomaly({ id: 'orp', type: 'orphaned_ticket', detectedAt: at(5) }),
        makeAnomaly({
          id: 'wait',
          type: 'owed_refund',
          amount: '4.00',
          detectedAt: at(10),
          details: { refundState: 'pending' },
        }),
        makeAnomaly({
          id: 'owed',
          type: 'owed_refund',
          amount: '6.00',
          detectedAt: at(8),
          customerName: 'Grace Liu',
          details: { refundState: 'failed' },
        }),
      ],
    },
    NOW,
  );
  expect(tasks.map(({ title, urgency }) => [urgency, title])).toEqual([
    ['now', 'Answer the dispute of $50.00'],
    ['now', 'Give Grace Liu 2 tickets, or refund $10.00'],
    ['now', 'Ask Redcliffe Sharks to fund the refund of $4.00'],
    ['now', 'Return $6.00 to Grace Liu'],
    ['soon', `Find the buyer of ${orphan.serialNumber}`],
    ...tasks.slice(5).map(({ title, urgency }) => [urgency, title]),
  ]);
  expect(
    tasks
      .slice(5)
      .map(({ title }) => title)
      .sort(),
  ).toEqual(['Answer 1 club', 'Check 2 more payments, $60.00']);
  expect(tasks[1]?.href).toBe('/super-admin?section=payments&open=mis');
  expect(tasks[0]?.detail).toBe('Dispute · jo.martin@example.com · FD-1042 · Redcliffe Sharks');
});

test('a result is overdue three hours after kick-off, if a ticket is sold', () => {
  const [draw] = makeAdminDraws(NOW);
  if (!draw) throw new Error('a draw is expected');
  const closed = { ...draw, status: 'closed', ticketsSold: 94, orphanedTickets: 0 };
  const startedBefore = (hours: number) => new Date(NOW - hours * 3_600_000).toISOString();
  expect(titlesOf({ draws: [{ ...closed, gameDate: startedBefore(4) }] })).toEqual([
    `Remind ${draw.clubName} of its result`,
  ]);
  expect(titlesOf({ draws: [{ ...closed, gameDate: startedBefore(2) }] })).toEqual([]);
  expect(titlesOf({ draws: [{ ...closed, gameDate: startedBefore(4), ticketsSold: 0 }] })).toEqual(
    [],
  );
  expect(
    titlesOf({ draws: [{ ...closed, gameDate: startedBefore(4), status: 'completed' }] }),
  ).toEqual([]);
});

test('the revenue is a sum that adds up', () => {
  const cents = (text: string | null) => signedCents((text ?? '').replace(/[$,]/g, ''));
  const terms = revenueTermsOf(ANALYTICS);
  const [total, platform, fees, club] = terms.map(({ text }) => cents(text));
  expect(terms.map(({ sign }) => sign)).toEqual(['', '−', '−', '=', '', '']);
  expect((total ?? 0) - (platform ?? 0) - (fees ?? 0)).toBe(club);
});

test('running sums end at the sum', () => {
  expect(runningSums([1, 0, 2, 3])).toEqual([1, 1, 3, 6]);
});
