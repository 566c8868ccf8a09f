import { useHeard } from '@/features/shared-live/heard';
import { dayAndTime } from '@/shared/dates';
import { OFFLINE_WORDS } from '@/shared/offline';

/** Stands where one pays while there is no connection, and says of when everything else on the screen is. */
export function OfflineNote() {
  const { agoMs, atMs } = useHeard();
  return (
    <p className="callout is-warn" role="status">
      <strong>{OFFLINE_WORDS}</strong>
      {agoMs === null ? null : `Last update: ${dayAndTime(new Date(atMs).toISOString())}.`}
    </p>
  );
}
