import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import {
  startConsoleServer,
  expectToast,
  openConsole,
  pressButton,
  refusalResponse,
} from '@/testing/console-harness';
import { OPERATOR_WHOAMI } from '@/testing/operator-data';
import { renderScreen } from '@/testing/render-screen';
import { pathAfterLogin } from '@/shared/return-path';
import { ConsoleAccessGuard } from './console-access-guard';

afterEach(() => vi.unstubAllGlobals());

const WHOAMI_CALL = 'GET /api/admin/whoami';
const renderConsoleAccessGuard = (address = '/super-admin') =>
  renderScreen(
    <ConsoleAccessGuard>
      <h1>Inside</h1>
    </ConsoleAccessGuard>,
    address,
  );
const loginWithoutSecondFactor = (secondFactor: 'enrol' | 'required') => ({
  body: { ...OPERATOR_WHOAMI, secondFactor },
});
const SESSION_ENDED_RESPONSE = refusalResponse(401, 'Please log in.', 'unauthenticated');

test('the page shows a loading text while the user loads', async () => {
  startConsoleServer();
  renderConsoleAccessGuard();
  expect(screen.getByText('Checking authentication...')).toBeTruthy();
  expect(await screen.findByText('Inside')).toBeTruthy();
});

test.each([
  ['nobody', SESSION_ENDED_RESPONSE, '/admin/login'],
  [
    'a club',
    {
      body: {
        role: 'club-admin',
        clubSlug: 'sharks',
        user: { id: 1, email: 'c', name: 'C', isAdmin: false },
      },
    },
    '/admin',
  ],
  [
    'a club, refused',
    refusalResponse(403, 'This is for the platform operator.', 'forbidden'),
    '/admin',
  ],
])('%s is redirected', async (_who, answer, to) => {
  startConsoleServer({ [WHOAMI_CALL]: answer });
  renderConsoleAccessGuard();
  await waitFor(() => expect(window.location.pathname).toBe(to));
  expect(screen.queryByText('Inside')).toBeNull();
});

test('a failed identity check shows the console, and its calls are refused one by one', async () => {
  startConsoleServer({ [WHOAMI_CALL]: refusalResponse(500, 'No.') });
  renderConsoleAccessGuard();
  expect(await screen.findByText('Inside')).toBeTruthy();
});

test('an ended session leads to the login and afterwards back to the same section', async () => {
  startConsoleServer({
    [WHOAMI_CALL]: [{ body: OPERATOR_WHOAMI }, SESSION_ENDED_RESPONSE],
    'GET /api/admin/payment-anomalies': SESSION_ENDED_RESPONSE,
  });
  const { Console } = await import('../console/console');
  const { unmount } = renderScreen(
    <ConsoleAccessGuard>
      <Console />
    </ConsoleAccessGuard>,
    '/super-admin?section=payments&status=unresolved',
  );
  await waitFor(() => expect(window.location.pathname).toBe('/admin/login'));
  expect(pathAfterLogin({ isAdmin: true })).toBe('/super-admin?section=payments&status=unresolved');
  unmount();
});

test('a club page that an operator wanted opens after the code, and another site does not', async () => {
  startConsoleServer();
  const { unmount } = renderConsoleAccessGuard('/super-admin?next=/club/sharks/admin');
  await waitFor(() => expect(window.location.pathname).toBe('/club/sharks/admin'));
  unmount();
  renderConsoleAccessGuard('/super-admin?next=//evil.example/admin');
  expect(await screen.findByText('Inside')).toBeTruthy();
  expect(window.location.pathname).toBe('/super-admin');
});

test('a half-finished login continues with a code, and a wrong code shows the server’s text', async () => {
  const server = startConsoleServer({
    [WHOAMI_CALL]: loginWithoutSecondFactor('required'),
    'POST /api/admin/totp/verify': [
      refusalResponse(401, 'That code was used already. Wait for the next one.', 'code-used'),
      { body: OPERATOR_WHOAMI },
    ],
  });
  renderConsoleAccessGuard();
  await userEvent.type(await screen.findByLabelText('Six-digit code'), '123456');
  expect(
    await screen.findByText('That code was used already. Wait for the next one.'),
  ).toBeTruthy();
  expect(window.location.pathname).toBe('/super-admin');
  await userEvent.type(screen.getByLabelText('Six-digit code'), '654321');
  expect(await screen.findByText('Inside')).toBeTruthy();
  expect(server.requests.filter(({ method }) => method === 'POST').map(({ body }) => body)).toEqual(
    [{ code: '123456' }, { code: '654321' }],
  );
});

test('the first login shows the secret as a QR code and as letters', async () => {
  startConsoleServer({
    [WHOAMI_CALL]: loginWithoutSecondFactor('enrol'),
    'POST /api/admin/totp/enrol': {
      body: {
        secret: 'JBSWY3DPEHPK3PXP',
        uri: 'otpauth://totp/x',
        qrDataUrl: 'data:image/svg+xml;base64,PHN2Zy8+',
      },
    },
  });
  renderConsoleAccessGuard();
  expect(await screen.findByAltText('The secret as a QR code')).toBeTruthy();
  expect(screen.getByText('JBSW Y3DP EHPK 3PXP')).toBeTruthy();
});

test('logging out shows a message and opens the login page, even for an ended session', async () => {
  const server = startConsoleServer({ 'POST /api/admin/logout': SESSION_ENDED_RESPONSE });
  openConsole('overview');
  await pressButton('Logout');
  await expectToast('Logged out');
  expect(window.location.pathname).toBe('/admin/login');
  expect(server.paths()).toContain('POST /api/admin/logout');
});

test.each([
  ['nobody answers', new TypeError('Failed to fetch'), 'Please try again.'],
  ['the server is busy', refusalResponse(503, 'Try again soon.'), 'Try again soon.'],
])(
  'a logout while %s shows an error, because the cookie may still be valid',
  async (_why, answer, text) => {
    localStorage.setItem('user', '{}');
    startConsoleServer({ 'POST /api/admin/logout': [answer, { status: 204 }] });
    openConsole('overview');
    await pressButton('Logout');
    await expectToast('Logout failed', text);
    expect([window.location.pathname, localStorage.getItem('user')]).toEqual([
      '/super-admin',
      '{}',
    ]);
    await pressButton('Logout');
    await expectToast('Logged out');
    expect([window.location.pathname, localStorage.getItem('user')]).toEqual([
      '/admin/login',
      null,
    ]);
  },
);
