import { useAtomValue } from 'jotai';
import { maintenanceAtom } from '@/features/shared-live/live-atoms';
import { useMaintenanceUpdates } from '@/features/shared-live/use-live';
import { PUBLIC_TEXTS as S } from '@/shared/strings';

export function MaintenanceBanner() {
  useMaintenanceUpdates();
  const maintenance = useAtomValue(maintenanceAtom);
  return (
    <div role="status" aria-label="System status">
      {maintenance ? (
        <div className="notice">
          <strong>{S.maintenance}</strong> {S.maintenanceText}
        </div>
      ) : null}
    </div>
  );
}
