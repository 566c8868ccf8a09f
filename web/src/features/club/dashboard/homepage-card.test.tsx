import { screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { makeOwnClub, makePageContext } from '@/testing/club-data';
import { FakeServer } from '@/testing/fake-server';
import { renderScreen } from '@/testing/render-screen';
import { HomepageCard } from './homepage-card';

afterEach(() => vi.unstubAllGlobals());

const DASHBOARD_PATH = '/club/sharks/admin';

test('a club’s page can be viewed, copied and edited, and an archived club reads why it has none', async () => {
  new FakeServer().on('GET /api/clubs/1', { body: makeOwnClub() });
  const { unmount } = renderScreen(<HomepageCard club={makePageContext().club} />, DASHBOARD_PATH);
  expect(await screen.findByRole('button', { name: 'Copy URL' })).toBeTruthy();
  expect(screen.getAllByRole('link')).toHaveLength(3);
  unmount();
  renderScreen(<HomepageCard club={makePageContext({ archived: true }).club} />, DASHBOARD_PATH);
  expect(
    screen.getByText(
      'This club is archived. Its running draws finish and pay; nothing new can be started.',
    ),
  ).toBeTruthy();
  expect([...screen.queryAllByRole('button'), ...screen.queryAllByRole('link')]).toEqual([]);
});
