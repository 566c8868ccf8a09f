import { S } from '@/shared/strings';

/**
 * Replaces the payment part during maintenance. The form and its input stay visible (decision I-5).
 */
export function MaintenanceNote() {
  return (
    <div className="callout is-warn">
      <strong>{S.maintenance}</strong>
      {S.maintenanceText}
    </div>
  );
}
