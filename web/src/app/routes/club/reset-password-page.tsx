import { ResetPasswordPage } from '@/features/club/login/reset-password';

export function Page() {
  return <ResetPasswordPage />;
}
