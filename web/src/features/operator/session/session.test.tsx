import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { aServer, expectToast, openConsole, press, refused } from '@/testing/a-console';
import { anOperator } from '@/testing/operator-data';
import { show } from '@/testing/show';
import { Gate } from './gate';

afterEach(() => vi.unstubAllGlobals());

const WHOAMI = 'GET /api/admin/whoami';
const atTheGate = (address = '/super-admin') =>
  show(
    <Gate>
      <h1>Inside</h1>
    </Gate>,
    address,
  );
const half = (secondFactor: 'enrol' | 'required') => ({ body: { ...anOperator, secondFactor } });
const OVER = refused(401, 'Please log in.', 'unauthenticated');

test('the page shows a loading text while the user loads', async () => {
  aServer();
  atTheGate();
  expect(screen.getByText('Checking authentication...')).toBeTruthy();
  expect(await screen.findByText('Inside')).toBeTruthy();
});

test.each([
  ['nobody', OVER, '/admin/login'],
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
  ['a club, refused', refused(403, 'This is for the platform operator.', 'forbidden'), '/admin'],
])('%s is redirected', async (_who, answer, to) => {
  aServer({ [WHOAMI]: answer });
  atTheGate();
  await waitFor(() => expect(window.location.pathname).toBe(to));
  expect(screen.queryByText('Inside')).toBeNull();
});

test('a failed identity check shows the console, and its calls are refused one by one', async () => {
  aServer({ [WHOAMI]: refused(500, 'No.') });
  atTheGate();
  expect(await screen.findByText('Inside')).toBeTruthy();
});

test('an ended session leads to the login and afterwards back to the same section', async () => {
  aServer({ [WHOAMI]: [{ body: anOperator }, OVER], 'GET /api/admin/payment-anomalies': OVER });
  const { Console } = await import('../console/console');
  const { unmount } = show(
    <Gate>
      <Console />
    </Gate>,
    '/super-admin?section=payments&status=unresolved',
  );
  await waitFor(() => expect(window.location.pathname).toBe('/admin/login'));
  unmount();
  aServer();
  atTheGate();
  await waitFor(() => expect(window.location.search).toBe('?section=payments&status=unresolved'));
});

test('a half-finished login continues with a code, and a wrong code shows the server’s text', async () => {
  const server = aServer({
    [WHOAMI]: half('required'),
    'POST /api/admin/totp/verify': [
      refused(401, 'That code was used already. Wait for the next one.', 'code-used'),
      { body: anOperator },
    ],
  });
  atTheGate();
  await userEvent.type(await screen.findByLabelText('Six-digit code'), '123456');
  expect(
    await screen.findByText('That code was used already. Wait for the next one.'),
  ).toBeTruthy();
  expect(window.location.pathname).toBe('/super-admin');
  await userEvent.type(screen.getByLabelText('Six-digit code'), '654321');
  expect(await screen.findByText('Inside')).toBeTruthy();
  expect(server.asked.filter(({ method }) => method === 'POST').map(({ body }) => body)).toEqual([
    { code: '123456' },
    { code: '654321' },
  ]);
});

test('the first login shows the secret as a QR code and as letters', async () => {
  aServer({
    [WHOAMI]: half('enrol'),
    'POST /api/admin/totp/enrol': {
      body: {
        secret: 'JBSWY3DPEHPK3PXP',
        uri: 'otpauth://totp/x',
        qrDataUrl: 'data:image/svg+xml;base64,PHN2Zy8+',
      },
    },
  });
  atTheGate();
  expect(await screen.findByAltText('The secret as a QR code')).toBeTruthy();
  expect(screen.getByText('JBSW Y3DP EHPK 3PXP')).toBeTruthy();
});

test('logging out shows a message and opens the login page, even for an ended session', async () => {
  const server = aServer({ 'POST /api/admin/logout': OVER });
  openConsole('overview');
  await press('Logout');
  await expectToast('Logged out');
  expect(window.location.pathname).toBe('/admin/login');
  expect(server.paths()).toContain('POST /api/admin/logout');
});

test.each([
  ['nobody answers', new TypeError('Failed to fetch'), 'Please try again.'],
  ['the server is busy', refused(503, 'Try again soon.'), 'Try again soon.'],
])(
  'a logout while %s shows an error, because the cookie may still be valid',
  async (_why, answer, words) => {
    localStorage.setItem('user', '{}');
    aServer({ 'POST /api/admin/logout': [answer, { status: 204 }] });
    openConsole('overview');
    await press('Logout');
    await expectToast('Logout failed', words);
    expect([window.location.pathname, localStorage.getItem('user')]).toEqual([
      '/super-admin',
      '{}',
    ]);
    await press('Logout');
    await expectToast('Logged out');
    expect([window.location.pathname, localStorage.getItem('user')]).toEqual([
      '/admin/login',
      null,
    ]);
  },
);
