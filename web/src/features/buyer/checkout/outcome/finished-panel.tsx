import type { ReactNode } from 'react';
import { Link } from 'wouter';

interface FinishedPanelProps {
  /** The token of the order that was bought here last. */
  orderToken: string;
  match?: string;
  /** Further actions that are possible here. */
  children: ReactNode;
}

/**
 * Replaces the checkout after a finished purchase when the buyer returns. Nothing is reserved or
 * payable until the buyer starts again.
 */
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
