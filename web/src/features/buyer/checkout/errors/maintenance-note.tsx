import { PUBLIC_TEXTS as S } from '@/shared/strings';

/**
 * Replaces the pay button during maintenance. The fields and the buyer's input stay visible
 * (decision I-5).
 */
export function MaintenanceNote() {
  return (
    <div className="callout is-warn">
      <strong>{S.maintenance}</strong>
      {S.maintenanceText}
    </div>
  );
}
