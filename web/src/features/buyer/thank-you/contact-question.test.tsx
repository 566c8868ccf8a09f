import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { OrderResponse } from '@/api/wire';
import { renderScreen } from '@/testing/render-screen';
import { ContactQuestion } from './contact-question';

const order = {
  status: 'succeeded',
  orderToken: 't',
  paymentIntentId: 'pi_1',
  buyerName: 'Jo',
  buyerEmailMasked: null,
} as unknown as OrderResponse;
const typed = (label: string) => (screen.getByLabelText(label) as HTMLInputElement).value;

test('a card buyer with an invalid address reads nothing about wallets and types the name only once', () => {
  renderScreen(<ContactQuestion order={order} />);
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
  renderScreen(<ContactQuestion order={{ ...order, buyerName } as OrderResponse} />);
  expect(typed('Full Name')).toBe('');
});
