import '@/features/club/dashboard/dashboard.css';
import '@/features/club/payments/payments.css';
import { StripeDebug } from '@/features/club/payments/stripe-debug';

export function Page() {
  return <StripeDebug />;
}
