import { expect, test } from 'vitest';
import { readApplePayRequest } from './request';

test('a complete link is read from the query or from the fragment', () => {
  const request = { clientSecret: 'pi_1_secret_2', drawId: 1042, ticketCount: 2, amount: 1047 };
  const said = 'clientSecret=pi_1_secret_2&drawId=1042&ticketCount=2&amount=1047';
  expect(readApplePayRequest(`?${said}`, '')).toEqual({
    request,
    back: '/checkout?drawId=1042&ticketCount=2',
  });
  expect(readApplePayRequest('', `#${said}`)).toEqual({
    request,
    back: '/checkout?drawId=1042&ticketCount=2',
  });
});

test.each([
  '',
  '?drawId=1042&ticketCount=2',
  '?clientSecret=s&ticketCount=2',
  '?clientSecret=s&drawId=x&ticketCount=2',
  '?clientSecret=s&drawId=1042&ticketCount=0',
  '?clientSecret=s&drawId=1042&ticketCount=51',
  '?clientSecret=&drawId=1042&ticketCount=2',
])('an incomplete link is invalid: %s', (search) => {
  expect(readApplePayRequest(search, '').request).toBeNull();
});

test('the address of the way back never contains the secret', () => {
  expect(readApplePayRequest('?clientSecret=s&drawId=1042', '').back).toBe('/checkout?drawId=1042');
  expect(readApplePayRequest('?clientSecret=s', '').back).toBe('/');
});
