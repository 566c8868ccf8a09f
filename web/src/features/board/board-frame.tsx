import type { ReactNode } from 'react';
import { FreshnessBadge } from '@/features/shared-live/freshness-badge';
import { useTopicSubscription } from '@/features/shared-live/use-live';
import { useBurnInShift, useWakeLock } from './display-protection';
import { useNightlyReload } from './nightly-reload';

interface BoardFrameProps {
  tone: '' | 'is-compact' | 'is-result' | 'is-offer';
  /** Text in the board's footer, beside the freshness badge. */
  note: string;
  children: ReactNode;
}

/** The frame around the content of every board. */
export function BoardFrame({ tone, note, children }: BoardFrameProps) {
  const drift = useBurnInShift();
  useWakeLock();
  useNightlyReload();
  useTopicSubscription('public');
  return (
    <main className="board" id="main">
      <div className={`board-in ${tone}`} style={{ transform: drift }}>
        {children}
        <div className="board-foot">
          <FreshnessBadge always />
          <span>{note}</span>
        </div>
      </div>
    </main>
  );
}
