import { ForgotPasswordPage } from '@/features/club/login/forgot-password';

export function Page() {
  return <ForgotPasswordPage />;
}
