import '@/features/club/dashboard/dashboard.css';
import '@/features/club/payments/payments.css';
import { StripeDebugPage } from '@/features/club/payments/stripe-debug';

export function Page() {
  return <StripeDebugPage />;
}
