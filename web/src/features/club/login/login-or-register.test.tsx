import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { FakeServer } from '@/testing/fake-server';
import { renderScreen } from '@/testing/render-screen';
import { ForgotPasswordPage } from './forgot-password';
import { LoginOrRegister } from './login-or-register';
import { ResetPasswordPage } from './reset-password';
import {
  loginProblems,
  registrationProblems,
  newPasswordProblem,
  waitlistProblems,
} from './login-rules';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const CLUB_USER = {
  id: 3,
  email: 'club@example.com',
  name: 'Redcliffe',
  isAdmin: false,
  clubSlug: 'redcliffe',
};
const REGISTRATION_OPEN_RESPONSE = { body: { enabled: true } };
const problemTexts = (problems: { text: string }[]) => problems.map(({ text }) => text);

test('each missing field shows its specified text', () => {
  expect(problemTexts(loginProblems('', ''))).toEqual([
    'Email is required',
    'Password is required',
  ]);
  expect(
    problemTexts(
      registrationProblems({ name: '', email: 'x', phone: '', password: '1234567', location: '' }),
    ),
  ).toEqual([
    'Club name is required',
    'Valid email is required',
    'Phone is required',
    'Password must be at least 8 characters',
  ]);
  expect(
    problemTexts(
      waitlistProblems({ clubName: '', contactName: ' ', contactEmail: 'a@b', contactPhone: '' }),
    ),
  ).toEqual([
    'Club name is required',
    'Contact name is required',
    'Valid email is required',
    'Contact phone is required',
  ]);
  expect(
    waitlistProblems({
      clubName: 'A',
      contactName: 'B',
      contactEmail: 'a@b.au',
      contactPhone: '1',
    }),
  ).toEqual([]);
  expect(newPasswordProblem('12345678', '123456789')).toMatchObject({
    title: "Passwords don't match",
    text: 'Please ensure both password fields match.',
  });
  expect(newPasswordProblem('1234567', '1234567')).toMatchObject({
    title: 'Password too short',
    text: 'Password must be at least 8 characters long.',
  });
  expect(newPasswordProblem('12345678', '12345678')).toBeNull();
});

test('a problem stays at its field until an edit, and its line in the list is then struck out', async () => {
  new FakeServer().on('GET /api/settings/club-registration', REGISTRATION_OPEN_RESPONSE);
  renderScreen(<LoginOrRegister />, '/admin/login');
  await userEvent.click(await screen.findByRole('button', { name: 'Login' }));
  const list = await screen.findByRole('group', { name: 'There is a problem' });
  const beside = (text: string) =>
    screen.queryAllByText(text).filter((found) => found.className === 'field-error');
  expect(document.activeElement).toBe(list);
  await userEvent.type(screen.getByLabelText('Email'), 'c');
  expect(beside('Email is required')).toEqual([]);
  expect(screen.getByLabelText<HTMLInputElement>('Email').value, 'the first letter is kept').toBe(
    'c',
  );
  expect(beside('Password is required')).toHaveLength(1);
  expect(
    within(list)
      .getAllByRole('listitem')
      .map(({ className }) => className),
  ).toEqual(['is-edited', '']);
  expect(document.activeElement, 'the list takes focus once').toBe(screen.getByLabelText('Email'));
});

test('login leads a club to its pages and the operator to the console, and the browser stores the user', async () => {
  for (const [user, path] of [
    [CLUB_USER, '/admin'],
    [{ ...CLUB_USER, isAdmin: true, clubSlug: null }, '/super-admin'],
  ] as const) {
    new FakeServer()
      .on('GET /api/settings/club-registration', REGISTRATION_OPEN_RESPONSE)
      .on('POST /api/clubs/login', { body: user });
    const { unmount } = renderScreen(<LoginOrRegister />, '/admin/login');
    await userEvent.type(await screen.findByLabelText('Email'), 'club@example.com');
    await userEvent.type(screen.getByLabelText('Password'), 'demo-password');
    await userEvent.click(screen.getByRole('button', { name: 'Login' }));
    await waitFor(() => expect(window.location.pathname).toBe(path));
    expect(JSON.parse(localStorage.getItem('user') ?? '{}')).toEqual(user);
    unmount();
  }
});

