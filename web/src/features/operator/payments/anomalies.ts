/** Labels, actions and display order of payment anomalies. */
import { ANOMALY_TYPES } from '@/api/wire-operator';
import type {
  AdminDraw,
  Anomaly,
  AnomalyStats,
  AnomalyType,
  PaidTickets,
} from '@/api/wire-operator';
import { decimalToCents, formatDollars } from '@/shared/money';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { amountText } from '../components/money';

const ANOMALY_LABELS: Record<AnomalyType, string> = {
  missing_ticket: O.missingTicket,
  duplicate_payment: O.duplicatePayment,
  failed_allocation: O.failedAllocation,
  mismatched_amount: O.amountMismatch,
  orphaned_ticket: O.orphanedTicket,
  dispute: 'Dispute',
  owed_refund: 'Refund Owed',
};

/** Meaning of each anomaly type in one sentence for the operator. */
const ANOMALY_DESCRIPTIONS: Record<AnomalyType, string> = {
  missing_ticket:
    'Money was taken and no ticket was issued. Give the customer their ticket, or refund the payment.',
  duplicate_payment: 'One order was paid twice. The second payment should go back.',
  failed_allocation: 'A payment was authorised and its tickets could not be allocated.',
  mismatched_amount: 'What the card provider charged is not what the order says.',
  orphaned_ticket: 'A ticket was sold and nobody knows to whom. Recover it under Orphaned Tickets.',
  dispute:
    'The buyer’s bank holds the money until the dispute is decided. Send the bank your proof in Stripe.',
  owed_refund: 'The tickets were returned, and the customer’s money is not back yet.',
};

const isAnomalyType = (type: string): type is AnomalyType =>
  (ANOMALY_TYPES as readonly string[]).includes(type);
export const anomalyLabelOf = (type: string): string =>
  isAnomalyType(type) ? ANOMALY_LABELS[type] : type;
export const anomalyDescriptionOf = (type: string): string =>
  isAnomalyType(type) ? ANOMALY_DESCRIPTIONS[type] : '';

/** Number of rows shown before "show all" (specification line C:339). */
export const ANOMALY_ROWS_SHOWN = 10;

export const needsCustomerDetails = (anomaly: Pick<Anomaly, 'type'>): boolean =>
  anomaly.type === 'missing_ticket';

/**
 * Whether the club has money of a customer without tickets. Such an anomaly is never closed with one
 * press, only by acting or with a reason.
 */
export const holdsCustomersMoney = (anomaly: Pick<Anomaly, 'type'>): boolean =>
  anomaly.type === 'missing_ticket' || anomaly.type === 'owed_refund';

/** Whether the refund is requested and waits for the club's balance. */
export const isRefundWaiting = ({ type, details }: Pick<Anomaly, 'type' | 'details'>): boolean =>
  type === 'owed_refund' && details.refundState === 'pending';

type PaymentAnomaly = Pick<Anomaly, 'type' | 'orderId' | 'paymentIntentId' | 'amount' | 'details'>;

const hasOrderTickets = ({ details }: PaymentAnomaly): boolean =>
  details.orderState === 'allocated' || details.orderState === 'captured';
const centsOf = (text: unknown): number => (typeof text === 'string' ? decimalToCents(text) : 0);
/**
 * Returns the amount in cents that is not refunded yet, from the provider's last report. Null while
 * no charge is reported.
 */
const unrefundedCents = ({ details }: PaymentAnomaly): number | null =>
  centsOf(details.providerReceived) > 0
    ? Math.max(0, centsOf(details.providerReceived) - centsOf(details.providerRefunded))
    : null;

/**
 * Describes the amount that a refund returns: the whole remaining payment, which may exceed the
 * amount that the anomaly was raised for.
 */
export function refundableAmountText(anomaly: PaymentAnomaly): string {
  const left = unrefundedCents(anomaly);
  return left === null ? amountText(anomaly.amount) : formatDollars(left);
}

/** Whether the anomaly concerns a known order's own payment. */
export const isOrdersOwnPayment = ({ type, orderId }: PaymentAnomaly): boolean =>
  orderId !== null && type !== 'duplicate_payment';

