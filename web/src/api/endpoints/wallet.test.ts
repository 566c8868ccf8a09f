import { afterEach, expect, test, vi } from 'vitest';
import type { HttpError } from '@/api/http';
import { confirmWalletPayment } from './wallet';

afterEach(() => vi.unstubAllGlobals());

const confirmationRequest = { clientSecret: 's', confirmationTokenId: 'ctoken_1', kind: 'cart' };

function stubResponse(status: number, body: string) {
  const fetching = vi.fn((path: string) => Promise.resolve(new Response(path && body, { status })));
  vi.stubGlobal('fetch', fetching);
  return fetching;
}

test('failure joins message, type and code and keeps status and body', async () => {
  stubResponse(
    402,
    JSON.stringify({
      message: 'Your card was declined.',
      errorType: 'card_error',
      errorCode: 'card_declined',
    }),
  );
  const failure = (await confirmWalletPayment(confirmationRequest).catch(
    (error: unknown) => error,
  )) as HttpError;
  expect(failure.body.message).toBe('Your card was declined. · card_error · card_declined');
  expect([failure.status, failure.message]).toEqual([
    402,
    '402: {"message":"Your card was declined.","errorType":"card_error","errorCode":"card_declined"}',
  ]);
});

test.each(['', '<html>', 'null', '"x"'])(
  'response without a message reports its status: %s',
  async (body) => {
    stubResponse(502, body);
    await expect(confirmWalletPayment(confirmationRequest)).rejects.toMatchObject({
      status: 502,
      body: { message: 'Wallet payment failed (502)' },
    });
  },
);

test('confirmation token is never sent to another address', async () => {
  const fetching = stubResponse(200, '{"status":"succeeded"}');
  await confirmWalletPayment(confirmationRequest, 'https://elsewhere.example/collect');
  await confirmWalletPayment(confirmationRequest, '//elsewhere.example');
  expect(fetching.mock.calls.map(([path]) => path)).toEqual([
    '/api/payments/confirm-wallet',
    '/api/payments/confirm-wallet',
  ]);
});
