import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import {
  startConsoleServer,
  expectToast,
  openConsole,
  pressButton,
  refusalResponse,
} from '@/testing/console-harness';

afterEach(() => vi.unstubAllGlobals());

const RECOVER_TICKET_CALL = 'PATCH /api/admin/tickets/FD-1042-088/recover';
async function openRecoverTicketDialog(): Promise<HTMLElement> {
  openConsole('orphans');
  await pressButton('Recover');
  return screen.findByRole('dialog', { name: 'Recover FD-1042-088' });
}

test('name and e-mail are required, the phone is optional', async () => {
  const server = startConsoleServer({
    [RECOVER_TICKET_CALL]: { body: { recovered: 1, notified: true } },
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
  const dialog = await openRecoverTicketDialog();
  await pressButton('Recover ticket', dialog);
  await expectToast('Missing information', 'Please provide customer name and email');
  expect(server.paths().some((path) => path.startsWith('PATCH'))).toBe(false);
  await userEvent.type(within(dialog).getByLabelText('Name'), 'Kim');
  await userEvent.type(within(dialog).getByLabelText('E-mail'), 'kim@example.com');
  await pressButton('Recover ticket', dialog);
  await expectToast('Ticket recovered', 'FD-1042-088 is now Kim’s. A mail is on its way.');
  expect(server.requests.find(({ method }) => method === 'PATCH')?.body).toEqual({
    name: 'Kim',
    email: 'kim@example.com',
  });
  expect(await screen.findByText('No orphaned tickets.')).toBeTruthy();
});

test('a failed recovery shows an error and keeps the input', async () => {
  startConsoleServer({ [RECOVER_TICKET_CALL]: refusalResponse(503, 'Try again soon.') });
  const dialog = await openRecoverTicketDialog();
  await userEvent.type(within(dialog).getByLabelText('Name'), 'Kim');
  await userEvent.type(within(dialog).getByLabelText('E-mail'), 'kim@example.com');
  await pressButton('Recover ticket', dialog);
  await expectToast('Recovery failed', 'Try again soon.');
  expect(within(dialog).getByLabelText('Name')).toHaveProperty('value', 'Kim');
});

test('a winning ticket requires a second operator', async () => {
  const server = startConsoleServer({
    [RECOVER_TICKET_CALL]: [
      refusalResponse(409, 'This ticket has won.', 'second-approval-required'),
      { body: { recovered: 1, notified: true } },
    ],
  });
  const dialog = await openRecoverTicketDialog();
  await userEvent.type(within(dialog).getByLabelText('Name'), 'Kim');
  await userEvent.type(within(dialog).getByLabelText('E-mail'), 'kim@example.com');
  await pressButton('Recover ticket', dialog);
  await userEvent.type(await within(dialog).findByLabelText('Their e-mail'), 'second@demo.test');
  await userEvent.type(
    within(dialog).getByLabelText('The code of their authenticator app'),
    '123 456',
  );
  await pressButton('Recover ticket', dialog);
  await waitFor(() =>
    expect(server.requests.filter(({ method }) => method === 'PATCH').at(-1)?.body).toMatchObject({
      secondApproval: { email: 'second@demo.test', code: '123456' },
    }),
  );
});

test('a pair is hidden from the operator before the result too', async () => {
  startConsoleServer();
  openConsole('orphans');
  expect(await screen.findByText('Hidden until the result')).toBeTruthy();
});
