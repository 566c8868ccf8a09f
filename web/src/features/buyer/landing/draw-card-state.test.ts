import { expect, test } from 'vitest';
import { drawPhaseOf } from '@/features/shared-live/draw-phase';
import { makeDraw } from '@/testing/draw-data';
import { drawCardStateOf } from './draw-card-state';

const NOW = Date.parse('2026-11-20T00:00:00Z');
const drawCardStateFor = (more: Parameters<typeof makeDraw>[0]) => {
  const draw = makeDraw({ gameDate: '2026-11-20T09:00:00Z', ...more });
  return drawCardStateOf(draw, drawPhaseOf(draw, NOW), NOW);
};

test('a card shows one of six states, and an unknown status shows as sold out', () => {
  expect(drawCardStateFor({})).toBe('open');
  expect(drawCardStateFor({ opensAt: '2026-11-20T08:00:00Z' })).toBe('scheduled');
  expect(drawCardStateFor({ opensAt: '2026-11-19T08:00:00Z' })).toBe('open');
  expect(drawCardStateFor({ ticketsAvailable: 0 })).toBe('soldOut');
  expect(drawCardStateFor({ status: 'closed' })).toBe('closed');
  expect(drawCardStateFor({ gameDate: '2026-11-19T23:59:00Z' })).toBe('closed');
  expect(drawCardStateFor({ status: 'completed' })).toBe('completed');
  expect(drawCardStateFor({ status: 'cancelled' })).toBe('cancelled');
  expect(drawCardStateFor({ status: 'paused' as 'active' })).toBe('soldOut');
});
