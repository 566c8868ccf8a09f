/** What an anomaly is called, what can be done about it, and which comes next. */
import {
  ANOMALY_TYPES,
  type Anomaly,
  type AnomalyStats,
  type AnomalyType,
} from '@/api/wire-operator';
import { cents, dollars } from '@/shared/money';
import { O } from '@/shared/strings-operator';
import { money } from '../pieces/money';

const LABELS: Record<AnomalyType, string> = {
  missing_ticket: O.missingTicket,
  duplicate_payment: O.duplicatePayment,
  failed_allocation: O.failedAllocation,
  mismatched_amount: O.amountMismatch,
  orphaned_ticket: O.orphanedTicket,
};

/** What it means in one sentence, for whoever has to act on it. */
const MEANINGS: Record<AnomalyType, string> = {
  missing_ticket:
    'Money was taken and no ticket was issued. Give the customer their ticket, or refund the payment.',
  duplicate_payment: 'One order was paid twice. The second payment should go back.',
  failed_allocation: 'A payment was authorised and its tickets could not be allocated.',
  mismatched_amount: 'What the card provider charged is not what the order says.',
  orphaned_ticket: 'A ticket was sold and nobody knows to whom. Recover it under Orphaned Tickets.',
};

const isKnown = (type: string): type is AnomalyType =>
  (ANOMALY_TYPES as readonly string[]).includes(type);
export const labelOf = (type: string): string => (isKnown(type) ? LABELS[type] : type);
export const meaningOf = (type: string): string => (isKnown(type) ? MEANINGS[type] : '');

/** The list's length until all are asked for (C:335). */
export const SHOWN = 10;

export const needsCustomer = (anomaly: Pick<Anomaly, 'type'>): boolean =>
  anomaly.type === 'missing_ticket';

type OfAPayment = Pick<Anomaly, 'type' | 'orderId' | 'paymentIntentId' | 'amount' | 'details'>;

const holdsTickets = ({ details }: OfAPayment): boolean =>
  details.orderState === 'allocated' || details.orderState === 'captured';
const centsOf = (said: unknown): number => (typeof said === 'string' ? cents(said) : 0);
/** In cents, by what the provider said last; null while it has not said that anything was taken. */
const leftOf = ({ details }: OfAPayment): number | null =>
  centsOf(details.providerReceived) > 0
    ? Math.max(0, centsOf(details.providerReceived) - centsOf(details.providerRefunded))
    : null;

/** What goes back with its payment: all that is left of it, which may be more than the part the anomaly was raised about. */
export function backWords(anomaly: OfAPayment): string {
  const left = leftOf(anomaly);
  return left === null ? money(anomaly.amount) : dollars(left);
}

/** Whether it is about the own payment of an order that is known. */
export const isOfItsOrder = ({ type, orderId }: OfAPayment): boolean =>
  orderId !== null && type !== 'duplicate_payment';

/**
 * Whether its payment goes back by itself: a second one of a good order, whose refund would take the wrong money; one no order of
 * the books belongs to; and one whose order holds no tickets, also where the provider refused its refund: no refund of such an order
 * moves money, and the server voids it before the payment goes back.
 */
export const refundsItself = (anomaly: OfAPayment): boolean =>
  anomaly.paymentIntentId !== null &&
  (!isOfItsOrder(anomaly) || (!holdsTickets(anomaly) && leftOf(anomaly) !== 0));

/** Resolved of all, in whole percent; nothing at all is a full success (C:69, decision I-4). */
export const successRate = ({
  total,
  resolved,
}: Pick<AnomalyStats, 'total' | 'resolved'>): string =>
  `${total === 0 ? 100 : Math.round((resolved / total) * 100)}%`;

/** The unresolved one after this in the order shown, or from the top; null when none is left. */
export function nextUnresolved(
  shown: readonly Anomaly[],
  done: ReadonlySet<string>,
): string | null {
  const last = shown.findLastIndex((anomaly) => done.has(anomaly.id));
  const open = (anomaly: Anomaly) => !anomaly.resolved && !done.has(anomaly.id);
  return (shown.slice(last + 1).find(open) ?? shown.find(open))?.id ?? null;
}

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const PHONE_LENGTH_MIN = 10;

export const isEmail = (text: string): boolean => EMAIL.test(text.trim());

export interface CustomerSaid {
  customerName: string;
  customerEmail: string;
  customerPhone: string;
}

/** The three rules of C:227-230, in the order of the fields. */
export function customerProblems({
  customerName,
  customerEmail,
  customerPhone,
}: CustomerSaid): { field: keyof CustomerSaid; text: string }[] {
  const problems: { field: keyof CustomerSaid; text: string }[] = [];
  if (customerName.trim().length < 1)
    problems.push({ field: 'customerName', text: O.customerNameRequired });
  if (!isEmail(customerEmail))
    problems.push({ field: 'customerEmail', text: O.validEmailRequired });
  if (customerPhone.trim().length < PHONE_LENGTH_MIN)
    problems.push({ field: 'customerPhone', text: O.validPhoneRequired });
  return problems;
}
