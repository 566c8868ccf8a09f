import { ResetPassword } from '@/features/club/login/reset-password';

export function Page() {
  return <ResetPassword />;
}
