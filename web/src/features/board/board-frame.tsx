import type { ReactNode } from 'react';
import { FreshnessBadge } from '@/features/shared-live/freshness-badge';
import { useTopic } from '@/features/shared-live/use-live';
import { useDrift, useWakeLock } from './board-room';
import { useRenewal } from './renewal';

interface BoardFrameProps {
  look: '' | 'is-compact' | 'is-result' | 'is-offer';
  /** The words at the foot, beside how fresh everything is. */
  note: string;
  children: ReactNode;
}

/** What every board has around what it shows. */
export function BoardFrame({ look, note, children }: BoardFrameProps) {
  const drift = useDrift();
  useWakeLock();
  useRenewal();
  useTopic('public');
  return (
    <main className="board" id="main">
      <div className={`board-in ${look}`} style={{ transform: drift }}>
        {children}
        <div className="board-foot">
          <FreshnessBadge always />
          <span>{note}</span>
        </div>
      </div>
    </main>
  );
}
