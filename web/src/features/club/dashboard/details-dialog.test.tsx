import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { receiveDrawsAtom } from '@/features/shared-live/live-atoms';
import { aDraw } from '@/testing/a-draw';
import { here } from '@/testing/a-club';
import { FakeServer } from '@/testing/fake-server';
import { show } from '@/testing/show';
import { Dashboard } from './dashboard';

afterEach(() => vi.unstubAllGlobals());

test('open details follow the tickets sold', async () => {
  const draw = aDraw({ gameDate: '2099-11-20T09:10:00Z' });
  new FakeServer()
    .on('GET /api/clubs/1/draws', { body: [draw] })
    .on('GET /api/draws/awaiting-results?clubId=1', { body: [] });
  const { store } = show(
    <Dashboard here={here()} onShare={() => Promise.resolve(null)} />,
    '/club/sharks/admin',
  );
  await userEvent.click(await screen.findByRole('button', { name: /^Actions/ }));
  await userEvent.click(screen.getByRole('menuitem', { name: 'Details' }));
  const dialog = within(screen.getByRole('dialog', { name: 'Draw Details' }));
  expect(dialog.getByText('113/169')).toBeTruthy();
  act(() => store.set(receiveDrawsAtom, [{ ...draw, ticketsSold: 120, revision: 6 }]));
  expect(dialog.getByText('120/169')).toBeTruthy();
});
