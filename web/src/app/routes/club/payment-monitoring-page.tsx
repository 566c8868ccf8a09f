import '@/features/club/dashboard/dashboard.css';
import '@/features/club/payments/payments.css';
import { PaymentMonitoring } from '@/features/club/payments/payment-monitoring';

export function Page() {
  return <PaymentMonitoring />;
}
