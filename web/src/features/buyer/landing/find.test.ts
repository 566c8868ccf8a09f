import { expect, test } from 'vitest';
import { makeDraw } from '@/testing/draw-data';
import { clubsFound, isDrawFound } from './find';

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
