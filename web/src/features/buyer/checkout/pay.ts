/** One purchase from the button to the tickets. Every step says what happened; none of them decides what is shown. */
import { Problem, patiently } from '@/api/http';
import { finishPayment } from '@/api/endpoints/buyer';
import type { Buyer, CompletionAnswer, IntentAnswer } from '@/api/wire';
import { writeStored } from '@/shared/storage';
import { beginAttempt, endAttempt, finishAttempt, noteAttempt } from './attempt';
import {
  declined,
  exception,
  incomplete,
  invalid,
  notOpened,
  notSucceeded,
  notValidated,
  type Place,
} from './catalogue';
import type { Happening, OpenOrder, Trouble, Way } from './checkout';
import type { Confirmation, PaymentSurface } from './payment-surface';

/** What is bought: a draw's tickets or a whole cart. */
export interface Purchase {
  /** Names the attempt: one key per draw, one for the cart. */
  scope: string;
  place: Place;
  way: Way;
  buyer: Buyer | null;
  /** The server's own check of details and consents, which it records; what is wrong, or nothing. */
  validate: () => Promise<readonly string[]>;
  open: (clientKey: string) => Promise<IntentAnswer>;
  /** Where the server confirms the payment itself, with a method that the browser made (decision C-5). */
  byMethod?: (paymentMethodId: string, order: OpenOrder) => Promise<CompletionAnswer>;
  complete: (paymentIntentId: string) => Promise<CompletionAnswer>;
}

/** The thank-you page finds the order by this even when nothing else was kept (decision C-17). */
export const LAST_PAYMENT_KEY = 'lastPayment';

const MISMATCH = 'payment-mismatch';

type Say = (happening: Happening) => void;

export async function pay(
  purchase: Purchase,
  surface: PaymentSurface,
  say: Say,
  onBusy: () => void = () => {},
): Promise<void> {
  say({ is: 'submitted', way: purchase.way });
  const order = await reserve(purchase, surface, onBusy).catch((trouble: Trouble) => {
    say({ is: 'refused', trouble });
    return null;
  });
  if (!order) return;
  say({ is: 'opened', order });
  const { scope } = purchase;
  const attempt = {
    ...beginAttempt(scope),
    orderToken: order.orderToken,
    paymentIntentId: order.paymentIntentId,
  };
  noteAttempt(scope, { ...attempt, paying: true });
  writeStored('session', LAST_PAYMENT_KEY, {
    paymentIntentId: order.paymentIntentId,
    orderToken: order.orderToken,
    scope,
  });

  const outcome = purchase.byMethod
    ? await throughServer(purchase, purchase.byMethod, surface, order, onBusy)
    : await throughProvider(purchase, surface, order);
  if (outcome.is === 'declined') noteAttempt(scope, { ...attempt, paying: false });
  if (outcome.is === 'issued' || outcome.is === 'pending') say({ is: 'authorised' });
  if (outcome.is !== 'authorised') return say(outcome);
  say(outcome);
  say(await issue(purchase, order, onBusy));
}

/** Refusals become words here; nothing has been charged at this point. */
async function reserve(
  purchase: Purchase,
  surface: PaymentSurface,
  onBusy: () => void,
): Promise<OpenOrder> {
  const { place, way } = purchase;
  const missing = await surface.submit().catch((error: unknown) => {
    throw exception(place, error);
  });
  if (missing) throw incomplete(place, missing.message);
  const errors = await purchase.validate().catch((error: unknown) => {
    throw notValidated(place, error);
  });
  if (errors.length > 0) throw invalid(errors);
  const { clientKey } = beginAttempt(purchase.scope);
  return patiently(() => purchase.open(clientKey), onBusy).then(openOrder, (error: unknown) => {
    throw notOpened(place, way, error);
  });
}

export function openOrder(answer: IntentAnswer): OpenOrder {
  const { clientSecret, paymentIntentId, orderToken, reservationId, amount, ticketCount, items } =
    answer;
  return {
    clientSecret,
    paymentIntentId,
    orderToken,
    reservationId,
    amount,
    ticketCount,
    items,
    expiresAt: Date.parse(answer.expiresAt),
  };
}

