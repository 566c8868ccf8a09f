import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { ANOMALY_TYPES } from '@/api/wire-operator';
import {
  NOW,
  startConsoleServer,
  expectToast,
  openConsole,
  pressButton,
  refusalResponse,
} from '@/testing/console-harness';
import { makeAdminDraws, makeAnomaly } from '@/testing/operator-data';
import {
  allocationObstacle,
  anomalyLabelOf,
  refundObstacle,
  ticketLinesText,
  ticketsInputProblems,
} from './anomalies';

afterEach(() => vi.unstubAllGlobals());

const LIST_ANOMALIES_CALL = 'GET /api/admin/payment-anomalies';
const RESOLVE_ANOMALY_CALL = 'POST /api/admin/payment-anomalies/resolve';
const ANOMALY_TICKETS_CALL = 'GET /api/admin/payment-anomalies/a-3/tickets';
const ANOMALY_WITHOUT_ORDER = makeAnomaly({
  id: 'a-3',
  type: 'missing_ticket',
  amount: '10.00',
  orderId: null,
  drawNumbers: [],
  ticketCount: null,
  customerName: 'Jo',
  customerEmail: 'jo@example.com',
  customerPhone: '0400 000 000',
});
const ENTERED_TICKETS = {
  body: {
    allocatedTickets: [{ drawNumber: 1042, ticketNumber: 12, serialNumber: 'FD-1042-012' }],
    customerName: 'Jo',
  },
};
const sentResolveRequestBody = (server: ReturnType<typeof startConsoleServer>) =>
  server.requests.find(({ path }) => path === '/api/admin/payment-anomalies/resolve')?.body;

test('draw and count are given together and in range, and omitted only when the payment may name them', () => {
  const fields = (drawNumber: string, ticketCount: string, namesNone: boolean) =>
    ticketsInputProblems({ drawNumber, ticketCount }, namesNone).map(({ field }) => field);
  expect(fields('', '', false)).toEqual([]);
  expect(fields('', '', true)).toEqual(['drawNumber']);
  expect(fields('1042', '', true)).toEqual(['ticketCount']);
  expect(fields('', '2', true)).toEqual(['drawNumber']);
  for (const count of ['0', '51', '1.5', 'two'])
    expect(fields('1042', count, true)).toEqual(['ticketCount']);
  expect(fields('FD-1042', '50', true)).toEqual([]);
});

test('lines are formatted as tickets of draws', () => {
  expect(
    ticketLinesText([
      { drawNumber: 1042, ticketCount: 2 },
      { drawNumber: 1043, ticketCount: 1 },
    ]),
  ).toBe('2 tickets of FD-1042, 1 ticket of FD-1043');
});

test('a payment without an order says so and receives the chosen tickets', async () => {
  const server = startConsoleServer({
    [LIST_ANOMALIES_CALL]: { body: [ANOMALY_WITHOUT_ORDER] },
    [ANOMALY_TICKETS_CALL]: { body: { orderId: null, lines: [] } },
    [RESOLVE_ANOMALY_CALL]: ENTERED_TICKETS,
  });
  openConsole('payments', '&open=a-3');
  expect(await screen.findByText('No order of ours matches this payment.')).toBeDefined();
  expect(
    screen.getByText('Refund it, or choose the draw and the number of tickets to allocate.'),
  ).toBeDefined();
  expect(
    screen.getByText(
      '$10.00 must be the price of these tickets, with at most the card fee on top.',
    ),
  ).toBeDefined();
  // The dialog opens in an effect, after its text is in the document.
  expect(await screen.findByRole('button', { name: 'Refund payment' })).toBeDefined();
  await pressButton('Allocate ticket and resolve');
  expect(
    (await screen.findAllByText('Choose a draw and a count, or refund the payment')).length,
  ).toBe(2);
  expect(sentResolveRequestBody(server)).toBeUndefined();
  await userEvent.type(screen.getByLabelText('Draw number'), 'FD-1042');
  await userEvent.type(screen.getByLabelText('Tickets'), '2');
  await pressButton('Allocate ticket and resolve');
  await expectToast('Ticket allocated', 'FD-1042-012 is now Jo’s.');
  expect(sentResolveRequestBody(server)).toEqual({
    paymentIntentId: 'pi_3QdemoAAAA21Xk',
    customerName: 'Jo',
    customerEmail: 'jo@example.com',
    customerPhone: '0400 000 000',
    drawNumber: 1042,
    ticketCount: 2,
  });
});

