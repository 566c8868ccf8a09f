import { fireEvent, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { makeClaim } from '@/testing/club-data';
import { FakeServer } from '@/testing/fake-server';
import { renderScreen } from '@/testing/render-screen';
import { VerifyEmailPage } from '../login/verify-email';
import { PrizeClaimPage } from './claim';

afterEach(() => vi.unstubAllGlobals());

const OPEN_CLAIM = makeClaim({ clubName: 'Redcliffe', clubSlug: 'redcliffe' });

function fillBankForm() {
  for (const [label, value] of [
    ['Account name', 'Robin'],
    ['BSB', '062000'],
    ['Account number', '1234567'],
  ] as const)
    fireEvent.change(screen.getByLabelText(label), { target: { value } });
}

test('a winner sends bank details through the link, whose secret leaves the address bar', async () => {
  const server = new FakeServer()
    .on('POST /api/claims/look', { body: OPEN_CLAIM })
    .on('POST /api/claims', { body: { ...OPEN_CLAIM, state: 'received' } });
  renderScreen(<PrizeClaimPage fromPath={undefined} />, '/claim#secret');
  expect(await screen.findByText('$290.00')).toBeTruthy();
  expect(window.location.hash).toBe('');
  expect(screen.getByText(/Please answer by Fri 27 Nov 2026/)).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Send my bank details' }));
  expect(screen.getAllByText('Account name is required').length).toBeGreaterThan(1);
  fillBankForm();
  await userEvent.click(screen.getByRole('button', { name: 'Send my bank details' }));
  expect(
    await screen.findByText('Redcliffe has your bank details and pays you directly.'),
  ).toBeTruthy();
  expect(server.requests.at(-1)?.body).toEqual({
    token: 'secret',
    accountName: 'Robin',
    bsb: '062-000',
    accountNumber: '1234567',
  });
  expect(JSON.stringify({ ...localStorage, ...sessionStorage })).not.toContain('1234567');
});

test('the link’s expiry is shown to the minute in the draw’s zone, as in the mail', async () => {
  new FakeServer().on('POST /api/claims/look', {
    body: { ...OPEN_CLAIM, timezone: 'Pacific/Auckland', respondBy: '2026-11-27T12:30:00Z' },
  });
  renderScreen(<PrizeClaimPage fromPath="secret" />, '/claim/secret');
  expect(await screen.findByText(/Please answer by Sat 28 Nov 2026, 1:30 am/)).toBeTruthy();
});

test('an unknown, used, expired or paid link says which it is', async () => {
  const cases: [object, RegExp][] = [
    [
      { status: 404, body: { message: 'This link is invalid or has expired.' } },
      /This link is invalid or has expired\./,
    ],
    [{ body: { ...OPEN_CLAIM, state: 'expired' } }, /The 7 days to respond have passed/],
    [{ body: { ...OPEN_CLAIM, state: 'completed' } }, /has recorded the payment/],
    [{ body: { ...OPEN_CLAIM, state: 'received' } }, /has your bank details/],
  ];
  for (const [answer, text] of cases) {
    new FakeServer().on('POST /api/claims/look', answer);
    const { unmount } = renderScreen(<PrizeClaimPage fromPath="secret" />, '/claim/secret');
    expect(await screen.findByText(text)).toBeTruthy();
    unmount();
  }
  renderScreen(<PrizeClaimPage fromPath={undefined} />, '/claim');
  expect(screen.getByRole('alert').textContent).toBe('This link is invalid or has expired.');
});

test('refused details say why: too late, received before, or prize already paid', async () => {
  const cases: [number, string, RegExp][] = [
    [410, 'claim-expired', /The 7 days to respond have passed/],
    [409, 'claim-used', /has your bank details/],
    [409, 'payout-settled', /has recorded the payment/],
  ];
  for (const [status, code, text] of cases) {
    new FakeServer()
      .on('POST /api/claims/look', { body: OPEN_CLAIM })
      .on('POST /api/claims', { status, body: { code, message: 'x' } });
    const { unmount } = renderScreen(<PrizeClaimPage fromPath="secret" />, '/claim/secret');
    await screen.findByText('$290.00');
    fillBankForm();
    await userEvent.click(screen.getByRole('button', { name: 'Send my bank details' }));
    expect(await screen.findByText(text)).toBeTruthy();
    unmount();
  }
});

test('the link confirms an e-mail address or says that it is invalid', async () => {
  new FakeServer().on(
    'POST /api/clubs/verify-email',
    { body: { verified: true } },
    { status: 400, body: { message: 'This link is invalid or has expired.' } },
  );
  const { unmount } = renderScreen(<VerifyEmailPage />, '/verify-email?token=good');
  expect(await screen.findByRole('heading', { name: 'Email confirmed' })).toBeTruthy();
  expect(window.location.search).toBe('');
  unmount();
  renderScreen(<VerifyEmailPage />, '/verify-email?token=dead');
  expect(await screen.findByText('This link is invalid or has expired.')).toBeTruthy();
});

test('a fresh link survives a reload, and a link that does not work is forgotten', async () => {
  new FakeServer().on('POST /api/claims/look', { body: OPEN_CLAIM });
  const { unmount } = renderScreen(<PrizeClaimPage fromPath={undefined} />, '/claim#secret');
  expect(await screen.findByText('$290.00')).toBeTruthy();
  unmount();
  const server = new FakeServer().on(
    'POST /api/claims/look',
    { body: OPEN_CLAIM },
    { status: 404, body: { message: 'This link is invalid or has expired.' } },
  );
  const reloaded = renderScreen(<PrizeClaimPage fromPath={undefined} />, '/claim');
  expect(await screen.findByText('$290.00')).toBeTruthy();
  expect(server.requests.at(-1)?.body).toEqual({ token: 'secret' });
  reloaded.unmount();
  renderScreen(<PrizeClaimPage fromPath={undefined} />, '/claim').unmount();
  await vi.waitFor(() => expect(sessionStorage.getItem('claim_token')).toBeNull());
});

test('the winner sees the account with its last digits, before and after the payment', async () => {
  const bank = {
    accountName: 'Robin',
    accountNumber: '••••567',
    bsb: '•••-•00',
    receivedAt: '2026-11-21T00:00:00Z',
    from: 'winner',
    pendingApproval: null,
  };
  for (const state of ['received', 'completed']) {
    new FakeServer().on('POST /api/claims/look', { body: { ...OPEN_CLAIM, state, bank } });
    const { unmount } = renderScreen(<PrizeClaimPage fromPath="secret" />, '/claim/secret');
    expect(await screen.findByText('••••567')).toBeTruthy();
    unmount();
  }
});
