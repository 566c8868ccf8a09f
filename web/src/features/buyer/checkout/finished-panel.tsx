import type { ReactNode } from 'react';
import { Link } from 'wouter';

interface FinishedPanelProps {
  /** Of the order that was bought here last. */
  orderToken: string;
  match?: string;
  /** What else may be done from here. */
  children: ReactNode;
}

/** In place of a checkout that has just sold, for whoever comes back to it: nothing is reserved and nothing can be paid until more is asked for. */
export function FinishedPanel({ orderToken, match, children }: FinishedPanelProps) {
  return (
    <section className="card" role="status">
      <h2>You have your tickets</h2>
      {match ? <p className="meta">{match}</p> : null}
      <p>This purchase is finished. You will not be charged again for it.</p>
      <div className="actions">
        <Link className="btn" href={`/my/${orderToken}`}>
          Show my tickets
        </Link>
        {children}
      </div>
    </section>
  );
}
