import { LoginOrRegister } from '@/features/club/login/login-or-register';

export function Page() {
  return <LoginOrRegister />;
}
