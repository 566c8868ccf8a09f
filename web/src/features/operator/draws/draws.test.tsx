import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import {
  startConsoleServer,
  expectToast,
  NOW,
  openConsole,
  pressButton,
  refusalResponse,
} from '@/testing/console-harness';
import { makeAdminDraws, makeAdminTickets } from '@/testing/operator-data';
import { drawMenuItems } from './draws';
import { resultText, shortGameDateText, shownDrawStatus } from './draw-columns';
import { gameDateText } from './game-date';
import { isTestDraw } from './hidden-test-draws';
import { localTimeInputValue } from './move-dialog';
import { refundButtonText, ticketCountsOf } from './tickets-dialog';

afterEach(() => vi.unstubAllGlobals());

const findDrawRow = async (serial: string) =>
  (await screen.findByText(serial, { selector: '.ops-cell' })).closest('tr') as HTMLElement;
const drawRows = () => document.querySelectorAll('tbody [data-row]');
/** Opens the menu of a draw's row and presses one of its actions. */
const chooseAction = async (serial: string, action: string) => {
  const row = within(await findDrawRow(serial));
  await userEvent.click(row.getByRole('button', { name: /^Actions for/ }));
  await userEvent.click(row.getByRole('menuitem', { name: new RegExp(`^${action}`) }));
};

test('test draws are recognised by their league in any case and are hidden by default', async () => {
  expect([
    isTestDraw({ league: 'TEST Cup' }),
    isTestDraw({ league: 'A contest' }),
    isTestDraw({ league: 'Queensland Cup' }),
    isTestDraw({ league: null }),
  ]).toEqual([true, true, false, false]);
  const server = startConsoleServer({
    'GET /api/admin/system-settings/hide_test_draws': refusalResponse(
      404,
      'Not set.',
      'setting-unset',
    ),
    'POST /api/admin/system-settings/hide_test_draws': {
      body: {
        id: 3,
        key: 'hide_test_draws',
        value: 'false',
        description: null,
        updatedAt: '2026-11-21T03:00:00Z',
      },
    },
  });
  openConsole('draws');
  await findDrawRow('FD-1042');
  expect(drawRows().length).toBe(5);
  const toggle = screen.getByRole('switch', { name: 'Hide test draws' });
  expect(toggle.getAttribute('aria-checked')).toBe('true');
  await userEvent.click(toggle);
  await waitFor(() => expect(drawRows().length).toBe(6));
  expect(server.requests.find(({ method }) => method === 'POST')?.body).toMatchObject({
    value: 'false',
    updatedBy: 'Super Admin',
  });
});

test('a setting that cannot be read shows one error and keeps the default', async () => {
  startConsoleServer({
    'GET /api/admin/system-settings/hide_test_draws': refusalResponse(500, 'The database is away.'),
  });
  openConsole('draws');
  await expectToast('Failed to load setting', 'The database is away.');
  expect(screen.getByRole('switch', { name: 'Hide test draws' }).getAttribute('aria-checked')).toBe(
    'true',
  );
});

test('a game without a date shows TBD, and a draw without a serial shows N/A', async () => {
  expect(gameDateText(null)).toBe('TBD');
  const [first] = makeAdminDraws(NOW);
  startConsoleServer({
    'GET /api/admin/draws': { body: [{ ...first, serialNumber: null, gameDate: null }] },
  });
  openConsole('draws');
  const shown = await findDrawRow('N/A');
  expect(within(shown).getByText('TBD')).toBeTruthy();
  expect(within(shown).getByText('113/169')).toBeTruthy();
  expect(within(shown).getByText('$565.00')).toBeTruthy();
});

test('a row counts tickets with a buyer and shows the orphaned ones beside, like the draw’s dialog', async () => {
  const [first, ...rest] = makeAdminDraws(NOW);
  const [one, ...others] = makeAdminTickets();
  const orphan = { ...(one as (typeof others)[number]), buyerName: null, buyerEmail: null };
  startConsoleServer({
    'GET /api/admin/draws': { body: [{ ...first, orphanedTickets: 1 }, ...rest] },
    'GET /api/draws/1042/tickets': { body: [orphan, ...others] },
  });
  openConsole('draws');
  const soldCell = async (serial: string) =>
    (await findDrawRow(serial)).querySelector('[data-column="ticketsSold"]')?.textContent;
  expect(await soldCell('FD-1042')).toBe('112/1691 orphaned');
  expect(await soldCell('FD-1043')).not.toContain('orphaned');
  await chooseAction('FD-1042', 'View Tickets');
  const dialog = await screen.findByRole('dialog', { name: 'Tickets of FD-1042' });
  await within(dialog).findByText('Orphaned');
  expect(
    [...dialog.querySelectorAll('.ops-figure')].map((figure) => figure.textContent).slice(0, 3),
  ).toEqual(['Sold112', 'Available56', 'Orphaned1']);
});

