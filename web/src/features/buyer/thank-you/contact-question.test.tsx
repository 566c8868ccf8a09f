import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { OrderAnswer } from '@/api/wire';
import { show } from '@/testing/show';
import { ContactQuestion } from './contact-question';

const order = {
  status: 'succeeded',
  orderToken: 't',
  paymentIntentId: 'pi_1',
  buyerName: 'Jo',
  buyerEmailMasked: null,
} as unknown as OrderAnswer;
const typed = (label: string) => (screen.getByLabelText(label) as HTMLInputElement).value;

test('a card buyer with an invalid address reads nothing about wallets and types the name only once', () => {
  show(<ContactQuestion order={order} />);
  expect(
    screen.getByText(
      'We have no e-mail address that we can write to. Without one the club cannot tell you if you win.',
    ),
  ).toBeDefined();
  expect(document.body.textContent).not.toMatch(/wallet/i);
  expect([typed('Full Name'), typed('Email Address'), typed('Phone Number')]).toEqual([
    'Jo',
    '',
    '',
  ]);
});

test.each(['Ticket Holder', null])('a missing name (%s) is asked for', (buyerName) => {
  show(<ContactQuestion order={{ ...order, buyerName } as OrderAnswer} />);
  expect(typed('Full Name')).toBe('');
});
