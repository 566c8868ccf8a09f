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
import { makeAdminClubs, makeSettings } from '@/testing/operator-data';
import { isFooterLinkTarget } from './footer-dialogs';
import { withMovedItem } from './footer-menus';
import { logFileContent } from './logs';

afterEach(() => vi.unstubAllGlobals());

const findMaintenanceSwitch = () => screen.findByRole('switch', { name: 'Maintenance mode' });

test('maintenance starts only after a review of the customers’ text and the current activity', async () => {
  const server = startConsoleServer({
    'POST /api/admin/maintenance-mode': { body: { maintenanceMode: true } },
    'GET /api/maintenance-mode': [
      { body: { maintenanceMode: false } },
      { body: { maintenanceMode: true } },
    ],
  });
  openConsole('system');
  expect(await screen.findByRole('region', { name: 'Maintenance' })).toBeTruthy();
  await waitFor(async () =>
    expect((await findMaintenanceSwitch()).getAttribute('aria-disabled')).toBeNull(),
  );
  await userEvent.click(await findMaintenanceSwitch());
  const dialog = await screen.findByRole('dialog', { name: 'Begin maintenance?' });
  expect(
    within(dialog).getByText(
      "System is doing some maintenance. We won't be long, check back in a couple of minutes.",
    ),
  ).toBeTruthy();
  expect(
    await within(dialog).findByText('Under way: 4 carts with 9 tickets, 2 payments.'),
  ).toBeTruthy();
  expect(server.paths().some((path) => path.startsWith('POST'))).toBe(false);
  await pressButton('Begin maintenance', dialog);
  await expectToast('Maintenance mode is on');
  expect(server.requests.find(({ method }) => method === 'POST')?.body).toEqual({
    enabled: true,
    updatedBy: 'Super Admin',
  });
  expect((await findMaintenanceSwitch()).getAttribute('aria-checked')).toBe('true');
});

test('a switch whose change fails keeps its position', async () => {
  startConsoleServer({ 'POST /api/admin/maintenance-mode': refusalResponse(500, 'Disk full.') });
  openConsole('system');
  await waitFor(async () =>
    expect((await findMaintenanceSwitch()).getAttribute('aria-disabled')).toBeNull(),
  );
  await userEvent.click(await findMaintenanceSwitch());
  await pressButton(
    'Begin maintenance',
    await screen.findByRole('dialog', { name: 'Begin maintenance?' }),
  );
  await expectToast('Error', 'Failed to update maintenance mode');
  expect((await findMaintenanceSwitch()).getAttribute('aria-checked')).toBe('false');
});

test('registration is open by default, and a failed change shows an error', async () => {
  startConsoleServer({
    'GET /api/settings/club-registration': { body: {} },
    'POST /api/admin/system-settings/club_registration_enabled': refusalResponse(500, 'No.'),
  });
  openConsole('system');
  const toggle = await screen.findByRole('switch', { name: 'Club registration' });
  expect(toggle.getAttribute('aria-checked')).toBe('true');
  await waitFor(() => expect(toggle.getAttribute('aria-disabled')).toBeNull());
  await userEvent.click(toggle);
  await expectToast('Update Failed', 'Failed to update club registration setting.');
  expect(toggle.getAttribute('aria-checked')).toBe('true');
});

test('the buyers’ card fee can be turned off, and stays on when the server refuses', async () => {
  const server = startConsoleServer({
    'POST /api/admin/system-settings/fee_passthrough_allowed': [
      refusalResponse(500, ''),
      { body: { key: 'fee_passthrough_allowed', value: 'false' } },
    ],
  });
  openConsole('system');
  const toggle = await screen.findByRole('switch', { name: 'Card fee passed on to buyers' });
  await waitFor(() => expect(toggle.getAttribute('aria-disabled')).toBeNull());
  await userEvent.click(toggle);
  await expectToast('Update Failed', 'The setting stays as it is. Please try again.');
  expect(toggle.getAttribute('aria-checked')).toBe('true');
  await userEvent.click(toggle);
  await expectToast('Clubs pay the card fee');
  expect(toggle.getAttribute('aria-checked')).toBe('false');
  expect(server.requests.filter(({ method }) => method === 'POST').at(-1)?.body).toMatchObject({
    value: 'false',
  });
});

test('expired draws show the server’s message on success and the specified one on failure', async () => {
  startConsoleServer({
    'POST /api/admin/close-expired-draws': [
      { body: { message: 'Closed 3 expired draws.' } },
      refusalResponse(500, 'No.'),
    ],
  });
  openConsole('system');
  await pressButton('close expired draws');
  await expectToast('Closed 3 expired draws.');
  await pressButton('close expired draws');
  await expectToast('Error', 'Failed to close expired draws');
});

test('refreshing the settings only reads, and shows an error on failure', async () => {
  const server = startConsoleServer({
    'GET /api/admin/system-settings': [{ body: [] }, refusalResponse(502, 'Bad gateway.')],
  });
  openConsole('system');
  await findMaintenanceSwitch();
  await pressButton('Refresh Settings');
  await expectToast('Refresh Failed', 'Bad gateway.');
  expect(server.requests.every(({ method }) => method === 'GET')).toBe(true);
});

test('the log file contains settings, clubs, active draws, the fixed status and the real one', () => {
  const now = new Date('2026-11-21T03:00:00Z');
  const made = logFileContent(
    {
      settings: makeSettings(now.getTime()),
      clubs: makeAdminClubs(),
      activeDraws: [],
      health: null,
    },
    now,
  );
  expect(made).toMatchObject({
    timestamp: '2026-11-21T03:00:00.000Z',
    systemStatus: { database: 'Healthy', api: 'Operational', stripe: 'Connected' },
    health: null,
  });
  expect([made.settings.length, made.clubs.length]).toEqual([2, 4]);
});

