import { ForgotPassword } from '@/features/club/login/forgot-password';

export function Page() {
  return <ForgotPassword />;
}
