import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { receiveDrawsAtom } from '@/features/shared-live/live-atoms';
import { makeDraw } from '@/testing/draw-data';
import { makePageContext } from '@/testing/club-data';
import { FakeServer } from '@/testing/fake-server';
import { renderScreen } from '@/testing/render-screen';
import { Dashboard } from './dashboard';

afterEach(() => vi.unstubAllGlobals());

test('open details follow the tickets sold', async () => {
  const draw = makeDraw({ gameDate: '2099-11-20T09:10:00Z' });
  new FakeServer()
    .on('GET /api/clubs/1/draws', { body: [draw] })
    .on('GET /api/draws/awaiting-results?clubId=1', { body: [] });
  const { store } = renderScreen(
    <Dashboard here={makePageContext()} onShare={() => Promise.resolve(null)} />,
    '/club/sharks/admin',
  );
  await userEvent.click(await screen.findByRole('button', { name: /^Actions/ }));
  await userEvent.click(screen.getByRole('menuitem', { name: 'Details' }));
  const dialog = within(screen.getByRole('dialog', { name: 'Draw Details' }));
  expect(dialog.getByText('113/169')).toBeTruthy();
  act(() => store.set(receiveDrawsAtom, [{ ...draw, ticketsSold: 120, revision: 6 }]));
  expect(dialog.getByText('120/169')).toBeTruthy();
});
