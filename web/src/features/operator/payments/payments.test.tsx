import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { queryClientAtom } from '@/api/query-client-atoms';
import {
  startConsoleServer,
  expectToast,
  openConsole,
  pressButton,
  refusalResponse,
  reauthenticationRequiredResponse,
} from '@/testing/console-harness';
import { makeAnomaly, makeAnomalies } from '@/testing/operator-data';
import { consoleQueryKey } from '../queries/query-atoms';
import {
  customerInputProblems,
  anomalyLabelOf,
  nextUnresolvedAnomaly,
  anomalyResolutionRateText,
} from './anomalies';

afterEach(() => vi.unstubAllGlobals());

const LIST_ANOMALIES_CALL = 'GET /api/admin/payment-anomalies';
const ANOMALY_STATS_CALL = 'GET /api/admin/payment-anomalies/stats';
const MISMATCH_ANOMALY = makeAnomaly({
  id: 'a-2',
  type: 'mismatched_amount',
  customerEmail: null,
  detectedAt: '2026-11-21T02:00:00Z',
});
const DUPLICATE_ANOMALY = makeAnomaly({ id: 'a-1' });
const MISSING_TICKET_ANOMALY = makeAnomaly({
  id: 'a-3',
  type: 'missing_ticket',
  customerEmail: 'jo@example.com',
  detectedAt: '2026-11-21T01:00:00Z',
});
const findAnomalyRowOfType = async (type: string) =>
  (await screen.findAllByRole('row')).find((row) => within(row).queryByText(type)) as HTMLElement;

test('the five types have their labels, and success is resolved of all in whole percent, 100 % of none', () => {
  expect(
    [
      'missing_ticket',
      'duplicate_payment',
      'failed_allocation',
      'mismatched_amount',
      'orphaned_ticket',
    ].map(anomalyLabelOf),
  ).toEqual([
    'Missing Ticket',
    'Duplicate Payment',
    'Failed Allocation',
    'Amount Mismatch',
    'Orphaned Ticket',
  ]);
  expect([
    anomalyResolutionRateText({ total: 0, resolved: 0 }),
    anomalyResolutionRateText({ total: 41, resolved: 38 }),
    anomalyResolutionRateText({ total: 3, resolved: 2 }),
  ]).toEqual(['100%', '93%', '67%']);
});

test('a customer needs a name, a valid e-mail and a phone of ten characters', () => {
  const texts = (said: [string, string, string]) =>
    customerInputProblems({
      customerName: said[0],
      customerEmail: said[1],
      customerPhone: said[2],
    }).map(({ text }) => text);
  expect(texts(['', 'nobody', '123456789'])).toEqual([
    'Customer name is required',
    'Valid email is required',
    'Valid phone number is required',
  ]);
  expect(texts(['J', 'j@example.com', '0400000000'])).toEqual([]);
});

test('the next unresolved anomaly is the one below, else the first', () => {
  const [one, two, three] = [
    makeAnomaly({ id: '1' }),
    makeAnomaly({ id: '2' }),
    makeAnomaly({ id: '3', resolved: true }),
  ];
  expect(nextUnresolvedAnomaly([one, two, three], new Set(['1']))).toBe('2');
  expect(nextUnresolvedAnomaly([one, two, three], new Set(['2']))).toBe('1');
  expect(nextUnresolvedAnomaly([one, three], new Set(['1']))).toBeNull();
});

test('the count of unresolved anomalies and the list appear together, so that neither moves the other', async () => {
  startConsoleServer({ [LIST_ANOMALIES_CALL]: { body: [DUPLICATE_ANOMALY] } });
  const answered = globalThis.fetch;
  let tellStats = () => {};
  const stats = new Promise<void>((tell) => {
    tellStats = tell;
  });
  vi.stubGlobal('fetch', async (path: string, init?: RequestInit) => {
    if (path.includes('stats')) await stats;
    return answered(path, init);
  });
  const { store } = openConsole('payments');
  await waitFor(() =>
    expect(store.get(queryClientAtom).getQueryData(consoleQueryKey('anomalies'))).toHaveLength(1),
  );
  expect(screen.queryByRole('table', { name: 'Payment anomalies' })).toBeNull();
  tellStats();
  expect(await screen.findByRole('table', { name: 'Payment anomalies' })).toBeDefined();
  expect(document.querySelector('.ops-banner')).not.toBeNull();
});

