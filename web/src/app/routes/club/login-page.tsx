import { GettingIn } from '@/features/club/getting-in/getting-in';

export function Page() {
  return <GettingIn />;
}
