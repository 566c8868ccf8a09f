import { expect, test } from 'vitest';
import { phaseOf } from '@/features/shared-live/draw-phase';
import { makeDraw } from '@/testing/draw-data';
import { cardStateOf } from './card-state';

const NOW = Date.parse('2026-11-20T00:00:00Z');
const stateOf = (more: Parameters<typeof makeDraw>[0]) => {
  const draw = makeDraw({ gameDate: '2026-11-20T09:00:00Z', ...more });
  return cardStateOf(draw, phaseOf(draw, NOW), NOW);
};

test('a card shows one of six states, and an unknown status shows as sold out', () => {
  expect(stateOf({})).toBe('open');
  expect(stateOf({ opensAt: '2026-11-20T08:00:00Z' })).toBe('scheduled');
  expect(stateOf({ opensAt: '2026-11-19T08:00:00Z' })).toBe('open');
  expect(stateOf({ ticketsAvailable: 0 })).toBe('soldOut');
  expect(stateOf({ status: 'closed' })).toBe('closed');
  expect(stateOf({ gameDate: '2026-11-19T23:59:00Z' })).toBe('closed');
  expect(stateOf({ status: 'completed' })).toBe('completed');
  expect(stateOf({ status: 'cancelled' })).toBe('cancelled');
  expect(stateOf({ status: 'paused' as 'active' })).toBe('soldOut');
});
