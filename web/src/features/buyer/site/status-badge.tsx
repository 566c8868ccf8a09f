import type { DrawPhase } from '@/features/shared-live/draw-phase';

const BADGE_TEXTS: Record<DrawPhase, { text: string; tone: string }> = {
  active: { text: 'Active', tone: 'is-active' },
  soldOut: { text: 'Active', tone: 'is-active' },
  closed: { text: 'Closed', tone: 'is-closed' },
  completed: { text: 'Completed', tone: 'is-completed' },
  cancelled: { text: 'Cancelled', tone: 'is-cancelled' },
};

export function StatusBadge({ phase }: { phase: DrawPhase }) {
  const { text, tone } = BADGE_TEXTS[phase];
  return <span className={`badge ${tone}`}>{text}</span>;
}
