import { Console } from '@/features/operator/console/console';
import { Gate } from '@/features/operator/session/gate';
import { Toaster } from '@/shared/ui/toaster';

/** The platform operator's console: ten sections behind one login. */
export function Page() {
  return (
    <>
      <Gate><Console /></Gate>
      <Toaster />
    </>
  );
}
