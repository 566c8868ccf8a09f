import { describe, expect, test } from 'vitest';
import {
  INITIAL_CHECKOUT,
  reduceCheckout,
  purchasedTicketCount,
  isCheckoutBusy,
  canPay,
  eventForOrderOutcome,
  ownReservedTicketCount,
} from './checkout';
import type { Checkout, CheckoutEvent, OpenOrder } from './checkout';

const openOrder: OpenOrder = {
  clientSecret: 's',
  paymentIntentId: 'pi_1',
  orderToken: 't',
  reservationId: 'r',
  amount: 1047,
  ticketCount: 2,
  expiresAt: 1_000,
};
const declinedError = { title: 'Payment Failed', text: 'Your card was declined.' };
const stateAfterEvents = (...happenings: CheckoutEvent[]): Checkout =>
  happenings.reduce(reduceCheckout, INITIAL_CHECKOUT);

const submittedEvent: CheckoutEvent = { type: 'submitted', method: 'card' };
const openedEvent: CheckoutEvent = { type: 'opened', order: openOrder };
const authorisedEvent: CheckoutEvent = { type: 'authorised' };

test('a purchase goes from choosing to issued tickets', () => {
  const tickets = [{ ticketNumber: 1, serialNumber: 'FD-1042-001', homeNumber: 7, awayNumber: 9 }];
  expect(
    stateAfterEvents(submittedEvent, openedEvent, authorisedEvent, { type: 'issued', tickets }),
  ).toEqual({
    state: 'issued',
    tickets,
  });
});

test('a decline keeps the order and offers another card', () => {
  const checkout = stateAfterEvents(submittedEvent, openedEvent, {
    type: 'declined',
    error: declinedError,
  });
  expect(checkout).toEqual({ state: 'choosing', order: openOrder, error: declinedError });
  expect(canPay(checkout)).toBe(true);
  expect(ownReservedTicketCount(checkout, 999)).toBe(2);
});

test('tickets are held until the reservation expires, but through a payment that has started', () => {
  expect(
    ownReservedTicketCount(
      stateAfterEvents(submittedEvent, openedEvent, { type: 'declined', error: declinedError }),
      1_000,
    ),
  ).toBe(0);
  expect(ownReservedTicketCount(stateAfterEvents(submittedEvent, openedEvent), 1_000)).toBe(2);
});

test('after a reload during a payment the count comes from the tickets, not from the form', () => {
  const tickets = [1, 2, 3].map((ticketNumber) => ({
    ticketNumber,
    serialNumber: 'x',
    homeNumber: 1,
    awayNumber: 1,
  }));
  expect(
    purchasedTicketCount(
      stateAfterEvents({ type: 'unsure', order: openOrder }, { type: 'issued', tickets }),
      1,
    ),
  ).toBe(3);
  expect(
    purchasedTicketCount(
      stateAfterEvents({ type: 'unsure', order: openOrder }, { type: 'issued', tickets: [] }),
      1,
    ),
  ).toBe(1);
});

test('a refusal before the payment gives its reason and reserves nothing', () => {
  expect(stateAfterEvents(submittedEvent, { type: 'refused', error: declinedError })).toEqual({
    state: 'choosing',
    order: null,
    error: declinedError,
  });
});

test('reserving tickets clears a too-few-tickets error but not a decline', () => {
  const tooFew = {
    title: 'Tickets No Longer Available',
    text: 'Only 2 tickets remaining. Please adjust your selection.',
    available: 2,
  };
  expect(stateAfterEvents({ type: 'refused', error: tooFew }, openedEvent)).toEqual({
    state: 'choosing',
    order: openOrder,
    error: null,
  });
  expect(
    stateAfterEvents(
      submittedEvent,
      openedEvent,
      { type: 'declined', error: declinedError },
      openedEvent,
    ),
  ).toEqual({
    state: 'choosing',
    order: openOrder,
    error: declinedError,
  });
});