test('tickets named by the payment are offered, and left to the server when nothing is chosen', async () => {
  const server = startConsoleServer({
    [LIST_ANOMALIES_CALL]: { body: [ANOMALY_WITHOUT_ORDER] },
    [ANOMALY_TICKETS_CALL]: {
      body: { orderId: null, lines: [{ drawNumber: 1042, ticketCount: 2 }] },
    },
    [RESOLVE_ANOMALY_CALL]: ENTERED_TICKETS,
  });
  openConsole('payments', '&open=a-3');
  expect(
    await screen.findByText(
      'It was made for 2 tickets of FD-1042: leave draw and tickets empty to allocate these, or choose others.',
    ),
  ).toBeDefined();
  await pressButton('Allocate ticket and resolve');
  await expectToast('Ticket allocated', 'FD-1042-012 is now Jo’s.');
  expect(sentResolveRequestBody(server)).toEqual({
    paymentIntentId: 'pi_3QdemoAAAA21Xk',
    customerName: 'Jo',
    customerEmail: 'jo@example.com',
    customerPhone: '0400 000 000',
  });
});

test('a missing ticket of a known order shows its allocation and asks for no draw', async () => {
  startConsoleServer({
    [LIST_ANOMALIES_CALL]: { body: [{ ...ANOMALY_WITHOUT_ORDER, orderId: 'o-1' }] },
    [ANOMALY_TICKETS_CALL]: {
      body: { orderId: 'o-1', lines: [{ drawNumber: 1042, ticketCount: 1 }] },
    },
  });
  openConsole('payments', '&open=a-3');
  expect(await screen.findByText('Allocate 1 ticket of FD-1042')).toBeDefined();
  expect(screen.queryByLabelText('Draw number')).toBeNull();
});

test.each(ANOMALY_TYPES)(
  '%s is closed with a reason, and only after the server confirms',
  async (type) => {
    const anomaly = makeAnomaly({ id: 'a-3', type });
    const server = startConsoleServer({
      [LIST_ANOMALIES_CALL]: { body: [anomaly] },
      'POST /api/admin/payment-anomalies/a-3/resolve': [
        refusalResponse(503, 'Please wait.'),
        { body: { ...anomaly, resolved: true } },
      ],
    });
    openConsole('payments', '&open=a-3');
    await pressButton('Close with a reason');
    const dialog = await screen.findByRole('dialog', { name: 'Close this anomaly' });
    expect(within(dialog).getByText(anomalyLabelOf(type))).toBeDefined();
    await pressButton('Close anomaly', dialog);
    expect(server.paths().some((path) => path.endsWith('/a-3/resolve'))).toBe(false);
    await userEvent.type(within(dialog).getByLabelText('Reason'), 'Settled by phone');
    await pressButton('Close anomaly', dialog);
    await expectToast('Failed to resolve anomaly', 'Please wait.');
    await pressButton('Close anomaly', dialog);
    await expectToast('Anomaly closed', 'Settled by phone');
    expect(
      server.requests.filter(({ path }) => path.endsWith('/a-3/resolve')).map(({ body }) => body),
    ).toEqual([{ note: 'Settled by phone' }, { note: 'Settled by phone' }]);
  },
);

test('the panel names the operator who closed the anomaly', async () => {
  startConsoleServer({
    [LIST_ANOMALIES_CALL]: {
      body: [
        {
          ...ANOMALY_WITHOUT_ORDER,
          resolved: true,
          resolvedAt: '2026-11-21T02:00:00Z',
          resolvedBy: 'Super Admin',
          resolvedByEmail: 'op@example.com',
          resolution: 'Settled by phone',
        },
      ],
    },
  });
  openConsole('payments', '&open=a-3');
  expect(await screen.findByText(/^op@example\.com, .*\(Settled by phone\)$/)).toBeDefined();
});

test('the panel names draw, tickets and money before the operator acts', async () => {
  const [draw] = makeAdminDraws(NOW);
  if (!draw) throw new Error('a draw is expected');
  startConsoleServer({
    'GET /api/admin/draws': { body: [{ ...draw, ticketPrice: '5.00', status: 'active' }] },
    [LIST_ANOMALIES_CALL]: { body: [ANOMALY_WITHOUT_ORDER] },
    [ANOMALY_TICKETS_CALL]: {
      body: { orderId: null, lines: [{ drawNumber: draw.drawNumber, ticketCount: 2 }] },
    },
  });
  openConsole('payments', '&open=a-3');
  expect(await screen.findByText(`Allocate 2 tickets of FD-${draw.drawNumber}`)).toBeDefined();
  expect(
    screen.getByText(`2 tickets of FD-${draw.drawNumber} go to Jo by e-mail. No money moves.`),
  ).toBeDefined();
  expect(await screen.findByText('the tickets cost $10.00')).toBeDefined();
  expect(screen.getByText(`${draw.homeTeam} v ${draw.awayTeam}`, { exact: false })).toBeDefined();
  expect(screen.getByText('Refund $10.00')).toBeDefined();
});

