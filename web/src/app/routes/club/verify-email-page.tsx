import { VerifyEmail } from '@/features/club/getting-in/verify-email';

export function Page() {
  return <VerifyEmail />;
}
