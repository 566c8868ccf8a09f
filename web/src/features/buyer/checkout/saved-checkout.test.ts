import { expect, test } from 'vitest';
import { forgetSavedCheckout, readSavedCheckout, saveCheckout, walletOf } from './saved-checkout';

const details = {
  name: 'Jo',
  email: 'jo@example.com',
  phone: '0400',
  overEighteen: true,
  acceptsTerms: true,
};

test('saved details are read back and removed after success', () => {
  saveCheckout(details, 3);
  expect(readSavedCheckout()).toEqual({
    ticketCount: 3,
    details,
    walletFirst: false,
    walletType: null,
  });
  localStorage.setItem('quickPay', 'true');
  localStorage.setItem('walletType', 'apple');
  expect(readSavedCheckout()).toMatchObject({ walletFirst: true, walletType: 'apple' });
  forgetSavedCheckout();
  expect(localStorage.length).toBe(0);
});

test('malformed stored data is ignored', () => {
  for (const [key, value] of [
    ['ticketCount', '1e9'],
    ['buyerInfo', '{"name":7,"email":["x"],"phone":null}'],
    ['ageConfirmation', 'yes'],
    ['termsAgreement', '1'],
    ['walletType', 'gold'],
  ])
    localStorage.setItem(key ?? '', value ?? '');
  expect(readSavedCheckout()).toEqual({
    ticketCount: null,
    details: { name: '', email: '', phone: '', overEighteen: false, acceptsTerms: false },
    walletFirst: false,
    walletType: null,
  });
  expect(['apple', 'applePay', '"google_pay"', '', null].map(walletOf)).toEqual([
    'apple',
    'apple',
    'google',
    null,
    null,
  ]);
});