describe('once money may have moved', () => {
  const unsure: readonly CheckoutEvent[][] = [
    [submittedEvent, openedEvent, { type: 'unsure' }],
    [submittedEvent, openedEvent, authorisedEvent, { type: 'unsure' }],
    [{ type: 'unsure', order: openOrder }],
  ];
  const everything: CheckoutEvent[] = [
    submittedEvent,
    openedEvent,
    authorisedEvent,
    { type: 'refused', error: declinedError },
    { type: 'declined', error: declinedError },
    { type: 'unsure' },
    { type: 'expired' },
    { type: 'again' },
  ];

  test.each(unsure.map((happenings) => [happenings]))(
    'no second payment is offered until the server has decided',
    (happenings) => {
      const checkout = stateAfterEvents(...happenings);
      expect(checkout.state).toBe('confirming');
      for (const next of everything) {
        expect(canPay(reduceCheckout(checkout, next))).toBe(false);
        expect(canPay(reduceCheckout(reduceCheckout(checkout, { type: 'gaveUp' }), next))).toBe(
          false,
        );
      }
    },
  );

  test('a server error stays visible until the server decides, even after polling has ended', () => {
    const message = 'This payment does not match your order.';
    expect(
      stateAfterEvents(
        { type: 'unsure', order: openOrder },
        { type: 'unsure', serverMessage: message },
        { type: 'gaveUp' },
      ),
    ).toEqual({
      state: 'lost',
      order: openOrder,
      serverMessage: message,
    });
    expect(
      stateAfterEvents(
        submittedEvent,
        openedEvent,
        authorisedEvent,
        { type: 'unsure', serverMessage: message },
        { type: 'issued', tickets: [] },
      ),
    ).toEqual({ state: 'issued', tickets: [] });
  });

  test('an authorised payment without tickets offers no second payment after any late event', () => {
    const pending = stateAfterEvents(submittedEvent, openedEvent, authorisedEvent, {
      type: 'pending',
    });
    expect(pending.state).toBe('pending');
    for (const next of [
      ...everything,
      { type: 'untouched', error: declinedError } as const,
      { type: 'gaveUp' } as const,
    ])
      expect(canPay(reduceCheckout(pending, next))).toBe(false);
    expect(reduceCheckout(pending, { type: 'issued', tickets: [] }).state).toBe('issued');
  });

  test('the server’s decision ends the purchase either way, even after polling has ended', () => {
    const lost = stateAfterEvents(
      submittedEvent,
      openedEvent,
      { type: 'unsure' },
      { type: 'gaveUp' },
    );
    expect(reduceCheckout(lost, { type: 'issued', tickets: [] }).state).toBe('issued');
    const notCharged = reduceCheckout(lost, { type: 'notCharged', reason: 'closed' });
    expect(notCharged).toEqual({ state: 'notCharged', reason: 'closed', refunding: false });
    expect(reduceCheckout(notCharged, { type: 'again' })).toEqual(INITIAL_CHECKOUT);
  });

  test('the payment may be retried once the provider has confirmed that no card was accepted', () => {
    const confirming = stateAfterEvents(submittedEvent, openedEvent, { type: 'unsure' });
    expect(reduceCheckout(confirming, { type: 'untouched', error: declinedError })).toEqual({
      state: 'choosing',
      order: null,
      error: declinedError,
    });
    expect(
      reduceCheckout(stateAfterEvents(submittedEvent, openedEvent, authorisedEvent), {
        type: 'untouched',
        error: declinedError,
      }).state,
    ).toBe('issuing');
  });

  test('while the provider is asked, neither an expiry nor a second tap changes the state', () => {
    const paying = stateAfterEvents(submittedEvent, openedEvent);
    expect(reduceCheckout(paying, submittedEvent)).toBe(paying);
    expect(reduceCheckout(paying, { type: 'expired' })).toBe(paying);
    expect(isCheckoutBusy(paying)).toBe(true);
  });
});

test('an order’s answer is an outcome only when it is final', () => {
  const lines = [
    { tickets: [{ ticketNumber: 1, serialNumber: 'x', homeNumber: 1, awayNumber: 1 }] },
  ];
  expect(eventForOrderOutcome({ status: 'succeeded', reason: null, lines })).toEqual({
    type: 'issued',
    tickets: lines[0]?.tickets,
  });
  expect(eventForOrderOutcome({ status: 'not_charged', reason: 'sold out', lines })).toEqual({
    type: 'notCharged',
    reason: 'sold out',
  });
  expect(eventForOrderOutcome({ status: 'refunding', reason: null, lines })).toEqual({
    type: 'notCharged',
    reason: '',
    refunding: true,
  });
  expect(eventForOrderOutcome({ status: 'processing', reason: null, lines })).toBeNull();
  // The intent may have been authorised a moment ago, so this order status is not final.
  expect(
    eventForOrderOutcome({ status: 'requires_payment_method', reason: null, lines }),
  ).toBeNull();
});
