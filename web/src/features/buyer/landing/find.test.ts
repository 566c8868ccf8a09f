import { expect, test } from 'vitest';
import { makeDraw } from '@/testing/draw-data';
import { clubsFound, drawFilters, drawWithBiggestPrize, isDrawFound, isKeptByFilter } from './find';

const draw = makeDraw({
  homeTeam: 'Redcliffe Sharks',
  awayTeam: 'Wynnum Tigers',
  clubName: 'Redcliffe Rugby League',
  league: 'Queensland Cup',
});

test('a draw is found by the beginning of a team, club or league in any case and order', () => {
  for (const query of ['', ' ', 'r', 'SHARKS', 'tig', 'rugby', 'queens', 'tigers red'])
    expect(isDrawFound(draw, query), query).toBe(true);
  for (const query of ['x', 'harks', 'sharks broncos'])
    expect(isDrawFound(draw, query)).toBe(false);
});

test('clubs are found by name, and none without a query', () => {
  const clubs = ['Bayside Barracudas', 'Redland Rosellas'].map((name, id) => ({
    id,
    name,
    slug: `c${id}`,
    logoUrl: null,
    primaryColor: null,
  }));
  expect(clubsFound(clubs as never, 'ros').map(({ name }) => name)).toEqual(['Redland Rosellas']);
  expect(clubsFound(clubs as never, ' ')).toEqual([]);
});

const NOW = Date.parse('2026-11-20T02:00:00Z'); // noon in Brisbane
const kicksOff = (hours: number, league: string | null = null) =>
  makeDraw({
    gameDate: new Date(NOW + hours * 3_600_000).toISOString(),
    timezone: 'Australia/Brisbane',
    league,
  });

test('filters show how many draws they keep, and none that keeps all or nothing', () => {
  const draws = [kicksOff(3, 'Cup'), kicksOff(11, 'Cup'), kicksOff(13, 'Colts'), kicksOff(300)];
  expect(drawFilters(draws, NOW).map(({ label, count }) => `${label} ${count}`)).toEqual([
    'All 4',
    'Ending soon 1',
    'Today 2',
    'This week 3',
    'Cup 2',
  ]);
  expect(drawFilters([kicksOff(3, 'Cup')], NOW)).toEqual([]);
  expect(isKeptByFilter(kicksOff(13), 'today', NOW)).toBe(false);
});

test('the biggest prize on sale leads the page', () => {
  const onSale = (homeTeam: string, currentPrize: string, more = {}) =>
    makeDraw({
      homeTeam,
      currentPrize,
      status: 'active',
      gameDate: new Date(NOW + 3_600_000).toISOString(),
      ticketsAvailable: 5,
      opensAt: null,
      clubSelling: true,
      ...more,
    });
  const draws = [
    onSale('Small', '100.00'),
    onSale('Big', '1290.00'),
    onSale('Equal', '1290.00'),
    onSale('Closed club', '9000.00', { clubSelling: false }),
    onSale('Later', '9000.00', { opensAt: new Date(NOW + 60_000).toISOString() }),
  ];
  expect(drawWithBiggestPrize(draws, NOW)?.homeTeam).toBe('Big');
  expect(drawWithBiggestPrize([], NOW)).toBeNull();
});
