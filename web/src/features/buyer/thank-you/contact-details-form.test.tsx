import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { OrderResponse } from '@/api/wire';
import { renderScreen } from '@/testing/render-screen';
import { ContactDetailsForm } from './contact-details-form';

const orderWithoutContact = {
  status: 'succeeded',
  orderToken: 't',
  paymentIntentId: 'pi_1',
  buyerName: 'Jo',
  buyerEmailMasked: null,
} as unknown as OrderResponse;
const fieldValue = (label: string) => (screen.getByLabelText(label) as HTMLInputElement).value;

test('a card buyer with an invalid address reads nothing about wallets and types the name only once', () => {
  renderScreen(<ContactDetailsForm order={orderWithoutContact} />);
  expect(
    screen.getByText(
      'We have no e-mail address that we can write to. Without one the club cannot tell you if you win.',
    ),
  ).toBeDefined();
  expect(document.body.textContent).not.toMatch(/wallet/i);
  expect([
    fieldValue('Full Name'),
    fieldValue('Email Address'),
    fieldValue('Phone Number'),
  ]).toEqual(['Jo', '', '']);
});

test.each(['Ticket Holder', null])('a missing name (%s) is asked for', (buyerName) => {
  renderScreen(
    <ContactDetailsForm order={{ ...orderWithoutContact, buyerName } as OrderResponse} />,
  );
  expect(fieldValue('Full Name')).toBe('');
});
