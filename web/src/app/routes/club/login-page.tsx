import { GettingIn } from '@/features/club/login/login-or-register';

export function Page() {
  return <GettingIn />;
}
