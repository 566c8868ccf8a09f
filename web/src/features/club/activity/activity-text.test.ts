import { expect, test } from 'vitest';
import type { ClubActivity } from '@/api/wire-club';
import { groupByDay } from '@/shared/group-by-day';
import { activityText } from './activity-text';

const entry = (more: Partial<ClubActivity>): ClubActivity => ({
  id: 1,
  at: '2026-11-20T09:10:00Z',
  by: 'Jess',
  action: 'enter-results',
  game: 'Sharks v Tigers',
  drawNumber: 1042,
  ...more,
});

test('an entry reads as a sentence, also one without a text of its own', () => {
  expect(activityText(entry({}))).toBe('Jess entered the result of Sharks v Tigers');
  expect(activityText(entry({ by: 'the winner', action: 'answer-claim' }))).toBe(
    'The winner sent bank details for Sharks v Tigers',
  );
  expect(activityText(entry({ action: 'new-thing', game: null }))).toBe('Jess new thing');
});

test('entries are grouped by day in their order', () => {
  const days = groupByDay(
    [entry({ id: 3 }), entry({ id: 2 }), entry({ id: 1, at: '2026-11-19T09:10:00Z' })],
    (at) => at.slice(0, 10),
  );
  expect(days.map(({ day, entries }) => [day, entries.map(({ id }) => id)])).toEqual([
    ['2026-11-20', [3, 2]],
    ['2026-11-19', [1]],
  ]);
});
