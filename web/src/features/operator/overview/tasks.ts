/** The operator's open tasks, most urgent first, from what the console has loaded. */
import type { AdminDraw, Anomaly, OrphanedTicket, WaitlistEntry } from '@/api/wire-operator';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { amountText, signedCents, signedDollars } from '../components/money';
import { CONSOLE_PATH } from '../console/address';
import { soldTicketCount } from '../draws/sold-tickets';
import { anomalyLabelOf, isRefundWaiting } from '../payments/anomalies';

/** How soon a task must be done. The order is the order of the list. */
export const URGENCIES = ['now', 'soon', 'later'] as const;
export type Urgency = (typeof URGENCIES)[number];

export interface Task {
  id: string;
  urgency: Urgency;
  /** What to do, with the amount. */
  title: string;
  /** What it is about. */
  detail: string;
  /** Since when the task waits, as an ISO time. */
  since: string;
  button: string;
  href: string;
  /** The draw whose club the button reminds. Other buttons open `href`. */
  remindsOf?: number;
}

export interface TaskSources {
  anomalies: readonly Anomaly[];
  orphans: readonly OrphanedTicket[];
  draws: readonly AdminDraw[];
  waitlist: readonly WaitlistEntry[];
}

/** Anomalies about money of a buyer who has no ticket, or that a bank holds. */
const URGENT_TYPES: readonly string[] = ['dispute', 'missing_ticket', 'owed_refund'];

/** A game and the entry of its result take this long. Then the result is overdue. */
const RESULT_DUE_AFTER_MS = 3 * 3_600_000;

const sectionHref = (section: string, more: Readonly<Record<string, string>> = {}): string =>
  `${CONSOLE_PATH}?${new URLSearchParams({ section, ...more }).toString()}`;
const oldest = (times: readonly string[]): string => [...times].sort()[0] ?? '';
const counted = (count: number, one: string, more = `${one}s`): string =>
  `${count} ${count === 1 ? one : more}`;

const customerOf = (anomaly: Anomaly): string =>
  anomaly.customerName ?? anomaly.customerEmail ?? O.guest;

function anomalyTaskTitle(anomaly: Anomaly): string {
  const amount = amountText(anomaly.amount);
  if (anomaly.type === 'dispute') return `Answer the dispute of ${amount}`;
  if (isRefundWaiting(anomaly))
    return `Ask ${anomaly.clubName ?? 'the club'} to fund the refund of ${amount}`;
  if (anomaly.type === 'owed_refund') return `Return ${amount} to ${customerOf(anomaly)}`;
  return anomaly.ticketCount
    ? `Give ${customerOf(anomaly)} ${counted(anomaly.ticketCount, 'ticket')}, or refund ${amount}`
    : `Give ${customerOf(anomaly)} tickets, or refund ${amount}`;
}

function anomalyTask(anomaly: Anomaly): Task {
  const who = customerOf(anomaly);
  const isMissingTicket = anomaly.type === 'missing_ticket';
  return {
    id: anomaly.id,
    urgency: 'now',
    title: anomalyTaskTitle(anomaly),
    detail: [
      anomalyLabelOf(anomaly.type),
      isMissingTicket ? null : who,
      anomaly.drawNumbers.map((number) => `FD-${number}`).join(', '),
      anomaly.clubName,
    ]
      .filter(Boolean)
      .join(' · '),
    since: anomaly.detectedAt,
    button: anomaly.type === 'dispute' ? 'Answer' : 'Review',
    href: sectionHref('payments', { open: anomaly.id }),
  };
}

const orphanTask = (ticket: OrphanedTicket): Task => ({
  id: ticket.id,
  urgency: 'soon',
  title: `Find the buyer of ${ticket.serialNumber}`,
  detail: `${O.orphanedTickets} · ${amountText(ticket.amount)} · ${ticket.homeTeam} v ${ticket.awayTeam}`,
  since: ticket.purchaseDate,
  button: 'Recover',
  href: sectionHref('orphans', { q: ticket.serialNumber }),
});

const overdueResultTask = (draw: AdminDraw): Task => ({
  id: `result-${draw.drawNumber}`,
  urgency: 'soon',
  title: `Remind ${draw.clubName} of its result`,
  detail: `FD-${draw.drawNumber} ${draw.homeTeam} v ${draw.awayTeam} · ${counted(soldTicketCount(draw), 'ticket')} wait`,
  since: draw.gameDate,
  button: 'Remind',
  href: sectionHref('draws', { q: `FD-${draw.drawNumber}` }),
  remindsOf: draw.drawNumber,
});

export function openTasks(
  { anomalies, orphans, draws, waitlist }: TaskSources,
  nowMs: number,
): Task[] {
  const open = anomalies.filter(({ resolved }) => !resolved);
  const urgent = open.filter(({ type }) => URGENT_TYPES.includes(type));
  // An orphaned ticket has a row of its own, with the ticket's serial.
  const others = open.filter(
    ({ type }) => !URGENT_TYPES.includes(type) && type !== 'orphaned_ticket',
  );
  const overdue = draws.filter(
    (draw) =>
      (draw.status === 'active' || draw.status === 'closed') &&
      soldTicketCount(draw) > 0 &&
      nowMs - Date.parse(draw.gameDate) > RESULT_DUE_AFTER_MS,
  );
  const tasks: Task[] = [
    ...urgent.map(anomalyTask),
    ...orphans.map(orphanTask),
    ...overdue.map(overdueResultTask),
  ];
  if (others.length > 0)
    tasks.push({
      id: 'other-payments',
      urgency: 'later',
      title: `Check ${counted(others.length, 'more payment')}, ${signedDollars(
        others.reduce((sum, { amount }) => sum + signedCents(amount), 0),
      )}`,
      detail: `${O.paymentMonitor} · ${[...new Set(others.map(({ type }) => anomalyLabelOf(type)))].join(', ')}`,
      since: oldest(others.map(({ detectedAt }) => detectedAt)),
      button: 'Open',
      href: sectionHref('payments', { status: 'unresolved' }),
    });
  if (waitlist.length > 0)
    tasks.push({
      id: 'waitlist',
      urgency: 'later',
      title: `Answer ${counted(waitlist.length, 'club')}`,
      detail: `${O.waitlist} · ${waitlist.map(({ clubName }) => clubName).join(', ')}`,
      since: oldest(waitlist.map(({ createdAt }) => createdAt)),
      button: 'Open',
      href: sectionHref('waitlist'),
    });
  return tasks.sort(
    (one, other) =>
      URGENCIES.indexOf(one.urgency) - URGENCIES.indexOf(other.urgency) ||
      one.since.localeCompare(other.since),
  );
}
