import { useEffect, useState } from 'react';
import { freshnessOf } from './freshness';
import { useServerContact } from './server-contact';

const FRESHNESS_ANNOUNCE_DELAY_MS = 5_000;

/**
 * Shows how fresh the data is, as text, dot and shape. Boards always show the badge; other pages
 * only while data is stale.
 */
export function FreshnessBadge({ always = false }: { always?: boolean }) {
  const contact = useServerContact();
  const { kind, text } = freshnessOf(contact);
  const [announced, setAnnounced] = useState<string>(kind);
  useEffect(() => {
    const timer = setTimeout(() => setAnnounced(kind), FRESHNESS_ANNOUNCE_DELAY_MS);
    return () => clearTimeout(timer);
  }, [kind]);
  const spoken =
    { live: 'Live again', late: '', lost: 'Reconnecting', offline: 'Offline' }[announced] ?? '';
  const hidden = !always && (kind === 'live' || contact.agoMs === null);
  return (
    <>
      {hidden ? null : <span className={`freshness is-${kind}`}>{text}</span>}
      <span className="sr" role="status">
        {announced === 'live' ? '' : spoken}
      </span>
    </>
  );
}