test('a list is shown even when the counts cannot be loaded', async () => {
  startConsoleServer({
    [LIST_ANOMALIES_CALL]: { body: [DUPLICATE_ANOMALY] },
    [ANOMALY_STATS_CALL]: { status: 500 },
  });
  openConsole('payments');
  expect(await screen.findByRole('table', { name: 'Payment anomalies' })).toBeDefined();
  expect(document.querySelector('.ops-banner')).toBeNull();
});

test('the ten latest are shown, all on request, and a customer without an e-mail is a Guest', async () => {
  startConsoleServer({
    [LIST_ANOMALIES_CALL]: { body: makeAnomalies(Date.parse('2026-11-21T03:00:00Z')) },
  });
  openConsole('payments');
  const table = await screen.findByRole('table', { name: 'Payment anomalies' });
  expect(within(table).getAllByRole('row').length).toBe(1 + 10 + 1);
  expect(within(table).getAllByText('Guest').length).toBeGreaterThan(0);
  expect(within(table).getAllByText('Needs Action').length).toBe(3);
  await pressButton('Show all 14');
  expect(within(table).getAllByRole('row').length).toBe(1 + 14 + 1);
  expect(screen.getByText('3 anomalies need action.', { exact: false })).toBeTruthy();
  expect(document.title).toBe('(3) Payment Monitor – Football Doubles');
});

test('other anomalies are resolved without a request body, and shown so only after the server confirms', async () => {
  const server = startConsoleServer({
    [LIST_ANOMALIES_CALL]: [
      { body: [DUPLICATE_ANOMALY, MISMATCH_ANOMALY] },
      { body: [{ ...DUPLICATE_ANOMALY, resolved: true }, MISMATCH_ANOMALY] },
    ],
    'POST /api/admin/payment-anomalies/a-1/resolve': {
      body: { ...DUPLICATE_ANOMALY, resolved: true },
    },
  });
  openConsole('payments');
  await pressButton('Mark Resolved', await findAnomalyRowOfType('Duplicate Payment'));
  await expectToast('Anomaly resolved');
  expect(server.requests.find(({ path }) => path.endsWith('/a-1/resolve'))).toMatchObject({
    method: 'POST',
    body: undefined,
  });
  await waitFor(() =>
    expect(document.activeElement).toBe(document.querySelector('[data-id="a-2"]')),
  );
  expect(
    within(await findAnomalyRowOfType('Duplicate Payment')).queryByRole('button', {
      name: 'Mark Resolved',
    }),
  ).toBeNull();
});

test('a refusal shows the server’s own text, and nothing is shown as done', async () => {
  startConsoleServer({
    [LIST_ANOMALIES_CALL]: { body: [DUPLICATE_ANOMALY] },
    'POST /api/admin/payment-anomalies/a-1/resolve': refusalResponse(409, 'Somebody is on it.'),
  });
  openConsole('payments');
  await pressButton('Mark Resolved', await findAnomalyRowOfType('Duplicate Payment'));
  await expectToast('Failed to resolve anomaly', 'Somebody is on it.');
  expect(
    within(await findAnomalyRowOfType('Duplicate Payment')).getByText('Needs Action'),
  ).toBeTruthy();
});

test.each([
  ['Run Check', 'POST /api/admin/payment-anomalies/check', 'Check failed'],
  [
    'Scan 24h History',
    'POST /api/admin/payment-anomalies/scan-historical',
    'Historical scan failed',
  ],
])('%s shows an error when it fails', async (button, call, title) => {
  startConsoleServer({ [call]: refusalResponse(503, 'The provider does not answer.') });
  openConsole('payments');
  await pressButton(button);
  await expectToast(title, 'The provider does not answer.');
});

test('a scan covers 24 hours and reports what it found', async () => {
  const server = startConsoleServer({
    'POST /api/admin/payment-anomalies/scan-historical': {
      body: { hoursBack: 24, newAnomalies: 2, healed: 1 },
    },
  });
  openConsole('payments');
  await pressButton('Scan 24h History');
  await expectToast('Scan of 24 hours finished', '2 new anomalies, 1 healed by itself.');
  expect(server.requests.find(({ path }) => path.endsWith('/scan-historical'))?.body).toEqual({
    hoursBack: 24,
  });
});

