import { expect, test } from 'vitest';
import { phaseOf } from '@/features/shared-live/draw-phase';
import { aDraw } from '@/testing/a-draw';
import { cardStateOf } from './card-state';

const NOW = Date.parse('2026-11-20T00:00:00Z');
const state = (more: Parameters<typeof aDraw>[0]) => {
  const draw = aDraw({ gameDate: '2026-11-20T09:00:00Z', ...more });
  return cardStateOf(draw, phaseOf(draw, NOW), NOW);
};

test('a card shows one of six states, and an unknown status shows as sold out', () => {
  expect(state({})).toBe('open');
  expect(state({ opensAt: '2026-11-20T08:00:00Z' })).toBe('scheduled');
  expect(state({ opensAt: '2026-11-19T08:00:00Z' })).toBe('open');
  expect(state({ ticketsAvailable: 0 })).toBe('soldOut');
  expect(state({ status: 'closed' })).toBe('closed');
  expect(state({ gameDate: '2026-11-19T23:59:00Z' })).toBe('closed');
  expect(state({ status: 'completed' })).toBe('completed');
  expect(state({ status: 'cancelled' })).toBe('cancelled');
  expect(state({ status: 'paused' as 'active' })).toBe('soldOut');
});
