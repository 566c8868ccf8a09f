import { Console } from '@/features/operator/console/console';
import { Gate } from '@/features/operator/session/gate';

/** The platform operator's console: ten sections behind one login. */
export const Page = () => (
  <Gate>
    <Console />
  </Gate>
);
