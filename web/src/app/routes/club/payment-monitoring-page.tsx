import '@/features/club/dashboard/dashboard.css';
import '@/features/club/payments/payments.css';
import { PaymentMonitoringPage } from '@/features/club/payments/payment-monitoring';

export function Page() {
  return <PaymentMonitoringPage />;
}
