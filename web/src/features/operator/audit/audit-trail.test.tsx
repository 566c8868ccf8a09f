import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { startConsoleServer, openConsole, pressButton } from '@/testing/console-harness';
import { FakeServer } from '@/testing/fake-server';
import { renderScreen } from '@/testing/render-screen';
import { AuditTrail } from './audit-trail';
import { ACTION_KINDS, auditSentenceText, changedFieldsOf, objectLinkOf } from './audit-sentence';

afterEach(() => vi.unstubAllGlobals());

const makeAuditEntry = (id: number, more: object = {}) => ({
  id,
  at: '2026-11-21T02:00:00Z',
  action: 'archive-club',
  object: 'club:7',
  actor: 'admin:1',
  by: 'Super Admin',
  name: 'Nora Field',
  ip: '203.0.113.7',
  hash: 'abcdef0123456789',
  detail: {},
  ...more,
});
const makeAuditPage = (entries: object[], next: number | null = null, verified = true) => ({
  body: {
    entries,
    next,
    total: entries.length,
    chain: { verified, length: 2, head: 'h', brokenAt: verified ? null : 2 },
  },
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
      makeAuditPage([makeAuditEntry(8, { action: 'sign-in', by: 'Kim' })]),
    );
  renderScreen(<AuditTrail objects="club:7" />);
  const first = within(await screen.findByRole('listitem'));
  expect(first.getByText(/archived the club/).textContent).toBe(
    'Nora Field archived the club club 7. Reason: “Asked for”.',
  );
  expect(first.getByText('Nora Field').getAttribute('title')).toBe('admin:1');
  expect(first.getByRole('link', { name: 'club 7' }).getAttribute('href')).toBe(
    '/super-admin?section=clubs',
  );
  await pressButton('Details of entry 9');
  expect(first.getByRole('row', { name: 'Name Old –' })).toBeTruthy();
  expect(first.getByText(/203\.0\.113\.7/)).toBeTruthy();
  expect(first.getByRole('button', { name: 'Copy abcdef0123456789' })).toBeTruthy();
  await pressButton('Older entries');
  expect((await screen.findByText(/signed in/)).textContent).toBe('Nora Field signed in.');
  expect(screen.getAllByRole('listitem')).toHaveLength(2);
  expect(server.requests).toHaveLength(2);
  expect(screen.getByText('The chain of 2 entries is whole.')).toBeTruthy();
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
  expect(await screen.findByText(/archived the club/)).toBeTruthy();
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

const NAMES = {
  draw: (drawNumber: number) => (drawNumber === 1012 ? 'Cassowaries v Marlins' : undefined),
  club: (club: number) => (club === 7 ? 'Western Ringtails' : undefined),
};
const sentence = (more: object) =>
  auditSentenceText(
    makeAuditEntry(1, { hash: 'h', previousHash: '', ...more }) as Parameters<
      typeof auditSentenceText
    >[0],
    NAMES,
  );

test('an entry reads as a sentence with its object, its amount and its reason', () => {
  expect(
    [
      {
        action: 'edit-draw',
        object: 'draw:1012',
        detail: { reason: 'Rain', after: { gameDate: '2026-12-02T09:00:00Z' } },
      },
      {
        action: 'refund-order',
        object: 'order:5f0c1a52-0d0e',
        detail: { amount: '5.00', reason: 'One too many' },
      },
      {
        action: 'undo-results',
        object: 'draw:1020',
        detail: { before: [11, 13], reason: 'Wrong scorer' },
      },
      { action: 'unarchive-club', object: 'club:7' },
      {
        action: 'set',
        object: 'setting:hide_test_draws',
        detail: { before: 'true', after: 'false' },
      },
      {
        action: 'allocate-missing-ticket',
        object: 'order:5f0c1a52-0d0e',
        detail: { ticketCount: 2 },
      },
      { action: 'grow-wings', object: 'system' },
    ].map(sentence),
  ).toEqual([
    'Nora Field moved the kick-off of FD-1012 Cassowaries v Marlins to Wed 2 Dec 2026, 7:00\u00a0pm AEST. Reason: “Rain”.',
    'Nora Field refunded $5.00 of order 5f0c1a52. Reason: “One too many”.',
    'Nora Field undid the result 11 and 13 of FD-1020. Reason: “Wrong scorer”.',
    'Nora Field restored the club Western Ringtails.',
    'Nora Field turned off Hide test draws.',
    'Nora Field gave 2 tickets to order 5f0c1a52.',
    'Nora Field grow wings: system.',
  ]);
});

test('objects link to where the console shows them, and changes name before and after', () => {
  expect(objectLinkOf('draw:1012', NAMES).href).toBe('/super-admin?section=draws&q=FD-1012');
  expect(objectLinkOf('anomaly:a-1', NAMES).href).toBe('/super-admin?section=payments&open=a-1');
  expect(objectLinkOf('system', NAMES).href).toBeNull();
  expect(
    changedFieldsOf({
      detail: { before: { gameDate: 'then', league: 'NRL' }, after: { gameDate: 'now' } },
    }),
  ).toEqual([
    { field: 'Game date', before: 'then', after: 'now' },
    { field: 'League', before: 'NRL', after: '–' },
  ]);
});

test('the activity log filters in the address, pages, and says how many match', async () => {
  const actions = encodeURIComponent(ACTION_KINDS.money.actions.join(','));
  const all = 'GET /api/admin/audit?object=&limit=20';
  const page = (ids: number[], next: number | null, total: number) => ({
    body: {
      ...makeAuditPage(ids.map((id) => makeAuditEntry(id))).body,
      next,
      total,
    },
  });
  const server = startConsoleServer({
    [all]: page([40, 39], 39, 4),
    [`${all}&before=39`]: page([38, 37], null, 4),
    [`GET /api/admin/audit?object=&limit=20&action=${actions}`]: page([40], null, 1),
  });
  openConsole('activity');
  expect(await screen.findByText('1–2 of 4')).toBeTruthy();
  expect(screen.getByRole('heading', { name: 'Sat 21 Nov 2026' })).toBeTruthy();
  await pressButton('Older');
  expect(await screen.findByRole('button', { name: 'Details of entry 38' })).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Older' })).toHaveProperty('disabled', true);
  await userEvent.selectOptions(screen.getByLabelText('What'), 'money');
  expect(await screen.findByText('1–1 of 1')).toBeTruthy();
  expect(window.location.search).toBe('?section=activity&kind=money');
  expect(server.paths()).toContain(`GET /api/admin/audit?object=&limit=20&action=${actions}`);
  await pressButton('Clear');
  expect(await screen.findByText('1–2 of 4')).toBeTruthy();
});
