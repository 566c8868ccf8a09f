import { act, renderHook, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Provider, createStore } from 'jotai';
import type { ReactNode } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { receiveFrameAtom } from '@/features/shared-live/live-atoms';
import {
  startConsoleServer,
  NOW,
  openConsole,
  pressButton,
  refusalResponse,
} from '@/testing/console-harness';
import { makeHealth } from '@/testing/platform-data';
import { STATUS_LINE_NAMES, statusLinesOf } from '../overview/status-lines';
import { formatAge, formatDuration } from '../components/relative-time';
import { toCsv } from '../table/csv';
import { builtInCommands, matchingCommands } from './commands';
import { soundEnabledAtom } from './console-atoms';
import { connectionStateOf, failedCheckCount, systemStateOf } from './live-badge';
import { SECTIONS } from './sections';
import { useToneOnNewAnomalies } from './use-tone';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const doNothing = () => {};

test('the ten sections are in their specified order', async () => {
  expect(SECTIONS.map(({ title }) => title)).toEqual([
    'Overview',
    'Club Management',
    'Archived Clubs',
    'Waitlist',
    'Draw Management',
    'Payment Monitor',
    'Orphaned Tickets',
    'Stripe Transactions',
    'System Controls',
    'Platform Fees Report',
  ]);
  startConsoleServer();
  openConsole('overview');
  const navigation = within(screen.getByRole('navigation', { name: 'Sections' }));
  const links = within(navigation.getByRole('list')).getAllByRole('link');
  expect(links.map((link) => link.querySelector('.ops-nav-title')?.textContent)).toEqual(
    SECTIONS.map(({ title }) => title),
  );
  await waitFor(() =>
    expect(
      links.map((link) => link.querySelector('.ops-nav-count')?.firstChild?.textContent ?? ''),
    ).toEqual(['', '', '', '2', '', '3', '1', '', '', '']),
  );
  expect(navigation.getByRole('link', { name: 'Activity log' })).toBeTruthy();
});

test('a section is a link, and changing the section moves focus to its heading', async () => {
  startConsoleServer();
  openConsole('overview');
  await userEvent.click(screen.getByRole('link', { name: 'Archived Clubs' }));
  expect(window.location.search).toBe('?section=archived');
  expect(document.activeElement).toBe(
    screen.getByRole('heading', { level: 1, name: 'Archived Clubs' }),
  );
  expect(await screen.findByText('No archived clubs.')).toBeTruthy();
});

test('the badge shows Live System only while the data is live', () => {
  const at = Date.parse('2026-11-20T09:02:00Z');
  expect(
    [
      connectionStateOf(0, at, true),
      connectionStateOf(20_000, at, true),
      connectionStateOf(42_000, at, true),
      connectionStateOf(61_000, at, true),
      connectionStateOf(5, at, false),
      connectionStateOf(null, at, true),
    ].map(({ text }) => text),
  ).toEqual([
    'Live System',
    'Live System',
    'Delayed 40 s',
    'Offline since 7:02\u00a0pm',
    'Offline',
    'Connecting',
  ]);
});

test('the badge tells maintenance, a lost socket and failed checks', async () => {
  const live = connectionStateOf(0, 0, true);
  const well = { maintenance: false, socketLost: false, warnings: 0 };
  expect(
    [
      well,
      { ...well, maintenance: true },
      { ...well, socketLost: true },
      { ...well, warnings: 1 },
      { ...well, warnings: 2 },
    ].map((state) => systemStateOf(live, state)),
  ).toEqual([
    { kind: 'live', text: 'Live System' },
    { kind: 'warning', text: 'Live System · in maintenance' },
    { kind: 'warning', text: 'Live System · updates each 30 s' },
    { kind: 'warning', text: 'Live System · 1 warning' },
    { kind: 'warning', text: 'Live System · 2 warnings' },
  ]);
  const lost = connectionStateOf(null, 0, false);
  expect(systemStateOf(lost, { ...well, maintenance: true })).toEqual(lost);
  const health = makeHealth(NOW);
  const slowMail = { ...health.checks.mail, ok: false };
  expect([
    failedCheckCount(undefined),
    failedCheckCount(health),
    failedCheckCount({ ...health, checks: { ...health.checks, mail: slowMail } }),
  ]).toEqual([0, 0, 1]);
  startConsoleServer({ 'GET /api/maintenance-mode': { body: { maintenanceMode: true } } });
  openConsole('clubs');
  await pressButton('Live System · in maintenance');
  expect(window.location.search).toBe('?section=system');
});

