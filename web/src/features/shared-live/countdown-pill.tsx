import { useAtomValue } from 'jotai';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import {
  URGENCY_BAND_TEXTS,
  landingCardUrgencyBand,
  pageUrgencyBand,
  timeLeftText,
} from './countdown';
import { nowAtom } from './live-atoms';

interface CountdownPillProps {
  kickOff: string;
  timezone?: string | null;
  view: 'card' | 'page';
}

/**
 * A label with the time to kick-off. It has the timer role, so screen readers read the time on
 * request and do not announce each change.
 */
export function CountdownPill({ kickOff, timezone, view }: CountdownPillProps) {
  const now = useAtomValue(nowAtom);
  const at = Date.parse(kickOff);
  if (at <= now)
    return <span className="pill">{view === 'card' ? S.gameStartedCard : S.gameStarted}</span>;
  const band =
    view === 'card' ? landingCardUrgencyBand(now, at, timezone) : pageUrgencyBand(now, at);
  // The pill pulses twice at each whole minute and is still otherwise. No motion lasts longer than
  // five seconds.
  const pulsing = view === 'card' && band === 'red' && Math.ceil((at - now) / 1000) % 60 === 0;
  return (
    <span className={`pill band-${band}${pulsing ? ' is-pulsing' : ''}`} role="timer">
      {timeLeftText(at - now)} to kick-off<span className="sr">, {URGENCY_BAND_TEXTS[band]}</span>
    </span>
  );
}