test('a failed refresh keeps the shown data', async () => {
  startConsoleServer({
    [LIST_ANOMALIES_CALL]: [{ body: [DUPLICATE_ANOMALY] }, refusalResponse(500, 'No.')],
  });
  openConsole('payments');
  await findAnomalyRowOfType('Duplicate Payment');
  await pressButton('Refresh');
  await expectToast('Refresh Failed', 'No.');
  expect(await findAnomalyRowOfType('Duplicate Payment')).toBeTruthy();
});

test('a missing ticket is resolved with a prefilled customer after three checks', async () => {
  const server = startConsoleServer({
    [LIST_ANOMALIES_CALL]: { body: [MISSING_TICKET_ANOMALY] },
    'POST /api/admin/payment-anomalies/resolve': {
      body: {
        allocatedTickets: [{ drawNumber: 1042, ticketNumber: 12, serialNumber: 'FD-1042-012' }],
        customerName: 'Jo Martin',
      },
    },
  });
  openConsole('payments');
  const row = await findAnomalyRowOfType('Missing Ticket');
  expect(within(row).queryByRole('button', { name: 'Mark Resolved' })).toBeNull();
  await pressButton('Details', row);
  expect(await screen.findByLabelText('Customer e-mail')).toHaveProperty('value', 'jo@example.com');
  await userEvent.clear(screen.getByLabelText('Customer e-mail'));
  await pressButton('Allocate ticket and resolve');
  for (const text of [
    'Customer name is required',
    'Valid email is required',
    'Valid phone number is required',
  ])
    expect(screen.getAllByText(text).length).toBe(2);
  await userEvent.type(screen.getByLabelText('Customer name'), 'Jo Martin');
  await userEvent.type(screen.getByLabelText('Customer e-mail'), 'jo@example.com');
  await userEvent.type(screen.getByLabelText('Customer phone'), '0400 000 000');
  await pressButton('Allocate ticket and resolve');
  await expectToast('Ticket allocated', 'FD-1042-012 is now Jo Martin’s.');
  expect(
    server.requests.find(({ path }) => path === '/api/admin/payment-anomalies/resolve')?.body,
  ).toEqual({
    paymentIntentId: 'pi_3QdemoAAAA21Xk',
    customerName: 'Jo Martin',
    customerEmail: 'jo@example.com',
    customerPhone: '0400 000 000',
  });
});

test('before money moves the operator’s code is asked for once, and the same request is repeated', async () => {
  const server = startConsoleServer({
    [LIST_ANOMALIES_CALL]: { body: [DUPLICATE_ANOMALY] },
    'POST /api/admin/payment-anomalies/a-1/resolve': [
      reauthenticationRequiredResponse,
      { body: { ...DUPLICATE_ANOMALY, resolved: true } },
    ],
    'POST /api/admin/reauthenticate': [
      refusalResponse(401, 'That code is not right. Codes change every 30 seconds.', 'wrong-code'),
      { body: { reauthenticatedUntil: '2026-11-21T03:10:00Z' } },
    ],
  });
  openConsole('payments');
  await pressButton('Mark Resolved', await findAnomalyRowOfType('Duplicate Payment'));
  const code = await screen.findByLabelText('Six-digit code');
  await userEvent.type(code, '111111');
  expect(
    await screen.findByText('That code is not right. Codes change every 30 seconds.'),
  ).toBeTruthy();
  expect(code).toHaveProperty('value', '');
  await userEvent.type(code, '222 222');
  await expectToast('Anomaly resolved');
  expect(server.paths().filter((path) => path.endsWith('/a-1/resolve')).length).toBe(2);
});

test('an operator who cancels the code prompt changes nothing and sees no error', async () => {
  startConsoleServer({
    [LIST_ANOMALIES_CALL]: { body: [DUPLICATE_ANOMALY] },
    'POST /api/admin/payment-anomalies/a-1/resolve': reauthenticationRequiredResponse,
  });
  openConsole('payments');
  await pressButton('Mark Resolved', await findAnomalyRowOfType('Duplicate Payment'));
  const dialog = await screen.findByRole('dialog', { name: 'Confirm it is you' });
  await pressButton('Cancel', dialog);
  await waitFor(() => expect(screen.queryByLabelText('Six-digit code')).toBeNull());
  expect(document.querySelector('.toast')).toBeNull();
});

