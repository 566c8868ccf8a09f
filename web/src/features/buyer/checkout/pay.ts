/** One purchase from the button to the tickets. Every step says what happened; none of them decides what is shown. */
import { finishPayment } from '@/api/endpoints/buyer';
import { Problem, patiently } from '@/api/http';
import type { Buyer, CompletionAnswer, IntentAnswer } from '@/api/wire';
import { S, onlyRemaining } from '@/shared/strings';
import { writeStored } from '@/shared/storage';
import { beginAttempt, endAttempt, noteAttempt } from './attempt';
import type { Happening, OpenOrder, Trouble, Way } from './checkout';
import type { PaymentSurface } from './payment-surface';

/** What is bought: a draw's tickets or a whole cart. */
export interface Purchase {
  /** Names the attempt: one key per draw, one for the cart. */
  scope: string;
  way: Way;
  buyer: Buyer | null;
  /** The server's own check of details and consents, which it records; the first error, or null. */
  validate: () => Promise<string | null>;
  open: (clientKey: string) => Promise<IntentAnswer>;
  complete: (paymentIntentId: string) => Promise<CompletionAnswer>;
}

/** The thank-you page finds the order by this even when nothing else was kept (decision C-17). */
export const LAST_PAYMENT_KEY = 'lastPayment';

export async function pay(purchase: Purchase, surface: PaymentSurface, say: (happening: Happening) => void, onBusy: () => void = () => {}): Promise<void> {
  say({ is: 'submitted', way: purchase.way });
  const order = await reserve(purchase, surface, onBusy).catch((trouble: Trouble) => {
    say({ is: 'refused', trouble });
    return null;
  });
  if (!order) return;
  say({ is: 'opened', order });
  const attempt = { ...beginAttempt(purchase.scope), orderToken: order.orderToken, paymentIntentId: order.paymentIntentId };
  noteAttempt(purchase.scope, { ...attempt, paying: true });
  writeStored('session', LAST_PAYMENT_KEY, { paymentIntentId: order.paymentIntentId, orderToken: order.orderToken });

  const confirmation = await surface.confirm(order.clientSecret, purchase.buyer, `${window.location.origin}/thank-you`);
  if (confirmation.kind === 'declined') {
    noteAttempt(purchase.scope, { ...attempt, paying: false });
    say({ is: 'declined', trouble: { title: purchase.way === 'card' ? S.paymentFailedTitle : S.paymentFailedLower, text: confirmation.message } });
    return;
  }
  if (confirmation.kind === 'unsure') {
    say({ is: 'unsure' });
    return;
  }
  say({ is: 'authorised' });
  say(await issue(purchase, order, onBusy));
}

/** Refusals become words here; nothing has been charged at this point. */
async function reserve(purchase: Purchase, surface: PaymentSurface, onBusy: () => void): Promise<OpenOrder> {
  const incomplete = await surface.submit();
  if (incomplete) throw { title: S.incompleteDetails, text: incomplete } satisfies Trouble;
  try {
    const invalid = await purchase.validate();
    if (invalid) throw { title: S.validationFailed, text: invalid } satisfies Trouble;
    const { clientKey } = beginAttempt(purchase.scope);
    return openOrder(await patiently(() => purchase.open(clientKey), onBusy));
  } catch (error) {
    throw error instanceof Error ? troubleOf(error) : error;
  }
}

export function openOrder(answer: IntentAnswer): OpenOrder {
  const { clientSecret, paymentIntentId, orderToken, reservationId, amount, ticketCount } = answer;
  return { clientSecret, paymentIntentId, orderToken, reservationId, amount, ticketCount, expiresAt: Date.parse(answer.expiresAt) };
}

export function troubleOf(error: Error): Trouble {
  if (!(error instanceof Problem)) return { title: S.setupError, text: S.setupErrorText };
  const { code, said } = error;
  if (code === 'tickets-unavailable') {
    const available = Number(said.available ?? 0);
    return { title: 'Tickets No Longer Available', text: said.message ?? onlyRemaining(available), available };
  }
  if (code === 'maintenance') return { title: S.maintenance, text: S.maintenanceText };
  if (error.status >= 500) return { title: S.setupError, text: said.message ?? S.setupErrorText };
  return { title: S.setupError, text: said.message ?? S.failedToCreateIntent };
}

/** Asks again what became of a payment whose outcome nobody knows. Null: still nobody does. */
export async function askAgain(scope: string, paymentIntentId: string): Promise<Happening | 'untouched' | null> {
  try {
    const answer = await finishPayment(paymentIntentId);
    if (answer.status === 'requires_payment_method') return 'untouched';
    const happening = decided(scope, answer);
    return happening.is === 'unsure' ? null : happening;
  } catch (error) {
    return refusedFor(scope, error);
  }
}

/** A refusal to complete is a decision: no tickets, and no money kept. Null when it is no refusal. */
function refusedFor(scope: string, error: unknown): Happening | null {
  if (!(error instanceof Problem) || (error.said.status !== 'not_charged' && error.status !== 409)) return null;
  endAttempt(scope);
  return { is: 'notCharged', reason: error.said.message ?? '', refunding: error.code === 'refunding' };
}

/** The provider has set the money aside. From here on a failure of ours is "we are confirming", never "try again". */
async function issue(purchase: Purchase, order: OpenOrder, onBusy: () => void): Promise<Happening> {
  try {
    const answer = await patiently(() => purchase.complete(order.paymentIntentId), onBusy);
    return decided(purchase.scope, answer);
  } catch (error) {
    return refusedFor(purchase.scope, error) ?? { is: 'unsure' };
  }
}

/** What an answer to a completing call decides; anything but an end is "we are confirming". */
function decided(scope: string, answer: CompletionAnswer): Happening {
  if (answer.status === 'succeeded') {
    endAttempt(scope);
    return { is: 'issued', tickets: answer.tickets ?? [] };
  }
  if (answer.status === 'not_charged') {
    endAttempt(scope);
    return { is: 'notCharged', reason: answer.message ?? '' };
  }
  return { is: 'unsure' };
}
