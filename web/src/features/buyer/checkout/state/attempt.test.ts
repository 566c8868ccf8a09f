import { expect, test } from 'vitest';
import {
  currentAttempt,
  beginAttempt,
  endAttempt,
  finishAttempt,
  finishedOrderToken,
  saveAttempt,
} from './attempt';

test('what was bought is known until another attempt begins, and of its own scope alone', () => {
  saveAttempt('draw:1042', { ...beginAttempt('draw:1042'), orderToken: 't' });
  finishAttempt('draw:1042');
  expect([
    currentAttempt('draw:1042'),
    finishedOrderToken('draw:1042'),
    finishedOrderToken('cart'),
  ]).toEqual([null, 't', null]);
  beginAttempt('draw:1042');
  expect(finishedOrderToken('draw:1042')).toBeNull();
});

test('an attempt that came to nothing has bought nothing', () => {
  saveAttempt('cart', { ...beginAttempt('cart'), orderToken: 't' });
  endAttempt('cart');
  expect(finishedOrderToken('cart')).toBeNull();
});

test('who asks twice what became of a purchase does not forget it', () => {
  saveAttempt('cart', { ...beginAttempt('cart'), orderToken: 't' });
  finishAttempt('cart');
  finishAttempt('cart');
  expect(finishedOrderToken('cart')).toBe('t');
});