test('a wrong password shows a toast and a message at the form, and the input stays', async () => {
  new FakeServer()
    .on('GET /api/settings/club-registration', REGISTRATION_OPEN_RESPONSE)
    .on('POST /api/clubs/login', { status: 401, body: { message: 'Invalid credentials' } });
  renderScreen(<LoginOrRegister />, '/admin/login');
  await userEvent.type(await screen.findByLabelText('Email'), 'club@example.com');
  await userEvent.type(screen.getByLabelText('Password'), 'wrong');
  await userEvent.click(screen.getByRole('button', { name: 'Login' }));
  const alerts = await screen.findAllByRole('alert');
  expect(alerts.map((alert) => alert.textContent)).toEqual([
    'Invalid credentials',
    expect.stringContaining('Invalid credentials'),
  ]);
  expect(screen.getByLabelText('Email')).toHaveProperty('value', 'club@example.com');
  expect(screen.getByRole('link', { name: /Forgot/ }).getAttribute('href')).toBe(
    '/forgot-password',
  );
  expect(screen.getByRole('link', { name: 'Football Doubles' }).getAttribute('href')).toBe('/');
});

test('clubs can register while the platform is open, and a refusal shows its full text', async () => {
  const server = new FakeServer()
    .on('GET /api/settings/club-registration', { body: {} })
    .on('GET /api/clubs/slug-preview?name=Redcliffe', { body: { slug: 'redcliffe' } })
    .on('POST /api/clubs/register', { status: 500 }, { body: CLUB_USER });
  renderScreen(<LoginOrRegister />, '/admin/login');
  await userEvent.click(await screen.findByRole('tab', { name: 'Register Club' }));
  expect(screen.queryByRole('button', { name: 'New Club? Join Waitlist' })).toBeNull();
  await userEvent.type(screen.getByLabelText('Club name'), 'Redcliffe');
  await userEvent.type(screen.getByLabelText('Email'), 'club@example.com');
  await userEvent.type(screen.getByLabelText('Phone'), '0400 000 000');
  await userEvent.type(screen.getByLabelText('Password'), 'long-enough');
  expect(await screen.findByText(/\/club\/redcliffe$/)).toBeTruthy();
  const submit = screen.getAllByRole('button', { name: 'Register Club' }).at(-1) as HTMLElement;
  await userEvent.click(submit);
  expect((await screen.findAllByText('Please try again.')).length).toBeGreaterThan(0);
  expect(screen.getByText('Registration failed')).toBeTruthy();
  await userEvent.click(submit);
  await waitFor(() => expect(window.location.pathname).toBe('/admin'));
  expect(server.requests.findLast(({ path }) => path === '/api/clubs/register')?.body).toEqual({
    name: 'Redcliffe',
    email: 'club@example.com',
    phone: '0400 000 000',
    password: 'long-enough',
    location: '',
  });
});

test('while registration is closed there is a waitlist, and joining it opens the home page after a second', async () => {
  new FakeServer()
    .on('GET /api/settings/club-registration', { body: { enabled: false } })
    .on('POST /api/waitlist', new Error('offline'), { status: 503 }, { body: { success: true } });
  renderScreen(<LoginOrRegister />, '/admin/login');
  await userEvent.click(await screen.findByRole('button', { name: 'New Club? Join Waitlist' }));
  expect(screen.queryByRole('tab')).toBeNull();
  const dialog = within(screen.getByRole('dialog', { name: 'Join the waitlist' }));
  await userEvent.click(dialog.getByRole('button', { name: 'Join waitlist' }));
  expect(dialog.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
    'Club name is required',
    'Contact name is required',
    'Valid email is required',
    'Contact phone is required',
  ]);
  await userEvent.type(dialog.getByLabelText('Club name'), 'Norths');
  await userEvent.type(dialog.getByLabelText('Contact name'), 'Kim');
  await userEvent.type(dialog.getByLabelText('Contact email'), 'kim@example.com');
  await userEvent.type(dialog.getByLabelText('Contact phone'), '0400');
  await userEvent.click(dialog.getByRole('button', { name: 'Join waitlist' }));
  expect((await screen.findAllByText('Failed to join waitlist. Please try again.')).length).toBe(2);
  await userEvent.click(dialog.getByRole('button', { name: 'Join waitlist' }));
  expect(await screen.findByText('Failed to join waitlist')).toBeTruthy();
  await userEvent.click(dialog.getByRole('button', { name: 'Join waitlist' }));
  expect(await dialog.findByText('You are on the waitlist. We will be in touch.')).toBeTruthy();
  expect(window.location.pathname).toBe('/admin/login');
  await waitFor(() => expect(window.location.pathname).toBe('/'), { timeout: 3_000 });
});

