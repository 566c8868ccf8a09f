import { useAtomValue } from 'jotai';
import { connectionAtom } from '@/features/shared-live/live-atoms';
import type { Checkout } from './checkout';

/** Visible to all, as specified; states only, and names cut to their last six letters (decision C-20). */
export function DebugPanel({ checkout }: { checkout: Checkout }) {
  const { open } = useAtomValue(connectionAtom);
  const order = 'order' in checkout ? checkout.order : null;
  return (
    <details className="debug">
      <summary>Debug</summary>
      <p>Checkout: {checkout.at} · Payment: {order ? `…${order.paymentIntentId.slice(-6)}` : 'none'} · Socket: {open ? 'open' : 'closed'}</p>
    </details>
  );
}
