import { useServerContact } from '@/features/shared-live/server-contact';
import { dayAndTime } from '@/shared/dates';
import { OFFLINE_MESSAGE } from '@/shared/offline';

/** Says, above the button, that nothing can be bought offline, and when data last arrived. */
export function OfflineNote() {
  const { agoMs, atMs } = useServerContact();
  return (
    <p className="callout is-warn" role="status">
      <strong>{OFFLINE_MESSAGE}</strong>
      {agoMs === null ? null : `Last update: ${dayAndTime(new Date(atMs).toISOString())}.`}
    </p>
  );
}
