/**
 * Lines of the System Status panel, each with its evidence. The specified texts 'Healthy',
 * 'Operational' and 'Connected' are shown only while they are true (decision B-19).
 */
import type { Health } from '@/api/wire-platform';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { formatAge } from '../components/relative-time';

/** Names of the status lines, in display order. */
export const STATUS_LINE_NAMES = [
  'Database',
  'Payments',
  'Stripe',
  'Webhook',
  'Mail',
  'Sockets',
  'Draws',
  'Clock',
  'Promises',
] as const;

export interface StatusLine {
  name: (typeof STATUS_LINE_NAMES)[number];
  ok: boolean;
  status: string;
  detail: string;
}

const ageTextOrNever = (at: string | null, nowMs: number, never: string) =>
  at ? formatAge(nowMs - Date.parse(at)) : never;
const countWithNoun = (count: number, one: string, more = `${one}s`) =>
  `${count} ${count === 1 ? one : more}`;

/**
 * Describes the difference between a server's clock and the database clock, which is
 * authoritative.
 */
const clockOffsetText = (offMs: number) => {
  const seconds = Math.round(Math.abs(offMs) / 1000);
  return seconds === 0
    ? "the database's time"
    : `${countWithNoun(seconds, 'second')} ${offMs > 0 ? 'ahead of' : 'behind'} the database`;
};

/**
 * Returns the status lines after a failed health check, because the previous status may no longer
 * be true.
 */
export const unknownStatusLines = (last: Health, nowMs: number): StatusLine[] =>
  statusLinesOf(last, nowMs).map(({ name, status }) => ({
    name,
    ok: false,
    status: 'Unknown',
    detail: `${status} ${formatAge(nowMs - Date.parse(last.checkedAt))}, nothing heard since`,
  }));

export function statusLinesOf({ checks }: Health, nowMs: number): StatusLine[] {
  const { database, provider, webhook, mail, sockets, actors, reconciler, clock, integrity } =
    checks;
  const broken = Object.entries(integrity.violations);
  return [
    {
      name: 'Database',
      ok: database.ok,
      status: database.ok ? 'Healthy' : 'Unreachable',
      detail: `answers in ${database.latencyMs} ms`,
    },
    {
      name: 'Payments',
      ok: reconciler.ok && actors.ok,
      status: reconciler.ok && actors.ok ? 'Operational' : 'Degraded',
      detail: `reconciled ${ageTextOrNever(reconciler.lastRunAt, nowMs, 'not yet')}`,
    },
    {
      name: 'Stripe',
      ok: provider.ok,
      status: provider.ok ? O.connected : 'Not answering',
      detail: `last answer ${ageTextOrNever(provider.lastAnswerAt, nowMs, 'not yet')}`,
    },
    {
      name: 'Webhook',
      ok: webhook.ok,
      status: webhook.ok ? 'Arriving' : 'Late',
      detail: `last one ${ageTextOrNever(webhook.lastReceivedAt, nowMs, 'not yet')}${webhook.waiting ? `, ${webhook.waiting} waiting` : ''}${webhook.outOfTime ? `, ${webhook.outOfTime} refused for their time` : ''}`,
    },
    {
      name: 'Mail',
      ok: mail.ok,
      status: mail.ok ? 'Going out' : 'Held up',
      detail: `${mail.pending} to send${mail.dead ? `, ${mail.dead} given up` : ''}`,
    },
    {
      name: 'Sockets',
      ok: sockets.ok,
      status: sockets.ok ? 'Open' : 'Closed',
      detail: countWithNoun(sockets.sessions, 'screen'),
    },
    {
      name: 'Draws',
      ok: actors.ok,
      status: actors.ok ? 'Awake' : 'Stuck',
      detail: `${countWithNoun(actors.awake, 'actor')}${actors.paused ? `, ${actors.paused} paused` : ''}`,
    },
    {
      name: 'Clock',
      ok: clock.ok,
      status: clock.ok ? 'Right' : 'Wrong',
      detail: clockOffsetText(clock.offMs),
    },
    {
      name: 'Promises',
      ok: integrity.ok,
      status: integrity.ok ? 'Kept' : 'Broken',
      detail:
        broken.length === 0
          ? 'every invariant holds'
          : broken.map(([name, rows]) => `${name} (${rows})`).join(', '),
    },
  ];
}
