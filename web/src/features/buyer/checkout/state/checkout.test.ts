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

test('a purchase goes from the choice to the tickets', () => {
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

test('tickets are kept only as long as the reservation lasts, but through a payment that has begun', () => {
  expect(ownHeld(through(submitted, opened, { is: 'declined', trouble }), 1_000)).toBe(0);
  expect(ownHeld(through(submitted, opened), 1_000)).toBe(2);
});

test('after a reload in the middle of a payment the tickets are counted, not the form', () => {
  const tickets = [1, 2, 3].map((ticketNumber) => ({
    ticketNumber,
    serialNumber: 'x',
    homeNumber: 1,
    awayNumber: 1,
  }));
  expect(boughtCount(through({ is: 'unsure', order }, { is: 'issued', tickets }), 1)).toBe(3);
  expect(boughtCount(through({ is: 'unsure', order }, { is: 'issued', tickets: [] }), 1)).toBe(1);
});

test('a refusal before the payment says why and holds nothing', () => {
  expect(through(submitted, { is: 'refused', trouble })).toEqual({
    at: 'choosing',
    order: null,
    trouble,
  });
});

test('too few tickets is forgotten once some are reserved; a decline is not', () => {
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

  test('what the server says is wrong stays until it decides, also after we gave up asking', () => {
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

  test('an authorised payment without tickets offers no second one, whatever comes late', () => {
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

  test('the server’s word ends it either way, even after we gave up asking', () => {
    const lost = through(submitted, opened, { is: 'unsure' }, { is: 'gaveUp' });
    expect(advance(lost, { is: 'issued', tickets: [] }).at).toBe('issued');
    const notCharged = advance(lost, { is: 'notCharged', reason: 'closed' });
    expect(notCharged).toEqual({ at: 'notCharged', reason: 'closed', refunding: false });
    expect(advance(notCharged, { is: 'again' })).toEqual(CHOOSING);
  });

  test('the same payment may be tried again once the server has asked the provider and no card was accepted', () => {
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

  test('while the provider is asked, no timer and no second tap changes anything', () => {
    const paying = through(submitted, opened);
    expect(advance(paying, submitted)).toBe(paying);
    expect(advance(paying, { is: 'expired' })).toBe(paying);
    expect(isBusy(paying)).toBe(true);
  });
});

test('an order’s answer decides only what is decided', () => {
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