test('a menu requires a heading and a whole number', async () => {
  const server = startConsoleServer({
    'POST /api/admin/footer-menus': [refusalResponse(500, ''), { status: 201, body: {} }],
  });
  openConsole('system');
  await pressButton('New menu');
  const dialog = await screen.findByRole('dialog', { name: 'New menu' });
  expect(within(dialog).getByLabelText('Visible')).toHaveProperty('checked', true);
  expect(within(dialog).getByLabelText('Display order')).toHaveProperty('value', '0');
  await userEvent.clear(within(dialog).getByLabelText('Display order'));
  await userEvent.type(within(dialog).getByLabelText('Display order'), '1.5');
  await pressButton('Create menu', dialog);
  expect(within(dialog).getAllByText('Heading is required').length).toBe(2);
  expect(within(dialog).getAllByText('Display order must be a whole number').length).toBe(2);
  await userEvent.type(within(dialog).getByLabelText('Heading'), 'Legal');
  await userEvent.clear(within(dialog).getByLabelText('Display order'));
  await userEvent.type(within(dialog).getByLabelText('Display order'), '2');
  await pressButton('Create menu', dialog);
  await expectToast('Error creating menu');
  await pressButton('Create menu', dialog);
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'New menu' })).toBeNull());
  expect(server.requests.filter(({ method }) => method === 'POST').at(-1)?.body).toEqual({
    heading: 'Legal',
    displayOrder: 2,
    isVisible: true,
  });
});

test('a menu that cannot be saved shows an error', async () => {
  startConsoleServer({ 'PATCH /api/admin/footer-menus/1': refusalResponse(500, 'No.') });
  openConsole('system');
  await pressButton('Edit For clubs');
  await pressButton('Save menu', await screen.findByRole('dialog', { name: 'Edit For clubs' }));
  await expectToast('Error updating menu', 'No.');
});

test('a link requires a label and a URL that cannot execute code', async () => {
  expect(
    ['/club/sharks', '#', '#how', 'https://example.com', 'mailto:a@b.c'].map(isFooterLinkTarget),
  ).toEqual([true, true, true, true, true]);
  expect(
    ['javascript:alert(1)', 'data:text/html,x', '//evil.example', 'http://example.com', 'club'].map(
      isFooterLinkTarget,
    ),
  ).toEqual([false, false, false, false, false]);
  const server = startConsoleServer({
    'POST /api/admin/footer-menu-items': { status: 201, body: {} },
  });
  openConsole('system');
  await pressButton('Add a link to Help');
  const dialog = await screen.findByRole('dialog', { name: 'Add a link to Help' });
  await pressButton('Add link', dialog);
  expect(within(dialog).getAllByText('Label is required').length).toBe(2);
  await userEvent.type(within(dialog).getByLabelText('Label'), 'Terms');
  await userEvent.type(within(dialog).getByLabelText('URL'), 'javascript:alert(1)');
  await pressButton('Add link', dialog);
  expect(within(dialog).getAllByText('The URL must be a path, #, https: or mailto:').length).toBe(
    2,
  );
  await userEvent.clear(within(dialog).getByLabelText('URL'));
  await userEvent.type(within(dialog).getByLabelText('URL'), '/terms');
  await pressButton('Add link', dialog);
  await waitFor(() =>
    expect(server.requests.find(({ method }) => method === 'POST')?.body).toEqual({
      menuId: 2,
      label: 'Terms',
      url: '/terms',
      displayOrder: 1,
      isVisible: true,
    }),
  );
});

test('moving sends only the changed numbers and makes equal ones distinct', () => {
  const menus = [
    { id: 1, displayOrder: 0 },
    { id: 2, displayOrder: 1 },
    { id: 3, displayOrder: 2 },
  ];
  expect(withMovedItem(menus, 3, -1)).toEqual([
    { id: 3, displayOrder: 1 },
    { id: 2, displayOrder: 2 },
  ]);
  expect(withMovedItem(menus, 1, -1)).toEqual([]);
  expect(
    withMovedItem(
      [
        { id: 1, displayOrder: 0 },
        { id: 2, displayOrder: 0 },
      ],
      2,
      -1,
    ),
  ).toEqual([{ id: 1, displayOrder: 1 }]);
});

test('the current fee policy comes from the server, and no rate is in the page’s code', async () => {
  startConsoleServer({
    'GET /api/admin/configuration': {
      body: {
        feeRateBps: 300,
        feeCapCents: 1000,
        cardFeeBps: 175,
        cardFeeFixedCents: 30,
        surchargeMode: 'per_charge',
        feePassthroughAllowed: false,
        currency: 'aud',
        country: 'AU',
        timezone: 'Australia/Brisbane',
        ticketsPerDraw: 169,
        maxPerPurchase: 50,
        reservationSeconds: 120,
        releaseAfterSeconds: 150,
        extensionSeconds: 120,
        extensionsMax: 10,
        intentsPerSessionPerMinute: 10,
        intentsPerAddressPerMinute: 600,
        sessionIdleSeconds: { operator: 7200, club: 43200 },
        termsVersion: '1.0',
        versions: { server: '1', database: '18', schema: '3' },
      },
    },
  });
  openConsole('system');
  expect(await screen.findByText('3%, at most $10.00 a draw')).toBeTruthy();
  expect(screen.getByText('1.75% + $0.30, per charge (not allowed)')).toBeTruthy();
});
