import { expect, test } from 'vitest';
import { drawPhaseOf } from '@/features/shared-live/draw-phase';
import { makeDraw } from '@/testing/draw-data';
import { cardStateOf } from './card-state';

const NOW = Date.parse('2026-11-20T00:00:00Z');
const stateOfCard = (more: Parameters<typeof makeDraw>[0]) => {
  const draw = makeDraw({ gameDate: '2026-11-20T09:00:00Z', ...more });
  return cardStateOf(draw, drawPhaseOf(draw, NOW), NOW);
};

test('a card shows one of six states, and an unknown status shows as sold out', () => {
  expect(stateOfCard({})).toBe('open');
  expect(stateOfCard({ opensAt: '2026-11-20T08:00:00Z' })).toBe('scheduled');
  expect(stateOfCard({ opensAt: '2026-11-19T08:00:00Z' })).toBe('open');
  expect(stateOfCard({ ticketsAvailable: 0 })).toBe('soldOut');
  expect(stateOfCard({ status: 'closed' })).toBe('closed');
  expect(stateOfCard({ gameDate: '2026-11-19T23:59:00Z' })).toBe('closed');
  expect(stateOfCard({ status: 'completed' })).toBe('completed');
  expect(stateOfCard({ status: 'cancelled' })).toBe('cancelled');
  expect(stateOfCard({ status: 'paused' as 'active' })).toBe('soldOut');
});
