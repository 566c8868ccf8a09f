import type { DrawPhase } from '@/features/shared-live/draw-phase';

const WORDS: Record<DrawPhase, { words: string; look: string }> = {
  active: { words: 'Active', look: 'is-active' },
  soldOut: { words: 'Active', look: 'is-active' },
  closed: { words: 'Closed', look: 'is-closed' },
  completed: { words: 'Completed', look: 'is-completed' },
  cancelled: { words: 'Cancelled', look: 'is-cancelled' },
};

export function StatusBadge({ phase }: { phase: DrawPhase }) {
  const { words, look } = WORDS[phase];
  return <span className={`badge ${look}`}>{words}</span>;
}