/**
 * Whether the payment is refunded directly, not through its order. There are three cases. A second
 * payment of a valid order: an order refund would return the first payment. A payment without a
 * known order. An order without tickets: an order refund would move no money.
 */
export const canRefundPayment = (anomaly: PaymentAnomaly): boolean =>
  anomaly.paymentIntentId !== null &&
  (!isOrdersOwnPayment(anomaly) || (!hasOrderTickets(anomaly) && unrefundedCents(anomaly) !== 0));

/**
 * Returns the percentage of resolved anomalies as a whole number; 100 when there are no anomalies
 * (specification line C:69, decision I-4).
 */
export const anomalyResolutionRateText = ({
  total,
  resolved,
}: Pick<AnomalyStats, 'total' | 'resolved'>): string =>
  `${total === 0 ? 100 : Math.round((resolved / total) * 100)}%`;

/**
 * Returns the next unresolved anomaly in display order, starting over at the top; null when none
 * is left.
 */
export function nextUnresolvedAnomaly(
  shown: readonly Anomaly[],
  done: ReadonlySet<string>,
): string | null {
  const last = shown.findLastIndex((anomaly) => done.has(anomaly.id));
  const open = (anomaly: Anomaly) => !anomaly.resolved && !done.has(anomaly.id);
  return (shown.slice(last + 1).find(open) ?? shown.find(open))?.id ?? null;
}

const TICKETS_PER_ORDER_MAX = 50;

/** Tickets that an operator enters for a payment that matches no order (decision M-9). */
export interface TicketsInput {
  drawNumber: string;
  ticketCount: string;
}

export const parseDrawNumber = (text: string): number => Number(text.trim().replace(/^FD-/i, ''));

/**
 * Requires both fields or neither. Neither is allowed only while the payment itself may name its
 * tickets.
 */
export function ticketsInputProblems(
  { drawNumber, ticketCount }: TicketsInput,
  namesNone: boolean,
): { field: keyof TicketsInput; text: string }[] {
  const [draw, count] = [drawNumber.trim() !== '', ticketCount.trim() !== ''];
  if (!draw && !count)
    return namesNone
      ? [{ field: 'drawNumber', text: 'Choose a draw and a count, or refund the payment' }]
      : [];
  const isWhole = (number: number) => Number.isInteger(number) && number >= 1;
  const problems: { field: keyof TicketsInput; text: string }[] = [];
  if (!isWhole(parseDrawNumber(drawNumber)) || !draw)
    problems.push({ field: 'drawNumber', text: 'Draw number is required' });
  if (!isWhole(Number(ticketCount)) || Number(ticketCount) > TICKETS_PER_ORDER_MAX)
    problems.push({ field: 'ticketCount', text: 'Choose between 1 and 50 tickets' });
  return problems;
}

/** Formats tickets per draw: `2 tickets of FD-1042, 1 ticket of FD-1043`. */
export const ticketLinesText = (
  lines: readonly { drawNumber: number; ticketCount: number }[],
): string =>
  lines
    .map(
      ({ drawNumber, ticketCount }) =>
        `${ticketCount} ticket${ticketCount === 1 ? '' : 's'} of FD-${drawNumber}`,
    )
    .join(', ');

const EMAIL_PATTERN = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const PHONE_CHARS_MIN = 10;

export const isEmail = (text: string): boolean => EMAIL_PATTERN.test(text.trim());

export interface CustomerInput {
  customerName: string;
  customerEmail: string;
  customerPhone: string;
}

/**
 * Validates the customer form by the three rules of specification lines C:224-226, in field order.
 */
export function customerInputProblems({
  customerName,
  customerEmail,
  customerPhone,
}: CustomerInput): { field: keyof CustomerInput; text: string }[] {
  const problems: { field: keyof CustomerInput; text: string }[] = [];
  if (customerName.trim().length < 1)
    problems.push({ field: 'customerName', text: O.customerNameRequired });
  if (!isEmail(customerEmail))
    problems.push({ field: 'customerEmail', text: O.validEmailRequired });
  if (customerPhone.trim().length < PHONE_CHARS_MIN)
    problems.push({ field: 'customerPhone', text: O.validPhoneRequired });
  return problems;
}

