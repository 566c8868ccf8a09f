import { expect, test } from 'vitest';
import {
  attemptOf,
  beginAttempt,
  endAttempt,
  finishAttempt,
  finishedOf,
  noteAttempt,
} from './attempt';

test('what was bought is known until another attempt begins, and of its own scope alone', () => {
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

test('an attempt that came to nothing has bought nothing', () => {
  noteAttempt('cart', { ...beginAttempt('cart'), orderToken: 't' });
  endAttempt('cart');
  expect(finishedOf('cart')).toBeNull();
});

test('who asks twice what became of a purchase does not forget it', () => {
  noteAttempt('cart', { ...beginAttempt('cart'), orderToken: 't' });
  finishAttempt('cart');
  finishAttempt('cart');
  expect(finishedOf('cart')).toBe('t');
});