test('the status texts show only while they are true', () => {
  const well = makeHealth(NOW);
  expect(
    statusLinesOf(well, NOW)
      .slice(0, 3)
      .map(({ status }) => status),
  ).toEqual(['Healthy', 'Operational', 'Connected']);
  const ill = {
    ...well,
    checks: {
      ...well.checks,
      database: { ok: false, latencyMs: 0 },
      provider: { ok: false, lastAnswerAt: null, lastFailureAt: null },
      reconciler: { ok: false, lastRunAt: null },
      clock: { ok: false, offMs: -600_000 },
      integrity: { ok: false, violations: { 'T2 an order counts its lines': 2 } },
    },
  };
  const lines = statusLinesOf(ill, NOW);
  expect(lines.filter(({ ok }) => !ok).map(({ status }) => status)).toEqual([
    'Unreachable',
    'Degraded',
    'Not answering',
    'Wrong',
    'Broken',
  ]);
  expect(lines.find(({ name }) => name === 'Clock')?.detail).toBe(
    '600 seconds behind the database',
  );
  const late = {
    ...well,
    checks: {
      ...well.checks,
      webhook: { ...well.checks.webhook, outOfTime: 3 },
      clock: { ok: true, offMs: 1200 },
    },
  };
  expect(statusLinesOf(late, NOW).map(({ detail }) => detail)).toEqual(
    expect.arrayContaining([
      expect.stringContaining('3 refused for their time'),
      '1 second ahead of the database',
    ]),
  );
  expect(lines.at(-1)?.detail).toBe('T2 an order counts its lines (2)');
});

test('status texts become unknown when the health check fails', async () => {
  vi.useFakeTimers();
  startConsoleServer({
    'GET /api/admin/health': [{ body: makeHealth(NOW) }, refusalResponse(503, 'Away.')],
  });
  openConsole('overview');
  await act(() => vi.advanceTimersByTimeAsync(1_000));
  expect(screen.getByText('Healthy')).toBeTruthy();
  await act(() => vi.advanceTimersByTimeAsync(31_000));
  expect(screen.queryByText('Healthy')).toBeNull();
  expect(screen.getAllByText('Unknown')).toHaveLength(STATUS_LINE_NAMES.length);
  expect(screen.getByText(/^Healthy .*nothing heard since$/)).toBeTruthy();
});

test('a new anomaly plays one tone if enabled, and a resolved one plays none', () => {
  const played = vi.fn();
  const part = {
    connect: (next: unknown) => next,
    start: played,
    stop: () => {},
    frequency: {},
    gain: { setValueAtTime: () => {}, exponentialRampToValueAtTime: () => {} },
  };
  vi.stubGlobal(
    'AudioContext',
    class {
      currentTime = 0;
      destination = {};
      createOscillator = () => part;
      createGain = () => part;
    },
  );
  const store = createStore();
  const { rerender } = renderHook(
    ({ count }: { count: number | undefined }) => useToneOnNewAnomalies(count),
    {
      initialProps: { count: 3 } as { count: number | undefined },
      wrapper: ({ children }: { children: ReactNode }) => (
        <Provider store={store}>{children}</Provider>
      ),
    },
  );
  rerender({ count: 4 });
  expect(played).not.toHaveBeenCalled();
  act(() => store.set(soundEnabledAtom, true));
  for (const count of [4, 2, 3]) rerender({ count });
  expect(played).toHaveBeenCalledTimes(1);
});

