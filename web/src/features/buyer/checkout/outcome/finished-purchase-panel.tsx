import type { ReactNode } from 'react';
import { Link } from 'wouter';

interface FinishedPurchasePanelProps {
  /** Token of the latest order that was bought on this page. */
  orderToken: string;
  match?: string;
  /** Buttons for further actions, such as buying more tickets. */
  children: ReactNode;
}

/**
 * Replaces the checkout after a finished purchase when the buyer returns. Nothing is reserved or
 * payable until the buyer starts again.
 */
export function FinishedPurchasePanel({ orderToken, match, children }: FinishedPurchasePanelProps) {
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
