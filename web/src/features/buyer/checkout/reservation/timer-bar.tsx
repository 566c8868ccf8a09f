import { useAtomValue, useSetAtom } from 'jotai';
import { useEffect, useState } from 'react';
import { extendReservation } from '@/api/endpoints/buyer';
import { HttpError } from '@/api/http';
import { nowAtom } from '@/features/shared-live/live-atoms';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import type { Checkout, OpenOrder } from '../state/checkout';
import {
  EXPIRY_WARNING_SECONDS,
  formatClock,
  secondsUntilExpiry,
  expiryAnnouncementAt,
} from './reservation-clock';

interface TimerBarProps {
  checkout: Checkout;
  /** Whether the reservation has expired and the page continues without one. */
  lapsed?: boolean;
  onExtended: (order: OpenOrder) => void;
  onExpired: () => void;
}

const EXTENSION_FAILED_TITLE = 'Your tickets could not be kept for longer';

/** The timer of the two-minute reservation. It never interrupts a payment that has started. */
export function TimerBar({ checkout, lapsed = false, onExtended, onExpired }: TimerBarProps) {
  const now = useAtomValue(nowAtom);
  const order = checkout.state === 'choosing' ? checkout.order : null;
  const seconds = order ? secondsUntilExpiry(order.expiresAt, now) : null;
  useEffect(() => {
    if (seconds === 0) onExpired();
  }, [seconds, onExpired]);
  const keep = useExtendReservation(order, onExtended);
  if (checkout.state !== 'choosing')
    return (
      <div className="timer-bar">
        <span>Finishing payment</span>
      </div>
    );
  if (lapsed && !order)
    return (
      <div className="timer-bar is-short" role="status">
        <span>
          Your tickets are no longer reserved. You can still pay while there are tickets left.
        </span>
      </div>
    );
  if (!order || seconds === null)
    return checkout.error ? null : (
      <div className="timer-bar" aria-busy="true">
        <span>Reserving your tickets …</span>
      </div>
    );
  const short = seconds <= EXPIRY_WARNING_SECONDS;
  return (
    <div className={`timer-bar${short ? ' is-short' : ''}`}>
      <span role="timer">
        {short ? '⚠ Nearly out of time: ' : 'Tickets reserved for '}
        <span className="num">{formatClock(seconds)}</span>
      </span>
      {short && keep.possible ? (
        <button type="button" className="btn small sec" disabled={keep.asking} onClick={keep.ask}>
          Keep my tickets
        </button>
      ) : null}
      <span className="sr" role="status">
        {expiryAnnouncementAt(seconds, keep.possible)}
      </span>
    </div>
  );
}

/** Extends the reservation, as often as the server allows (interface decision D6). */
function useExtendReservation(order: OpenOrder | null, onExtended: (order: OpenOrder) => void) {
  const showToast = useSetAtom(showToastAtom);
  const [asking, setAsking] = useState(false);
  const [possible, setPossible] = useState(true);
  const ask = async () => {
    if (!order) return;
    setAsking(true);
    try {
      const { expiresAt, extensionsLeft } = await extendReservation(order.reservationId);
      setPossible(extensionsLeft > 0);
      onExtended({ ...order, expiresAt: Date.parse(expiresAt) });
    } catch (error) {
      showToast({
        title: EXTENSION_FAILED_TITLE,
        text: error instanceof HttpError ? error.body.message : undefined,
        bad: true,
      });
    } finally {
      setAsking(false);
    }
  };
  return { asking, possible, ask: () => void ask() };
}
