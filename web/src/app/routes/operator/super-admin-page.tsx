import { Console } from '@/features/operator/console/console';
import { ConsoleAccessGuard } from '@/features/operator/session/console-access-guard';

/** The platform operator's console: ten sections behind one login. */
export const Page = () => (
  <ConsoleAccessGuard>
    <Console />
  </ConsoleAccessGuard>
);
