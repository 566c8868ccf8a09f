import { VerifyEmailPage } from '@/features/club/login/verify-email';

export function Page() {
  return <VerifyEmailPage />;
}