test('search, status and order select the rows, and the sums are of the rows shown', async () => {
  const [first, second] = makeAdminDraws(NOW);
  const draws = [
    { ...first, status: 'active', ticketsSold: 10, orphanedTickets: 2, revenue: '50.00' },
    { ...second, status: 'completed', ticketsSold: 9, orphanedTickets: 0, revenue: '45.00' },
  ];
  startConsoleServer({ 'GET /api/admin/draws': { body: draws } });
  openConsole('draws', '&sort=-ticketsSold');
  await findDrawRow('FD-1042');
  const serials = () => [...drawRows()].map((row) => row.querySelector('td')?.textContent);
  expect(serials()).toEqual(['FD-1043', 'FD-1042']);
  expect(document.querySelector('tfoot')?.textContent).toContain('17 sold');
  expect(document.querySelector('tfoot')?.textContent).toContain('$95.00');
  await pressButton(/^Completed/);
  expect(serials()).toEqual(['FD-1043']);
  await pressButton(/^All/);
  await userEvent.type(screen.getByRole('searchbox'), 'fd-1042');
  expect(serials()).toEqual(['FD-1042']);
});

test('a locked action stays in the menu and says why, and a dangerous one says what it does', () => {
  const [draw] = makeAdminDraws(NOW);
  if (!draw) throw new Error('a draw is expected');
  const notes = (more: Partial<typeof draw>) =>
    drawMenuItems({ ...draw, ...more }, vi.fn(), vi.fn())
      .slice(3)
      .map(({ label, isOff = false, note }) => [label, isOff, note]);
  expect(notes({ status: 'active', orders: 64 })).toEqual([
    ['Move kick-off', false, null],
    ['Undo Results', true, 'no result yet'],
    ['Cancel draw', false, 'refunds 64 orders'],
  ]);
  expect(notes({ status: 'completed' })).toEqual([
    ['Move kick-off', true, 'the draw is completed'],
    ['Undo Results', false, 'clears the result and pending payouts'],
    ['Cancel draw', true, 'undo the result first'],
  ]);
});

test('a row shows its kick-off without the year, its true status and its result', () => {
  const [draw] = makeAdminDraws(NOW);
  if (!draw) throw new Error('a draw is expected');
  expect(shortGameDateText('2026-11-25T10:10:00Z', 'Australia/Brisbane')).toBe(
    'Wed 25 Nov, 8:10\u00a0pm',
  );
  expect(shortGameDateText(null)).toBe('TBD');
  const started = { ...draw, status: 'active', gameDate: new Date(NOW - 1).toISOString() };
  expect(shownDrawStatus(started, NOW)).toBe('closed');
  const completed = {
    ...draw,
    status: 'completed',
    homeFirstTryScorer: 3,
    awayFirstTryScorer: 11,
    winningTicketSerial: 'FD-1042-007',
    winningTicketSold: true,
    payoutStatus: 'pending',
  };
  expect(resultText(completed)).toBe('#3 & #11 · FD-1042-007 · payout pending');
  expect(resultText({ ...completed, winningTicketSold: false, payoutStatus: null })).toBe(
    '#3 & #11 · not sold',
  );
  expect(resultText({ ...draw, status: 'cancelled' })).toBe('Refunded');
});

test('only a completed draw can lose its result, with its number typed and a reason', async () => {
  const server = startConsoleServer({
    'POST /api/draws/1045/undo-results': { body: { newStatus: 'closed' } },
  });
  openConsole('draws');
  const row = within(await findDrawRow('FD-1042'));
  await userEvent.click(row.getByRole('button', { name: /^Actions for/ }));
  expect(row.getByRole('menuitem', { name: /^Undo Results/ }).getAttribute('aria-disabled')).toBe(
    'true',
  );
  await userEvent.keyboard('{Escape}');
  await chooseAction('FD-1045', 'Undo Results');
  const dialog = await screen.findByRole('dialog', { name: 'Undo Results' });
  await userEvent.type(within(dialog).getByLabelText('Draw number (type 1045)'), '1042');
  await userEvent.type(within(dialog).getByLabelText('Reason'), 'Numbers swapped');
  await pressButton('Undo Results', dialog);
  expect(within(dialog).getByText('Type the draw number 1045 to go on.')).toBeTruthy();
  expect(server.paths().some((path) => path.includes('undo-results'))).toBe(false);
  await userEvent.clear(within(dialog).getByLabelText('Draw number (type 1045)'));
  await userEvent.type(within(dialog).getByLabelText('Draw number (type 1045)'), '1045');
  await pressButton('Undo Results', dialog);
  await expectToast('Results undone', 'FD-1045 is now closed.');
  expect(server.requests.find(({ path }) => path.includes('undo-results'))?.body).toEqual({
    reason: 'Numbers swapped',
    drawNumber: 1045,
  });
});

