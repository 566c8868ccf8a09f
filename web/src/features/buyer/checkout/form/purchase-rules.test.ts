import { expect, test } from 'vitest';
import {
  EMPTY_PURCHASE_DETAILS,
  buyerOfDetails,
  cardFormProblems,
  clampTicketCount,
  consentProblems,
  ticketCountFromQuery,
  emailTypoHint,
} from './purchase-rules';

test('an empty form lists all five problems in the specified texts and order', () => {
  expect(cardFormProblems(EMPTY_PURCHASE_DETAILS).map((problem) => problem.text)).toEqual([
    'Full name is required',
    'Email is required',
    'Phone number is required',
    'Please confirm you are over 18 years old',
    'Please accept the terms and conditions',
  ]);
});

test('a name of spaces is empty, and submitted details are trimmed', () => {
  const details = {
    name: '  ',
    email: ' jo@example.com ',
    phone: ' 0400 000 000 ',
    overEighteen: true,
    acceptsTerms: true,
  };
  expect(cardFormProblems(details).map((problem) => problem.text)).toEqual([
    'Full name is required',
  ]);
  expect(buyerOfDetails({ ...details, name: ' Jo ' })).toEqual({
    buyerName: 'Jo',
    buyerEmail: 'jo@example.com',
    buyerPhone: '0400 000 000',
  });
});

test('a wallet requires only the two boxes', () => {
  expect(
    consentProblems({ overEighteen: true, acceptsTerms: false }).map((problem) => problem.field),
  ).toEqual(['terms-agreement']);
});

test('a link presets the count, at most what can be bought', () => {
  const count = (query: string, available = 169) =>
    ticketCountFromQuery(query, 'quantity', available);
  expect(
    [
      '?quantity=3',
      '?quantity=50',
      '?quantity=51',
      '?quantity=0',
      '?quantity=-2',
      '?quantity=2.5',
      '?quantity=x',
      '',
    ].map((query) => count(query)),
  ).toEqual([3, 50, 50, 1, 1, 1, 1, 1]);
  expect(count('?quantity=5', 4)).toBe(4);
  expect(count('?quantity=999', 56)).toBe(50);
});

test('a count stays between one and the tickets left, at most fifty', () => {
  expect([
    clampTicketCount(0, 9),
    clampTicketCount(5, 9),
    clampTicketCount(12, 9),
    clampTicketCount(99, 169),
    clampTicketCount(3, 0),
  ]).toEqual([1, 5, 9, 50, 1]);
});

test('a likely typing error in an e-mail domain gets a hint, and a real domain none', () => {
  expect(['jo@gmial.com', 'jo@gmai.com', 'jo@hotmial.com'].map(emailTypoHint)).toEqual([
    'Did you mean gmail.com?',
    'Did you mean gmail.com?',
    'Did you mean hotmail.com?',
  ]);
  expect(['jo@gmail.com', 'jo@example.org', 'jo', ''].map(emailTypoHint)).toEqual([
    null,
    null,
    null,
    null,
  ]);
});
