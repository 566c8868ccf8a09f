import { useAtomValue, useSetAtom } from 'jotai';
import { useEffect, useState } from 'react';
import { extendReservation } from '@/api/endpoints/buyer';
import { nowAtom } from '@/features/shared-live/live-atoms';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import type { Checkout, OpenOrder } from './checkout';
import { WARN_SECONDS, clockWords, secondsLeft, spokenAt } from './reservation-clock';

interface TimerBarProps {
  checkout: Checkout;
  onExtended: (order: OpenOrder) => void;
  onExpired: () => void;
}

/** The two minutes of a reservation. A payment that has begun is never cut off by it. */
export function TimerBar({ checkout, onExtended, onExpired }: TimerBarProps) {
  const now = useAtomValue(nowAtom);
  const showToast = useSetAtom(showToastAtom);
  const [asking, setAsking] = useState(false);
  const order = checkout.at === 'choosing' ? checkout.order : null;
  const seconds = order ? secondsLeft(order.expiresAt, now) : null;
  useEffect(() => {
    if (seconds === 0) onExpired();
  }, [seconds, onExpired]);
  if (checkout.at !== 'choosing') return <div className="timer-bar"><span>Finishing payment</span></div>;
  if (!order || seconds === null) return <div className="timer-bar" aria-busy="true"><span>Reserving your tickets …</span></div>;
  const short = seconds <= WARN_SECONDS;
  const onKeep = async () => {
    setAsking(true);
    try {
      const { expiresAt } = await extendReservation(order.reservationId);
      onExtended({ ...order, expiresAt: Date.parse(expiresAt) });
    } catch {
      showToast({ title: 'Your tickets could not be kept for longer', bad: true });
    } finally {
      setAsking(false);
    }
  };
  return (
    <div className={`timer-bar${short ? ' is-short' : ''}`}>
      <span role="timer">{short ? '⚠ Nearly out of time: ' : 'Tickets reserved for '}<span className="num">{clockWords(seconds)}</span></span>
      {short ? <button type="button" className="btn small sec" disabled={asking} onClick={() => void onKeep()}>Keep my tickets</button> : null}
      <span className="sr" role="status">{spokenAt(seconds)}</span>
    </div>
  );
}