test('J and K move and E resolves, unless single-key shortcuts are off', async () => {
  const server = startConsoleServer({
    [LIST_ANOMALIES_CALL]: { body: [DUPLICATE_ANOMALY, MISMATCH_ANOMALY] },
    'POST /api/admin/payment-anomalies/a-2/resolve': { body: {} },
  });
  openConsole('payments');
  await findAnomalyRowOfType('Duplicate Payment');
  const row = (id: string) => document.querySelector<HTMLElement>(`[data-id="${id}"]`);
  row('a-1')?.focus();
  await userEvent.keyboard('j');
  expect(document.activeElement).toBe(row('a-2'));
  await userEvent.keyboard('k');
  expect(document.activeElement).toBe(row('a-1'));
  await userEvent.keyboard('?');
  await userEvent.click(await screen.findByLabelText('Single keys act (/, ?, J, K, E)'));
  await pressButton('Close', screen.getByRole('dialog', { name: 'Keyboard shortcuts' }));
  row('a-1')?.focus();
  await userEvent.keyboard('je');
  expect(document.activeElement).toBe(row('a-1'));
  await userEvent.keyboard('{ArrowDown}');
  expect(document.activeElement).toBe(row('a-2'));
  expect(server.paths().some((path) => path.includes('/resolve'))).toBe(false);
});

test('several anomalies can be selected and resolved together, but no missing ticket', async () => {
  const server = startConsoleServer({
    [LIST_ANOMALIES_CALL]: { body: [DUPLICATE_ANOMALY, MISMATCH_ANOMALY, MISSING_TICKET_ANOMALY] },
    'POST /api/admin/payment-anomalies/a-1/resolve': { body: {} },
    'POST /api/admin/payment-anomalies/a-2/resolve': { body: {} },
  });
  openConsole('payments');
  await userEvent.click(await screen.findByLabelText('Choose Duplicate Payment'));
  await userEvent.click(screen.getByLabelText('Choose Amount Mismatch'));
  expect(screen.queryByLabelText('Choose Missing Ticket')).toBeNull();
  await pressButton('Mark Resolved', screen.getByRole('group', { name: 'Chosen rows' }));
  await expectToast('2 anomalies resolved');
  expect(server.paths().filter((path) => path.startsWith('POST')).length).toBe(2);
});

test('after a joint resolution the focus moves to an anomaly that arrived meanwhile', async () => {
  startConsoleServer({
    [LIST_ANOMALIES_CALL]: [
      { body: [DUPLICATE_ANOMALY] },
      { body: [DUPLICATE_ANOMALY, MISMATCH_ANOMALY] },
    ],
    'POST /api/admin/payment-anomalies/check': { body: { newAnomalies: 1 } },
    'POST /api/admin/payment-anomalies/a-1/resolve': { body: {} },
  });
  openConsole('payments');
  await findAnomalyRowOfType('Duplicate Payment');
  await pressButton('Run Check');
  await screen.findByLabelText('Choose Amount Mismatch');
  await userEvent.click(screen.getByLabelText('Choose Duplicate Payment'));
  await pressButton('Mark Resolved', screen.getByRole('group', { name: 'Chosen rows' }));
  await waitFor(() =>
    expect((document.activeElement as HTMLElement | null)?.dataset.id).toBe('a-2'),
  );
});

test('an anomaly that arrives slides in, and those already listed do not', async () => {
  startConsoleServer({
    [LIST_ANOMALIES_CALL]: [
      { body: [MISMATCH_ANOMALY] },
      { body: [DUPLICATE_ANOMALY, MISMATCH_ANOMALY] },
    ],
    'POST /api/admin/payment-anomalies/check': { body: { newAnomalies: 1 } },
  });
  openConsole('payments');
  const first = await findAnomalyRowOfType('Amount Mismatch');
  expect(first.className).toBe('');
  await pressButton('Run Check');
  await waitFor(async () =>
    expect((await findAnomalyRowOfType('Duplicate Payment'))?.className).toBe('is-new'),
  );
  expect((await findAnomalyRowOfType('Amount Mismatch')).className).toBe('');
});
