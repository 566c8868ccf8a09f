import { ResetPassword } from '@/features/club/getting-in/reset-password';

export function Page() {
  return <ResetPassword />;
}
