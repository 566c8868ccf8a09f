import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { aServer, expectToast, openConsole, press, refused } from '@/testing/a-console';

afterEach(() => vi.unstubAllGlobals());

const CALL = 'PATCH /api/admin/tickets/FD-1042-088/recover';
async function openForm(): Promise<HTMLElement> {
  openConsole('orphans');
  await press('Recover');
  return screen.findByRole('dialog', { name: 'Recover FD-1042-088' });
}

test('name and e-mail are required, the phone is optional', async () => {
  const server = aServer({
    [CALL]: { body: { recovered: 1, notified: true } },
    'GET /api/admin/orphaned-tickets': [
      {
        body: [
          {
            id: 'FD-1042-088',
            serialNumber: 'FD-1042-088',
            homeTeam: 'A',
            awayTeam: 'B',
            homeNumber: null,
            awayNumber: null,
            amount: '5.00',
            paymentIntentId: null,
            purchaseDate: '2026-11-21T02:00:00Z',
          },
        ],
      },
      { body: [] },
    ],
  });
  const dialog = await openForm();
  await press('Recover ticket', dialog);
  await expectToast('Missing information', 'Please provide customer name and email');
  expect(server.paths().some((path) => path.startsWith('PATCH'))).toBe(false);
  await userEvent.type(within(dialog).getByLabelText('Name'), 'Kim');
  await userEvent.type(within(dialog).getByLabelText('E-mail'), 'kim@example.com');
  await press('Recover ticket', dialog);
  await expectToast('Ticket recovered', 'FD-1042-088 is now Kim’s. A mail is on its way.');
  expect(server.asked.find(({ method }) => method === 'PATCH')?.body).toEqual({
    name: 'Kim',
    email: 'kim@example.com',
  });
  expect(await screen.findByText('No orphaned tickets.')).toBeTruthy();
});

test('a failed recovery shows an error and keeps the input', async () => {
  aServer({ [CALL]: refused(503, 'Try again soon.') });
  const dialog = await openForm();
  await userEvent.type(within(dialog).getByLabelText('Name'), 'Kim');
  await userEvent.type(within(dialog).getByLabelText('E-mail'), 'kim@example.com');
  await press('Recover ticket', dialog);
  await expectToast('Recovery failed', 'Try again soon.');
  expect(within(dialog).getByLabelText('Name')).toHaveProperty('value', 'Kim');
});

test('a winning ticket requires a second operator', async () => {
  const server = aServer({
    [CALL]: [
      refused(409, 'This ticket has won.', 'second-approval-required'),
      { body: { recovered: 1, notified: true } },
    ],
  });
  const dialog = await openForm();
  await userEvent.type(within(dialog).getByLabelText('Name'), 'Kim');
  await userEvent.type(within(dialog).getByLabelText('E-mail'), 'kim@example.com');
  await press('Recover ticket', dialog);
  await userEvent.type(await within(dialog).findByLabelText('Their e-mail'), 'second@demo.test');
  await userEvent.type(
    within(dialog).getByLabelText('The code of their authenticator app'),
    '123 456',
  );
  await press('Recover ticket', dialog);
  await waitFor(() =>
    expect(server.asked.filter(({ method }) => method === 'PATCH').at(-1)?.body).toMatchObject({
      secondApproval: { email: 'second@demo.test', code: '123456' },
    }),
  );
});

test('a pair is hidden from the operator before the result too', async () => {
  aServer();
  openConsole('orphans');
  expect(await screen.findByText('Hidden until the result')).toBeTruthy();
});