test('a raised counter on the socket reloads its list and no other', async () => {
  const server = startConsoleServer();
  const { store } = openConsole('payments');
  await screen.findByRole('table');
  const news = (seq: number, anomalies: number) =>
    act(() =>
      store.set(receiveFrameAtom, {
        v: 1,
        topic: 'ops',
        seq,
        serverNow: NOW,
        type: 'ops',
        data: {
          anomalies: { total: 41, unresolved: 3, resolved: 38 },
          waitlist: 2,
          orphanedTickets: 1,
          maintenanceMode: false,
          health: 'ok',
          revisions: { anomalies, waitlist: 5 },
        },
      }),
    );
  const count = (path: string) => server.paths().filter((each) => each === `GET ${path}`).length;
  news(1, 7);
  await waitFor(() => expect(count('/api/admin/payment-anomalies')).toBe(1));
  news(2, 8);
  await waitFor(() => expect(count('/api/admin/payment-anomalies')).toBe(2));
  expect(count('/api/admin/waitlist')).toBe(1);
});

test('without the socket anomalies, sums, payments and maintenance are polled every 30 s, settings every 60 s', async () => {
  vi.useFakeTimers();
  const server = startConsoleServer();
  const count = (path: string) => server.paths().filter((each) => each === `GET ${path}`).length;
  const asked = (...paths: string[]) => paths.map(count);
  const { unmount } = openConsole('system');
  await vi.advanceTimersByTimeAsync(61_000);
  expect(
    asked(
      '/api/admin/payment-anomalies/stats',
      '/api/maintenance-mode',
      '/api/admin/system-settings',
    ),
  ).toEqual([3, 3, 2]);
  unmount();
  for (const [section, path] of [
    ['payments', '/api/admin/payment-anomalies'],
    ['transactions', '/api/stripe-debug'],
  ] as const) {
    const shown = openConsole(section);
    await vi.advanceTimersByTimeAsync(61_000);
    expect(asked(path), section).toEqual([3]);
    shown.unmount();
  }
});

test('the command menu opens sections, runs the check and searches on the server', async () => {
  const titles = (query: string) =>
    matchingCommands(
      builtInCommands({
        go: doNothing,
        requestAction: doNothing,
        logout: doNothing,
        shortcuts: doNothing,
      }),
      query,
    ).map(({ title }) => title);
  expect(titles('check')).toEqual(['Run Check']);
  expect(titles('payments unresolved')).toEqual(['Anomalies that need action']);
  const server = startConsoleServer({
    'GET /api/admin/search?q=robin': {
      body: [
        {
          kind: 'order',
          id: 'o1',
          title: 'Robin Buyer',
          detail: '2 tickets of FD-1042',
          section: 'transactions',
          key: 'pi_9',
        },
      ],
    },
    'POST /api/admin/payment-anomalies/check': { body: { newAnomalies: 0 } },
  });
  openConsole('overview');
  await userEvent.keyboard('{Control>}k{/Control}');
  await userEvent.type(await screen.findByRole('combobox', { name: /^Search clubs/ }), 'robin');
  const hit = await screen.findByRole('option', { name: /Robin Buyer/ });
  expect(hit.textContent).toBe('OrderRobin Buyer2 tickets of FD-1042');
  await userEvent.keyboard('{Enter}');
  expect(window.location.search).toBe('?section=transactions&open=o1');
  await userEvent.keyboard('{Control>}k{/Control}');
  await userEvent.type(
    await screen.findByRole('combobox', { name: /^Search clubs/ }),
    'run check{Enter}',
  );
  await waitFor(() => expect(server.paths()).toContain('POST /api/admin/payment-anomalies/check'));
});