test('an allocation that cannot work is off and says why, and the refund remains', async () => {
  const [draw] = makeAdminDraws(NOW);
  if (!draw) throw new Error('a draw is expected');
  startConsoleServer({
    'GET /api/admin/draws': { body: [{ ...draw, status: 'active', ticketsAvailable: 1 }] },
    [LIST_ANOMALIES_CALL]: { body: [ANOMALY_WITHOUT_ORDER] },
    [ANOMALY_TICKETS_CALL]: {
      body: { orderId: null, lines: [{ drawNumber: draw.drawNumber, ticketCount: 2 }] },
    },
  });
  openConsole('payments', '&open=a-3');
  expect(await screen.findByText(`FD-${draw.drawNumber} has only 1 left.`)).toBeDefined();
  expect(screen.queryByRole('button', { name: 'Allocate ticket and resolve' })).toBeNull();
  expect(screen.getByRole('button', { name: 'Refund payment' })).toBeDefined();
});

test('an allocation is refused for a draw that is over, for a wrong amount, and without an account', () => {
  const [draw] = makeAdminDraws(NOW);
  if (!draw) throw new Error('a draw is expected');
  const lines = [{ drawNumber: draw.drawNumber, ticketCount: 2 }];
  const open = { ...draw, status: 'active', ticketPrice: '5.00', ticketsAvailable: 50 };
  const refused = (
    anomaly: Partial<typeof ANOMALY_WITHOUT_ORDER>,
    more: Partial<typeof open> = {},
  ) => allocationObstacle({ ...ANOMALY_WITHOUT_ORDER, ...anomaly }, lines, [{ ...open, ...more }]);
  expect(refused({})).toBeNull();
  expect(refused({ amount: '10.47' })).toBeNull();
  expect(refused({ amount: '8.00' })).toBe('These tickets cost $10.00, and $8.00 was paid.');
  expect(refused({ amount: '12.00' })).toBe('These tickets cost $10.00, and $12.00 was paid.');
  expect(refused({}, { status: 'completed' })).toBe(
    `The result of FD-${draw.drawNumber} is entered.`,
  );
  expect(refused({}, { status: 'cancelled' })).toBe(`FD-${draw.drawNumber} is cancelled.`);
  expect(refused({ clubId: null })).toBe('No club of ours has the account that took this payment.');
});

test('the money of a dispute is not refunded, and a dispute has its own label', async () => {
  const dispute = makeAnomaly({ id: 'a-3', type: 'dispute' });
  expect(anomalyLabelOf('dispute')).toBe('Dispute');
  expect(refundObstacle(dispute)).toBe(
    'The buyer’s bank holds this money, so it cannot be refunded.',
  );
  startConsoleServer({ [LIST_ANOMALIES_CALL]: { body: [dispute] } });
  openConsole('payments', '&open=a-3');
  expect(
    await screen.findByText('The buyer’s bank holds this money, so it cannot be refunded.'),
  ).toBeDefined();
  expect(screen.queryByRole('button', { name: 'Refund payment' })).toBeNull();
  const panel = screen.getByRole('dialog', { name: 'Dispute' });
  expect(within(panel).getByRole('button', { name: 'Mark Resolved' })).toBeDefined();
});

test('an owed refund offers no tickets and no one-press end, and a waiting one no second refund', async () => {
  const waiting = makeAnomaly({
    id: 'a-4',
    type: 'owed_refund',
    details: {
      orderState: 'void',
      refundState: 'pending',
      providerReceived: '10.00',
      providerRefunded: '0.00',
    },
  });
  const failed = { ...waiting, details: { ...waiting.details, refundState: 'failed' } };
  expect(refundObstacle(failed)).toBeNull();
  startConsoleServer({ [LIST_ANOMALIES_CALL]: { body: [waiting] } });
  openConsole('payments', '&open=a-4');
  const panel = await screen.findByRole('dialog', { name: 'Refund Owed' });
  expect(within(panel).getByText(/Ask the club to add funds in Stripe/)).toBeDefined();
  expect(within(panel).getByRole('button', { name: 'Close with a reason' })).toBeDefined();
  for (const name of ['Refund payment', 'Mark Resolved', /^Allocate ticket/])
    expect(screen.queryByRole('button', { name })).toBeNull();
});

test('the list names the operator who resolved an anomaly, and the system only for a cause that disappeared', async () => {
  const resolved = { resolved: true, resolvedAt: '2026-11-21T02:00:00Z' };
  startConsoleServer({
    [LIST_ANOMALIES_CALL]: {
      body: [
        makeAnomaly({
          ...resolved,
          id: 'a-1',
          resolvedBy: 'Super Admin',
          resolvedByName: 'Nora Field',
        }),
        makeAnomaly({ ...resolved, id: 'a-2', resolvedBy: 'System' }),
      ],
    },
  });
  openConsole('payments');
  expect(await screen.findByText(/^Nora Field,/)).toBeDefined();
  expect(screen.getAllByText(/^System,/).length).toBe(1);
});
