import { screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { anOwnClub, here } from '@/testing/a-club';
import { FakeServer } from '@/testing/fake-server';
import { show } from '@/testing/show';
import { HomepageCard } from './homepage-card';

afterEach(() => vi.unstubAllGlobals());

const AT = '/club/sharks/admin';

test('a club’s page can be viewed, copied and edited, and an archived club reads why it has none', async () => {
  new FakeServer().on('GET /api/clubs/1', { body: anOwnClub() });
  const { unmount } = show(<HomepageCard club={here().club} />, AT);
  expect(await screen.findByRole('button', { name: 'Copy URL' })).toBeTruthy();
  expect(screen.getAllByRole('link')).toHaveLength(3);
  unmount();
  show(<HomepageCard club={here({ archived: true }).club} />, AT);
  expect(
    screen.getByText(
      'This club is archived. Its running draws finish and pay; nothing new can be started.',
    ),
  ).toBeTruthy();
  expect([...screen.queryAllByRole('button'), ...screen.queryAllByRole('link')]).toEqual([]);
});