/** Tickets of one draw that an allocation would give. */
export interface TicketLine {
  drawNumber: number;
  ticketCount: number;
}

/**
 * Returns the tickets that the form would allocate: those that the operator chose, otherwise those
 * that the payment is for. Null while neither is known.
 */
export function ticketLinesToAllocate(
  chosen: TicketsInput,
  paid: PaidTickets | null,
): readonly TicketLine[] | null {
  const isChosen = chosen.drawNumber.trim() !== '' || chosen.ticketCount.trim() !== '';
  if (isChosen && ticketsInputProblems(chosen, false).length > 0) return null;
  if (isChosen)
    return [
      { drawNumber: parseDrawNumber(chosen.drawNumber), ticketCount: Number(chosen.ticketCount) },
    ];
  return paid && paid.lines.length > 0 ? paid.lines : null;
}

/** The price of tickets in cents; null while a draw is not known. */
export function priceOfLines(
  lines: readonly TicketLine[],
  draws: readonly AdminDraw[],
): number | null {
  let sum = 0;
  for (const { drawNumber, ticketCount } of lines) {
    const draw = draws.find((each) => each.drawNumber === drawNumber);
    if (!draw) return null;
    sum += ticketCount * decimalToCents(draw.ticketPrice);
  }
  return sum;
}

/** The highest card fee that a payment may contain, generously rounded. The server knows the exact one. */
const cardFeeMaxCents = (cents: number, lines: number) => Math.ceil(cents * 0.02) + 35 * lines;

/** Says why tickets cannot be allocated to a payment; null when nothing is known against it. */
export function allocationObstacle(
  anomaly: Pick<Anomaly, 'amount' | 'clubId' | 'orderId' | 'paymentIntentId'>,
  lines: readonly TicketLine[] | null,
  draws: readonly AdminDraw[],
): string | null {
  if (!anomaly.paymentIntentId) return 'No payment is known.';
  if (anomaly.orderId === null && anomaly.clubId === null)
    return 'No club of ours has the account that took this payment.';
  if (!lines) return null;
  for (const { drawNumber, ticketCount } of lines) {
    const draw = draws.find((each) => each.drawNumber === drawNumber);
    if (!draw) continue;
    if (draw.status === 'completed') return `The result of FD-${drawNumber} is entered.`;
    if (draw.status === 'cancelled') return `FD-${drawNumber} is cancelled.`;
    if (draw.ticketsAvailable < ticketCount)
      return draw.ticketsAvailable === 0
        ? `FD-${drawNumber} has no ticket left.`
        : `FD-${drawNumber} has only ${draw.ticketsAvailable} left.`;
  }
  const price = priceOfLines(lines, draws);
  const paid = anomaly.amount === null ? null : decimalToCents(anomaly.amount);
  // An order of ours keeps its own price, which its draw may have changed since.
  if (anomaly.orderId !== null || price === null || paid === null) return null;
  return paid < price || paid - price > cardFeeMaxCents(paid, lines.length)
    ? `These tickets cost ${formatDollars(price)}, and ${formatDollars(paid)} was paid.`
    : null;
}

/** Says why a payment cannot be refunded from its anomaly; null when it can. */
export function refundObstacle(anomaly: PaymentAnomaly): string | null {
  if (anomaly.type === 'dispute')
    return 'The buyer’s bank holds this money, so it cannot be refunded.';
  if (isRefundWaiting(anomaly))
    return 'The refund is requested already and is tried again by itself. Ask the club to add funds in Stripe.';
  if (!anomaly.paymentIntentId) return 'No payment is known.';
  if (unrefundedCents(anomaly) === 0) return 'The whole payment was refunded already.';
  return canRefundPayment(anomaly) || anomaly.orderId !== null
    ? null
    : 'No money was taken that could go back.';
}

/** The name of the person who resolved an anomaly; `System` when its cause disappeared. */
export const resolverOf = ({
  resolvedBy,
  resolvedByName,
  resolvedByEmail,
}: Pick<Anomaly, 'resolvedBy' | 'resolvedByName' | 'resolvedByEmail'>): string =>
  resolvedByName ?? resolvedByEmail ?? resolvedBy ?? 'System';