/** The provider's own library confirms. */
async function throughProvider(
  purchase: Purchase,
  surface: PaymentSurface,
  order: OpenOrder,
): Promise<Happening> {
  return confirmed(
    purchase,
    await surface.confirm(
      order.clientSecret,
      purchase.buyer,
      `${window.location.origin}/thank-you`,
    ),
  );
}

function confirmed({ place, way }: Purchase, confirmation: Confirmation): Happening {
  switch (confirmation.kind) {
    case 'authorised':
      return { is: 'authorised' };
    case 'declined':
      return { is: 'declined', trouble: declined(place, way, confirmation.message) };
    case 'open':
      return { is: 'declined', trouble: notSucceeded(confirmation.status) };
    case 'unsure':
      return { is: 'unsure' };
  }
}

/** The server confirms; the browser only lends the method, and answers the bank's question if there is one. */
async function throughServer(
  purchase: Purchase,
  byMethod: NonNullable<Purchase['byMethod']>,
  surface: PaymentSurface,
  order: OpenOrder,
  onBusy: () => void,
): Promise<Happening> {
  const { place, way, scope } = purchase;
  const method = await surface.method(purchase.buyer);
  if (method.kind === 'refused')
    return { is: 'declined', trouble: declined(place, way, method.message) };
  try {
    const answer = await patiently(() => byMethod(method.id, order), onBusy);
    if (answer.status === 'requires_action' && answer.clientSecret)
      return confirmed(purchase, await surface.nextAction(answer.clientSecret));
    if (answer.status === 'requires_payment_method')
      return { is: 'declined', trouble: declined(place, way, answer.message ?? null) };
    return decided(scope, answer, { is: 'pending' });
  } catch (error) {
    // A refusal of the provider (402) or of the call itself (400) leaves the card untouched.
    if (error instanceof Problem && (error.status === 402 || error.status === 400))
      return { is: 'declined', trouble: declined(place, way, error.said.message ?? null) };
    return refusedFor(scope, error) ?? { is: 'unsure' };
  }
}

/** Asks again what became of a payment whose outcome nobody knows. Null: still nobody does. */
export async function askAgain(
  scope: string,
  paymentIntentId: string,
): Promise<Happening | 'untouched' | null> {
  try {
    const answer = await finishPayment(paymentIntentId);
    if (answer.status === 'requires_payment_method') return 'untouched';
    const happening = decided(scope, answer, { is: 'unsure' });
    return happening.is === 'unsure' ? null : happening;
  } catch (error) {
    return refusedFor(scope, error);
  }
}

/** A refusal to complete is a decision: no tickets, and no money kept; of a payment that is not its order's neither is promised, for people look into it. Null when it is no refusal. */
function refusedFor(scope: string, error: unknown): Happening | null {
  if (!(error instanceof Problem) || (error.said.status !== 'not_charged' && error.status !== 409))
    return null;
  if (error.code === MISMATCH) return { is: 'unsure', said: error.said.message };
  endAttempt(scope);
  return {
    is: 'notCharged',
    reason: error.said.message ?? '',
    refunding: error.code === 'refunding',
  };
}

/** The provider has set the money aside. From here on a failure of ours is "your tickets are being issued", never "try again". */
async function issue(purchase: Purchase, order: OpenOrder, onBusy: () => void): Promise<Happening> {
  try {
    const answer = await patiently(() => purchase.complete(order.paymentIntentId), onBusy);
    return decided(purchase.scope, answer, { is: 'pending' });
  } catch (error) {
    return refusedFor(purchase.scope, error) ?? { is: 'pending' };
  }
}

/** What an answer to a completing call decides; without an end in it, `otherwise`. */
function decided(scope: string, answer: CompletionAnswer, otherwise: Happening): Happening {
  if (answer.status === 'succeeded') {
    finishAttempt(scope);
    return { is: 'issued', tickets: answer.tickets ?? [] };
  }
  if (answer.status === 'not_charged') {
    endAttempt(scope);
    return { is: 'notCharged', reason: answer.message ?? '' };
  }
  return otherwise;
}