test.each([
  [
    'the server’s words',
    refusalResponse(409, 'A payout of this draw is completed, so its result stands.'),
    'A payout of this draw is completed, so its result stands.',
  ],
  [
    'the specified words',
    { status: 500, body: {} },
    'Unable to undo draw results. Please try again.',
  ],
])('a result that cannot be undone says why: %s', async (_name, answer, text) => {
  startConsoleServer({ 'POST /api/draws/1045/undo-results': answer });
  openConsole('draws');
  await chooseAction('FD-1045', 'Undo Results');
  const dialog = await screen.findByRole('dialog', { name: 'Undo Results' });
  await userEvent.type(within(dialog).getByLabelText('Draw number (type 1045)'), '1045');
  await userEvent.type(within(dialog).getByLabelText('Reason'), 'Wrong');
  await pressButton('Undo Results', dialog);
  await expectToast('Failed to Undo Results', text);
  expect(within(dialog).getByText(`Failed to Undo Results: ${text}`)).toBeTruthy();
});

test('a failed report shows the specified text', async () => {
  startConsoleServer({ 'GET /api/admin/draws/1042/report': refusalResponse(500, 'No printer.') });
  openConsole('draws');
  await chooseAction('FD-1042', 'Download Report');
  await expectToast('Download Failed', 'Unable to download the report. Please try again.');
});

test('the ticket dialog counts sold and available and lists up to fifty free numbers', async () => {
  expect(ticketCountsOf(makeAdminTickets()).free.length).toBe(56);
  startConsoleServer();
  openConsole('draws');
  await chooseAction('FD-1042', 'View Tickets');
  const dialog = await screen.findByRole('dialog', { name: 'Tickets of FD-1042' });
  expect(await within(dialog).findByText('+6 more')).toBeTruthy();
  expect(within(dialog).getAllByRole('row').length).toBe(1 + 113);
  expect([...dialog.querySelectorAll('.ops-figure')].map((figure) => figure.textContent)).toEqual([
    'Sold113',
    'Available56',
    'Total revenue$565.00',
  ]);
  expect(dialog.querySelectorAll('.ops-free span').length).toBe(50);
});

test('a paid ticket without a buyer is neither sold nor free', () => {
  const [first, ...rest] = makeAdminTickets();
  const orphan = { ...(first as (typeof rest)[number]), buyerName: null, buyerEmail: null };
  const { sold, orphaned, free } = ticketCountsOf([orphan, ...rest]);
  expect([sold.length, orphaned.length, free.length]).toEqual([112, 1, 56]);
});

test('cancelling a draw first shows the refunds and requires the number and a reason', async () => {
  const would = {
    drawNumber: 1042,
    status: 'active',
    orders: 57,
    tickets: 113,
    refundTotal: '609.07',
    platformFeeReturned: '11.00',
    refunds: { pending: 0, succeeded: 0, failed: 0 },
    whyNot: null,
  };
  const server = startConsoleServer({
    'GET /api/admin/draws/1042/cancellation': { body: would },
    'POST /api/admin/draws/1042/cancel': { body: { ...would, status: 'cancelled' } },
  });
  openConsole('draws');
  await chooseAction('FD-1042', 'Cancel draw');
  const dialog = await screen.findByRole('dialog', { name: 'Cancel draw' });
  expect(await within(dialog).findByText('$609.07')).toBeTruthy();
  await userEvent.type(within(dialog).getByLabelText('Draw number (type 1042)'), '1042');
  await userEvent.type(within(dialog).getByLabelText('Reason'), 'Abandoned');
  await pressButton('Cancel draw and refund all', dialog);
  await expectToast('Draw cancelled', '$609.07 goes back to 57 buyers.');
  expect(server.requests.find(({ path }) => path.endsWith('/cancel'))?.body).toEqual({
    reason: 'Abandoned',
    drawNumber: 1042,
  });
});

test('a moved kick-off is typed in the draw’s own zone', () => {
  expect(localTimeInputValue('2026-11-20T09:10:00Z', 'Australia/Brisbane')).toBe(
    '2026-11-20T19:10',
  );
  expect(localTimeInputValue('2026-11-20T14:00:00Z', 'Pacific/Auckland')).toBe('2026-11-21T03:00');
});

test('a refund from a ticket’s row says how many tickets of its order it returns', () => {
  const [one, two, three] = makeAdminTickets();
  if (!one || !two || !three) throw new Error('three tickets are expected');
  const tickets = [
    { ...one, orderId: 'o-1' },
    { ...two, orderId: 'o-1' },
    { ...three, orderId: 'o-2' },
  ];
  expect(tickets.map((ticket) => refundButtonText(tickets, ticket))).toEqual([
    'Refund order of 2 tickets',
    'Refund order of 2 tickets',
    'Refund',
  ]);
});
