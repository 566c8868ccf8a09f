import { expect, test } from 'vitest';
import {
  currentAttempt,
  beginAttempt,
  endAttempt,
  finishAttemptWithTickets,
  finishedOrderToken,
  saveAttempt,
} from './purchase-attempt';

test('a finished order is known until a new attempt begins in the same scope', () => {
  saveAttempt('draw:1042', { ...beginAttempt('draw:1042'), orderToken: 't' });
  finishAttemptWithTickets('draw:1042');
  expect([
    currentAttempt('draw:1042'),
    finishedOrderToken('draw:1042'),
    finishedOrderToken('cart'),
  ]).toEqual([null, 't', null]);
  beginAttempt('draw:1042');
  expect(finishedOrderToken('draw:1042')).toBeNull();
});

test('an attempt without an outcome has no finished order', () => {
  saveAttempt('cart', { ...beginAttempt('cart'), orderToken: 't' });
  endAttempt('cart');
  expect(finishedOrderToken('cart')).toBeNull();
});

test('ending an attempt twice keeps its finished order', () => {
  saveAttempt('cart', { ...beginAttempt('cart'), orderToken: 't' });
  finishAttemptWithTickets('cart');
  finishAttemptWithTickets('cart');
  expect(finishedOrderToken('cart')).toBe('t');
});
