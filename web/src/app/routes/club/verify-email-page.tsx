import { VerifyEmail } from '@/features/club/login/verify-email';

export function Page() {
  return <VerifyEmail />;
}
