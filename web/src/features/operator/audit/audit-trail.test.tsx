import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { startConsoleServer, openConsole, pressButton } from '@/testing/console-harness';
import { FakeServer } from '@/testing/fake-server';
import { renderScreen } from '@/testing/render-screen';
import { AuditTrail, auditChangeText } from './audit-trail';

afterEach(() => vi.unstubAllGlobals());

const makeAuditEntry = (id: number, more: object = {}) => ({
  id,
  at: '2026-11-21T02:00:00Z',
  action: 'archive-club',
  object: 'club:7',
  actor: 'admin:1',
  by: null,
  ip: '203.0.113.7',
  hash: 'abcdef0123456789',
  detail: {},
  ...more,
});
const makeAuditPage = (entries: object[], next: number | null = null, verified = true) => ({
  body: { entries, next, chain: { verified, length: 2, head: 'h', brokenAt: verified ? null : 2 } },
});

test('an entry shows who changed what, when, from where and how, and older entries load on request', async () => {
  const server = new FakeServer()
    .on(
      'GET /api/admin/audit?object=club%3A7&limit=50',
      makeAuditPage(
        [
          makeAuditEntry(9, {
            detail: { reason: 'Asked for', before: { name: 'Old' }, none: null },
          }),
        ],
        9,
      ),
    )
    .on(
      'GET /api/admin/audit?object=club%3A7&limit=50&before=9',
      makeAuditPage([makeAuditEntry(8, { action: 'restore_club', by: 'Kim' })]),
    );
  renderScreen(<AuditTrail objects="club:7" />);
  const first = within(await screen.findByRole('listitem'));
  expect(first.getByText('Archive club')).toBeTruthy();
  expect(first.getByText('reason: Asked for · before: {"name":"Old"}')).toBeTruthy();
  expect(first.getByText('Super Admin').getAttribute('title')).toBe('admin:1');
  expect(first.getByText(/203\.0\.113\.7/)).toBeTruthy();
  expect(first.getByText('abcdef01').getAttribute('title')).toBe('abcdef0123456789');
  await pressButton('Older entries');
  expect(await screen.findByText('Restore club')).toBeTruthy();
  expect(screen.getAllByRole('listitem')).toHaveLength(2);
  expect(server.requests).toHaveLength(2);
  expect(screen.getByText('The chain of 2 entries is whole.')).toBeTruthy();
  expect(auditChangeText({ detail: {} })).toBe('');
});

test('an empty, broken or unavailable trail says which it is', async () => {
  const at = 'GET /api/admin/audit?object=&limit=50';
  new FakeServer().on(at, makeAuditPage([], null, false));
  const { unmount } = renderScreen(<AuditTrail objects="" />);
  expect(await screen.findByText('Nobody has done anything here yet.')).toBeTruthy();
  expect(screen.getByText('The chain is broken at entry 2.')).toBeTruthy();
  unmount();
  new FakeServer().on(at, { status: 500 }, makeAuditPage([makeAuditEntry(1)]));
  renderScreen(<AuditTrail objects="" />);
  expect(await screen.findByText(/The trail did not load\./)).toBeTruthy();
  await pressButton('Try again');
  expect(await screen.findByText('Archive club')).toBeTruthy();
});

test('each panel of the console requests the trail of the objects it changes', async () => {
  const trails = {
    system: [
      'setting:maintenance_mode,system',
      'setting:club_registration_enabled,setting:hide_test_draws,setting:fee_passthrough_allowed',
      'footer-menu:*,footer-item:*',
    ],
    waitlist: ['waitlist:*'],
  } as const;
  for (const [section, objects] of Object.entries(trails)) {
    const server = startConsoleServer();
    const { unmount } = openConsole(section as keyof typeof trails);
    for (const object of objects)
      await waitFor(() =>
        expect(server.paths()).toContain(
          `GET /api/admin/audit?object=${encodeURIComponent(object)}&limit=50`,
        ),
      );
    unmount();
  }
});