test('arrow keys go round the commands, and typing selects the first match', async () => {
  startConsoleServer();
  openConsole('overview');
  await userEvent.keyboard('{Control>}k{/Control}');
  const field = await screen.findByRole('combobox', { name: /^Search clubs/ });
  await waitFor(() => expect(document.activeElement).toBe(field));
  const selected = () => screen.getByRole('option', { selected: true });
  const titleOf = (option: HTMLElement) => option.querySelector('span')?.textContent;
  expect(titleOf(selected())).toBe('Overview');
  await userEvent.keyboard('{ArrowUp}');
  expect(titleOf(selected())).toBe('Logout');
  expect(field.getAttribute('aria-activedescendant')).toBe(selected().id);
  await userEvent.keyboard('{ArrowDown}{ArrowDown}');
  expect(titleOf(selected())).toBe('Club Management');
  await userEvent.keyboard('{End}');
  expect(titleOf(selected())).toBe('Logout');
  await userEvent.keyboard('{Home}');
  expect(titleOf(selected())).toBe('Overview');
  await userEvent.keyboard('{ArrowDown}');
  await userEvent.type(field, 'maint');
  await waitFor(() => expect(titleOf(selected())).toBe('Maintenance mode'));
  await userEvent.clear(field);
  await userEvent.type(field, 'no such thing');
  expect((await screen.findByText('Nothing found.')).getAttribute('role')).toBe('status');
  expect(screen.queryByRole('option')).toBeNull();
});

test('a CSV for Excel has a byte order mark, CRLF, quotes and no formula', () => {
  const columns = [
    { id: 'name', header: 'Name', value: (row: string[]) => row[0] },
    { id: 'phone', header: 'Phone', value: (row: string[]) => row[1] },
  ];
  expect(
    toCsv(columns, [
      ['=SUM(A1)', '0400 000 000'],
      ['O"Neil, Pat', '+61 400'],
      ['-1', '@x'],
    ]),
  ).toBe(
    '\ufeffName,Phone\r\n\'=SUM(A1),0400 000 000\r\n"O""Neil, Pat",\'+61 400\r\n\'-1,\'@x\r\n',
  );
  expect(
    toCsv(columns, [
      [' \u200b=1', '0400000000'],
      ['＝1', '0'],
    ]),
  ).toBe("\ufeffName,Phone\r\n' \u200b=1,'0400000000\r\n'＝1,0\r\n");
});

test('search, order and filter are in the address, and a search without matches says so', async () => {
  startConsoleServer();
  openConsole('clubs', '&status=pending');
  const table = await screen.findByRole('table', { name: 'Clubs' });
  expect(
    within(table)
      .getAllByRole('rowheader')
      .map((cell) => cell.textContent),
  ).toEqual(['Norths Devils']);
  await userEvent.click(screen.getByRole('button', { name: /^All/ }));
  await userEvent.click(within(table).getByRole('button', { name: /^Name/ }));
  expect(within(table).getAllByRole('rowheader')[0]?.textContent).toBe('Wynnum Tigers');
  expect(window.location.search).toBe('?section=clubs&sort=-name');
  await userEvent.type(screen.getByRole('searchbox', { name: 'Search clubs' }), 'zzz');
  expect(await screen.findByText('Nothing matches.')).toBeTruthy();
  await pressButton('Clear search and filters');
  expect(await screen.findByText('Wynnum Tigers')).toBeTruthy();
});

test('times are formatted as people say them', () => {
  expect([5_000, 240_000, 7_200_000, 90_000_000, 172_900_000].map(formatAge)).toEqual([
    'just now',
    '4 min ago',
    '2 h ago',
    '1 day ago',
    '2 days ago',
  ]);
  expect([20_000, 360_000, 3_600_000].map(formatDuration)).toEqual([
    '1 minute',
    '6 minutes',
    '1 hour',
  ]);
});
