import { Console } from '@/features/operator/console/console';
import { ConsoleAccess } from '@/features/operator/session/gate';

/** The platform operator's console: ten sections behind one login. */
export const Page = () => (
  <ConsoleAccess>
    <Console />
  </ConsoleAccess>
);
