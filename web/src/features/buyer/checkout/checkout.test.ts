import { describe, expect, test } from 'vitest';
import {
  CHOOSING,
  advance,
  boughtCount,
  isBusy,
  mayPay,
  outcomeOf,
  ownHeld,
  type Checkout,
  type CheckoutEvent,
  type OpenOrder,
} from './checkout';

const order: OpenOrder = {
  clientSecret: 's',
  paymentIntentId: 'pi_1',
  orderToken: 't',
  reservationId: 'r',
  amount: 1047,
  ticketCount: 2,
  expiresAt: 1_000,
};
const trouble = { title: 'Payment Failed', text: 'Your card was declined.' };
const through = (...happenings: CheckoutEvent[]): Checkout => happenings.reduce(advance, CHOOSING);

const submitted: CheckoutEvent = { is: 'submitted', way: 'card' };
const opened: CheckoutEvent = { is: 'opened', order };
const authorised: CheckoutEvent = { is: 'authorised' };

test('a purchase goes from choosing to issued tickets', () => {
  const tickets = [{ ticketNumber: 1, serialNumber: 'FD-1042-001', homeNumber: 7, awayNumber: 9 }];
  expect(through(submitted, opened, authorised, { is: 'issued', tickets })).toEqual({
    at: 'issued',
    tickets,
  });
});

test('a decline keeps the order and offers another card', () => {
  const checkout = through(submitted, opened, { is: 'declined', trouble });
  expect(checkout).toEqual({ at: 'choosing', order, trouble });
  expect(mayPay(checkout)).toBe(true);
  expect(ownHeld(checkout, 999)).toBe(2);
});

test('tickets are held until the reservation expires, but through a payment that has started', () => {
  expect(ownHeld(through(submitted, opened, { is: 'declined', trouble }), 1_000)).toBe(0);
  expect(ownHeld(through(submitted, opened), 1_000)).toBe(2);
});

test('after a reload during a payment the count comes from the tickets, not from the form', () => {
  const tickets = [1, 2, 3].map((ticketNumber) => ({
    ticketNumber,
    serialNumber: 'x',
    homeNumber: 1,
    awayNumber: 1,
  }));
  expect(boughtCount(through({ is: 'unsure', order }, { is: 'issued', tickets }), 1)).toBe(3);
  expect(boughtCount(through({ is: 'unsure', order }, { is: 'issued', tickets: [] }), 1)).toBe(1);
});

test('a refusal before the payment gives its reason and reserves nothing', () => {
  expect(through(submitted, { is: 'refused', trouble })).toEqual({
    at: 'choosing',
    order: null,
    trouble,
  });
});

test('reserving tickets clears a too-few-tickets error but not a decline', () => {
  const tooFew = {
    title: 'Tickets No Longer Available',
    text: 'Only 2 tickets remaining. Please adjust your selection.',
    available: 2,
  };
  expect(through({ is: 'refused', trouble: tooFew }, opened)).toEqual({
    at: 'choosing',
    order,
    trouble: null,
  });
  expect(through(submitted, opened, { is: 'declined', trouble }, opened)).toEqual({
    at: 'choosing',
    order,
    trouble,
  });
});

describe('once money may have moved', () => {
  const unsure: readonly CheckoutEvent[][] = [
    [submitted, opened, { is: 'unsure' }],
    [submitted, opened, authorised, { is: 'unsure' }],
    [{ is: 'unsure', order }],
  ];
  const everything: CheckoutEvent[] = [
    submitted,
    opened,
    authorised,
    { is: 'refused', trouble },
    { is: 'declined', trouble },
    { is: 'unsure' },
    { is: 'expired' },
    { is: 'again' },
  ];

  test.each(unsure.map((happenings) => [happenings]))(
    'no second payment is offered until the server has decided',
    (happenings) => {
      const checkout = through(...happenings);
      expect(checkout.at).toBe('confirming');
      for (const next of everything) {
        expect(mayPay(advance(checkout, next))).toBe(false);
        expect(mayPay(advance(advance(checkout, { is: 'gaveUp' }), next))).toBe(false);
      }
    },
  );

  test('a server error stays visible until the server decides, even after polling has ended', () => {
    const said = 'This payment does not match your order.';
    expect(through({ is: 'unsure', order }, { is: 'unsure', said }, { is: 'gaveUp' })).toEqual({
      at: 'lost',
      order,
      said,
    });
    expect(
      through(submitted, opened, authorised, { is: 'unsure', said }, { is: 'issued', tickets: [] }),
    ).toEqual({ at: 'issued', tickets: [] });
  });

  test('an authorised payment without tickets offers no second payment after any late event', () => {
    const pending = through(submitted, opened, authorised, { is: 'pending' });
    expect(pending.at).toBe('pending');
    for (const next of [
      ...everything,
      { is: 'untouched', trouble } as const,
      { is: 'gaveUp' } as const,
    ])
      expect(mayPay(advance(pending, next))).toBe(false);
    expect(advance(pending, { is: 'issued', tickets: [] }).at).toBe('issued');
  });

  test('the server’s decision ends the purchase either way, even after polling has ended', () => {
    const lost = through(submitted, opened, { is: 'unsure' }, { is: 'gaveUp' });
    expect(advance(lost, { is: 'issued', tickets: [] }).at).toBe('issued');
    const notCharged = advance(lost, { is: 'notCharged', reason: 'closed' });
    expect(notCharged).toEqual({ at: 'notCharged', reason: 'closed', refunding: false });
    expect(advance(notCharged, { is: 'again' })).toEqual(CHOOSING);
  });

  test('the payment may be retried once the provider has confirmed that no card was accepted', () => {
    const confirming = through(submitted, opened, { is: 'unsure' });
    expect(advance(confirming, { is: 'untouched', trouble })).toEqual({
      at: 'choosing',
      order: null,
      trouble,
    });
    expect(advance(through(submitted, opened, authorised), { is: 'untouched', trouble }).at).toBe(
      'issuing',
    );
  });

  test('while the provider is asked, neither an expiry nor a second tap changes the state', () => {
    const paying = through(submitted, opened);
    expect(advance(paying, submitted)).toBe(paying);
    expect(advance(paying, { is: 'expired' })).toBe(paying);
    expect(isBusy(paying)).toBe(true);
  });
});

test('an order’s answer is an outcome only when it is final', () => {
  const lines = [
    { tickets: [{ ticketNumber: 1, serialNumber: 'x', homeNumber: 1, awayNumber: 1 }] },
  ];
  expect(outcomeOf({ status: 'succeeded', reason: null, lines })).toEqual({
    is: 'issued',
    tickets: lines[0]?.tickets,
  });
  expect(outcomeOf({ status: 'not_charged', reason: 'sold out', lines })).toEqual({
    is: 'notCharged',
    reason: 'sold out',
  });
  expect(outcomeOf({ status: 'refunding', reason: null, lines })).toEqual({
    is: 'notCharged',
    reason: '',
    refunding: true,
  });
  expect(outcomeOf({ status: 'processing', reason: null, lines })).toBeNull();
  // The order status for an intent that may have been authorised a moment ago. It is not final.
  expect(outcomeOf({ status: 'requires_payment_method', reason: null, lines })).toBeNull();
});
