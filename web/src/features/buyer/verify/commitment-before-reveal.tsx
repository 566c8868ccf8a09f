import { useAtomValue } from 'jotai';
import type { Draw, Proof } from '@/api/wire';
import { drawPhaseOf, type DrawPhase } from '@/features/shared-live/draw-phase';
import { nowAtom } from '@/features/shared-live/live-atoms';
import { TICKETS_PER_DRAW } from '@/shared/draw-size';

/** Explains, by the draw's status, why there is nothing to recompute yet. */
const SEED_NOT_REVEALED_TEXTS: Record<DrawPhase, { title: string; text: string }> = {
  active: {
    title: 'Tickets are still on sale.',
    text: 'The secret is revealed once the game is over and the result is in.',
  },
  soldOut: {
    title: 'All tickets are sold.',
    text: 'The secret is revealed once the game is over and the result is in.',
  },
  closed: {
    title: 'The game has started, and the result is not in yet.',
    text: 'Come back when it is: this page will then work everything out by itself.',
  },
  completed: {
    title: 'The result is in, but the secret is not revealed yet.',
    text: 'That happens after kick-off, never before.',
  },
  cancelled: {
    title: 'This draw was cancelled.',
    text: 'There is no winning ticket, and every ticket is refunded. What was promised stays published.',
  },
};

/**
 * Shows the published commitment, because the seed is not revealed yet. A visitor can save a copy
 * of the commitment.
 */
export function CommitmentBeforeReveal({ proof, draw }: { proof: Proof; draw: Draw | undefined }) {
  const now = useAtomValue(nowAtom);
  const phase = draw ? drawPhaseOf(draw, now) : null;
  // A draw with reserved tickets is not sold out, because those tickets may become available again.
  const waiting = phase
    ? SEED_NOT_REVEALED_TEXTS[
        phase === 'soldOut' && draw && draw.ticketsSold < TICKETS_PER_DRAW ? 'active' : phase
      ]
    : null;
  return (
    <>
      {waiting ? (
        <div className="callout" role="status">
          <strong>{waiting.title}</strong>
          {waiting.text}
        </div>
      ) : null}
      <p>
        Which ticket carries which pair was fixed before the first sale. What fixes it is still
        secret; this is its fingerprint. Keep a copy: once the secret is revealed, this page shows
        that it has this fingerprint.
      </p>
      <dl className="hashes">
        <dt>Promise (SHA-256)</dt>
        <dd>
          <code>{proof.commitment}</code>
        </dd>
      </dl>
    </>
  );
}
