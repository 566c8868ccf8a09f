/** What happened to an order, in the order of time. */
import type { OrderDetail } from '@/api/wire-operator';
import { amountText } from '../components/money';

export type TimelineMark = 'done' | 'back' | 'waiting' | 'bad';

export interface TimelineEvent {
  at: string;
  title: string;
  text: string;
  mark: TimelineMark;
}

const MAIL_TITLES: Readonly<Record<string, string>> = {
  tickets: 'Tickets mailed',
  resend: 'Tickets mailed again',
  refunded: 'Refund mailed',
  'refund-pending': 'Refund announced by mail',
  'refund-failed': 'Failed refund mailed',
  'not-charged': 'Not charged: mailed',
  winner: 'Winner notified',
  correction: 'Correction mailed',
  'kick-off-moved': 'New kick-off mailed',
  disputed: 'Dispute mailed to the club',
  inquiry: 'Bank’s question mailed to the club',
};

const ticketCountText = (count: number): string => `${count} ${count === 1 ? 'ticket' : 'tickets'}`;

const linesText = ({ lines }: Pick<OrderDetail, 'lines'>): string =>
  lines
    .map(
      (line) =>
        `${ticketCountText(line.ticketCount)} of FD-${line.drawNumber} ${line.homeTeam} v ${line.awayTeam}`,
    )
    .join(', ');

const refundTitle = (state: string, amount: string): string =>
  state === 'succeeded'
    ? `Refunded ${amount}`
    : state === 'failed'
      ? `Refund of ${amount} failed`
      : `Refund of ${amount} on its way`;

function mailEvents({ mails }: Pick<OrderDetail, 'mails'>): TimelineEvent[] {
  return (mails ?? []).map((mail) => ({
    at: mail.sentAt ?? mail.queuedAt,
    title: MAIL_TITLES[mail.kind] ?? `Mail: ${mail.kind.replaceAll('-', ' ')}`,
    text: mail.to
      ? mail.state === 'sent'
        ? `To ${mail.to}.`
        : mail.state === 'dead'
          ? `To ${mail.to}. It was given up.`
          : `To ${mail.to}. It waits to be sent.`
      : 'It waits for an address.',
    mark: mail.state === 'sent' ? 'done' : mail.state === 'dead' ? 'bad' : 'waiting',
  }));
}

/** Returns the events of an order, oldest first. Equal times keep the order of the steps. */
export function timelineOf(order: OrderDetail): TimelineEvent[] {
  const serials = order.lines.flatMap((line) =>
    line.tickets.map(({ serialNumber }) => serialNumber),
  );
  const events: (TimelineEvent | null)[] = [
    {
      at: order.createdAt,
      title: 'Reserved',
      text: `${order.buyerName ?? order.buyerEmail ?? 'A guest'} held ${linesText(order)}.`,
      mark: 'done',
    },
    order.authorisedAt
      ? {
          at: order.authorisedAt,
          title: 'Authorised',
          text: `${amountText(order.total)}${order.paymentMethod ? ` by ${order.paymentMethod.replaceAll('_', ' ')}` : ''}. No money moved yet.`,
          mark: 'done',
        }
      : null,
    order.allocatedAt
      ? {
          at: order.allocatedAt,
          title: 'Allocated',
          text: serials.length > 0 ? `${serials.join(', ')}.` : 'The tickets were given.',
          mark: 'done',
        }
      : null,
    order.capturedAt
      ? {
          at: order.capturedAt,
          title: 'Captured',
          text: `${amountText(order.total)} taken, ${amountText(order.platformFee)} of it the platform’s.`,
          mark: 'done',
        }
      : null,
    ...mailEvents(order),
    ...order.bankNotices.map((notice): TimelineEvent => ({
      at: notice.at,
      title: 'The buyer’s bank',
      text: notice.text,
      mark: 'bad',
    })),
    order.refund?.createdAt
      ? {
          at: order.refund.createdAt,
          title: refundTitle(order.refund.state, amountText(order.refund.amount)),
          text: [
            order.refund.reason ? `Reason: “${order.refund.reason}”.` : '',
            order.refund.detail ?? '',
          ]
            .filter(Boolean)
            .join(' '),
          mark: order.refund.state === 'failed' ? 'bad' : 'back',
        }
      : null,
    order.endedAt && !order.refund
      ? {
          at: order.endedAt,
          title: 'Ended without tickets',
          text: order.endReason ? `${order.endReason}.` : '',
          mark: 'back',
        }
      : null,
  ];
  return events
    .filter((event) => event !== null)
    .sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

/** Formats the time since the previous event: `+38 ms`, `+29 s`, `+5 min`, `+2 h`, `+3 days`. */
export function delayText(ms: number): string {
  if (ms < 1000) return `+${Math.max(0, Math.round(ms))} ms`;
  if (ms < 60_000) return `+${Math.round(ms / 1000)} s`;
  if (ms < 3_600_000) return `+${Math.round(ms / 60_000)} min`;
  if (ms < 86_400_000) return `+${Math.round(ms / 3_600_000)} h`;
  const days = Math.round(ms / 86_400_000);
  return `+${days} ${days === 1 ? 'day' : 'days'}`;
}
