import { ForgotPassword } from '@/features/club/getting-in/forgot-password';

export function Page() {
  return <ForgotPassword />;
}