test('a forgotten password gets the same answer for every address and can be requested again', async () => {
  const server = new FakeServer().on(
    'POST /api/clubs/reset-password',
    { status: 500 },
    { body: {} },
  );
  renderScreen(<ForgotPasswordPage />, '/forgot-password');
  await userEvent.click(screen.getByRole('button', { name: 'Send reset link' }));
  expect(screen.getByRole('listitem').textContent).toBe('Valid email address is required');
  await userEvent.type(screen.getByLabelText('Email'), 'club@example.com');
  await userEvent.click(screen.getByRole('button', { name: 'Send reset link' }));
  expect(await screen.findByText('Failed to send reset link')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Send reset link' }));
  expect(await screen.findByRole('heading', { name: 'Check your email' })).toBeTruthy();
  expect(screen.getByText('Reset link sent')).toBeTruthy();
  expect(
    screen.getAllByText('If an account exists with this email, a reset link has been sent.').length,
  ).toBe(2);
  await userEvent.click(screen.getByRole('button', { name: 'Send again' }));
  await waitFor(() => expect(server.requests).toHaveLength(3));
  expect(screen.getByRole('link', { name: 'Back to login' }).getAttribute('href')).toBe(
    '/admin/login',
  );
});

test('a reset link without a token or with a dead one says so and offers another', async () => {
  const { unmount } = renderScreen(<ResetPasswordPage />, '/reset-password');
  expect(screen.getByRole('heading', { name: 'Invalid Reset Link' })).toBeTruthy();
  expect(screen.getByText('Invalid link')).toBeTruthy();
  expect(screen.getByText('This password reset link is invalid or has expired.')).toBeTruthy();
  unmount();
  new FakeServer().on('POST /api/clubs/reset-password-confirm', {
    status: 400,
    body: { code: 'invalid-link', message: 'This password reset link is invalid or has expired.' },
  });
  renderScreen(<ResetPasswordPage />, '/reset-password?token=dead');
  expect(window.location.search).toBe('');
  await userEvent.type(screen.getByLabelText('New password'), 'long-enough');
  await userEvent.type(screen.getByLabelText('Confirm password'), 'long-enough');
  await userEvent.click(screen.getByRole('button', { name: 'Reset password' }));
  expect(await screen.findByRole('heading', { name: 'Invalid Reset Link' })).toBeTruthy();
});

test('a new password is compared, measured, refused and finally accepted', async () => {
  new FakeServer().on(
    'POST /api/clubs/reset-password-confirm',
    { status: 500 },
    { body: { message: 'Password reset successful' } },
  );
  renderScreen(<ResetPasswordPage />, '/reset-password?token=good');
  const [password, again] = [
    screen.getByLabelText('New password'),
    screen.getByLabelText('Confirm password'),
  ];
  const submit = screen.getByRole('button', { name: 'Reset password' });
  await userEvent.type(password, 'short');
  await userEvent.click(submit);
  expect(screen.getByText("Passwords don't match")).toBeTruthy();
  await userEvent.type(again, 'short');
  await userEvent.click(submit);
  expect(screen.getByText('Password too short')).toBeTruthy();
  await userEvent.type(password, '-but-now-long');
  await userEvent.type(again, '-but-now-long');
  await userEvent.click(submit);
  expect(await screen.findByText('Failed to reset password')).toBeTruthy();
  await userEvent.click(submit);
  expect(await screen.findByRole('heading', { name: 'Password Reset Complete' })).toBeTruthy();
  expect(screen.getByText('Password reset successful')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Go to Login' })).toBeTruthy();
});

test('a refused link or password shows the server’s own text', async () => {
  for (const [code, message] of [
    ['token-required', 'Reset token is required'],
    ['password-too-short', 'Password must be at least 8 characters'],
  ] as const) {
    new FakeServer().on('POST /api/clubs/reset-password-confirm', {
      status: 400,
      body: { code, message },
    });
    const { unmount } = renderScreen(<ResetPasswordPage />, '/reset-password?token=odd');
    await userEvent.type(screen.getByLabelText('New password'), 'long-enough');
    await userEvent.type(screen.getByLabelText('Confirm password'), 'long-enough');
    await userEvent.click(screen.getByRole('button', { name: 'Reset password' }));
    expect(await screen.findByText(`Failed to reset password. ${message}`)).toBeTruthy();
    unmount();
  }
});

test('an invited member sets a first password, and a dead invitation says whom to ask', async () => {
  const server = new FakeServer().on(
    'POST /api/clubs/reset-password-confirm',
    { status: 503 },
    { body: { message: 'Password reset successful' } },
  );
  const { unmount } = renderScreen(<ResetPasswordPage />, '/reset-password?invited=1&token=good');
  expect(screen.getByRole('heading', { name: 'Choose a password' })).toBeTruthy();
  expect(window.location.search).toBe('');
  await userEvent.type(screen.getByLabelText('New password'), 'long-enough');
  await userEvent.type(screen.getByLabelText('Confirm password'), 'long-enough');
  await userEvent.click(screen.getByRole('button', { name: 'Set password' }));
  expect(await screen.findByText('Failed to set the password')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Set password' }));
  expect(await screen.findByRole('heading', { name: 'You are in' })).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Go to Login' }).getAttribute('href')).toBe(
    '/admin/login',
  );
  expect(server.requests.at(-1)?.body).toEqual({ token: 'good', newPassword: 'long-enough' });
  unmount();
  server.on('POST /api/clubs/reset-password-confirm', {
    status: 400,
    body: { code: 'invalid-link', message: 'This password reset link is invalid or has expired.' },
  });
  renderScreen(<ResetPasswordPage />, '/reset-password?invited=1&token=dead');
  await userEvent.type(screen.getByLabelText('New password'), 'long-enough');
  await userEvent.type(screen.getByLabelText('Confirm password'), 'long-enough');
  await userEvent.click(screen.getByRole('button', { name: 'Set password' }));
  expect(
    await screen.findByRole('heading', { name: 'This invitation cannot be used' }),
  ).toBeTruthy();
  expect(screen.queryByRole('link', { name: 'Request a new link' })).toBeNull();
});

test.each([
  ['?next=/club/redcliffe/admin/results/1001', '/club/redcliffe/admin/results/1001'],
  ['?next=https://evil.example/admin', '/admin'],
  ['?next=//evil.example/admin', '/admin'],
  ['', '/admin'],
])('a login at %s leads to %s', async (search, path) => {
  const server = new FakeServer()
    .on('GET /api/settings/club-registration', REGISTRATION_OPEN_RESPONSE)
    .on('POST /api/clubs/login', { body: CLUB_USER });
  renderScreen(<LoginOrRegister />, `/admin/login${search}`);
  await userEvent.type(await screen.findByLabelText('Email'), 'club@example.com');
  await userEvent.type(screen.getByLabelText('Password'), 'a long password');
  await userEvent.click(screen.getByLabelText(/^Stay signed in/));
  await userEvent.click(screen.getByRole('button', { name: 'Login' }));
  await waitFor(() => expect(window.location.pathname).toBe(path));
  expect(server.requests.find(({ method }) => method === 'POST')?.body).toEqual({
    email: 'club@example.com',
    password: 'a long password',
    staySignedIn: true,
  });
});
