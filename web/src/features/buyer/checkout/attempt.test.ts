import { expect, test } from 'vitest';
import {
  attemptOf,
  beginAttempt,
  endAttempt,
  finishAttempt,
  finishedOf,
  noteAttempt,
} from './attempt';

test('a finished order is known until a new attempt begins in the same scope', () => {
  noteAttempt('draw:1042', { ...beginAttempt('draw:1042'), orderToken: 't' });
  finishAttempt('draw:1042');
  expect([attemptOf('draw:1042'), finishedOf('draw:1042'), finishedOf('cart')]).toEqual([
    null,
    't',
    null,
  ]);
  beginAttempt('draw:1042');
  expect(finishedOf('draw:1042')).toBeNull();
});

test('an attempt without an outcome has no finished order', () => {
  noteAttempt('cart', { ...beginAttempt('cart'), orderToken: 't' });
  endAttempt('cart');
  expect(finishedOf('cart')).toBeNull();
});

test('ending an attempt twice keeps its finished order', () => {
  noteAttempt('cart', { ...beginAttempt('cart'), orderToken: 't' });
  finishAttempt('cart');
  finishAttempt('cart');
  expect(finishedOf('cart')).toBe('t');
});
