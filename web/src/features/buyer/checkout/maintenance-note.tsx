import { S } from '@/shared/strings';

/** Stands where one pays while the service is maintained; the form around it, and what was typed into it, stay to be read (I-5). */
export function MaintenanceNote() {
  return (
    <div className="callout is-warn">
      <strong>{S.maintenance}</strong>
      {S.maintenanceText}
    </div>
  );
}
