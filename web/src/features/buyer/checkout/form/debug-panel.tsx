import { useAtomValue } from 'jotai';
import { liveConnectionAtom } from '@/features/shared-live/live-atoms';
import type { Checkout } from '../state/checkout';
import { useStripeLoading, usePaymentGateway } from '../payment/payment-provider';

/**
 * The debug panel, which every buyer sees, as specified. It shows states only and cuts identifiers
 * to their last six letters (decision C-20).
 */
export function DebugPanel({ checkout }: { checkout: Checkout }) {
  const { open } = useAtomValue(liveConnectionAtom);
  const { failed, refused } = useStripeLoading();
  const library = usePaymentGateway() ? 'ready' : failed || refused ? 'failed' : 'loading';
  const order = 'order' in checkout ? checkout.order : null;
  const lines = [
    `checkout  ${checkout.state}`,
    `payment   ${order ? `…${order.paymentIntentId.slice(-6)}` : 'none'}`,
    `reserved  ${order && 'ticketCount' in order ? order.ticketCount : 0}`,
    `library   ${library}`,
    `socket    ${open ? 'open' : 'closed'}`,
  ];
  return (
    <details className="debug">
      <summary>Debug</summary>
      <pre tabIndex={0}>{lines.join('\n')}</pre>
    </details>
  );
}
