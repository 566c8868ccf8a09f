import { useState } from 'react';
import type { OwnDraw, WinnersResponse } from '@/api/wire-club';
import { timeOfDay } from '@/shared/dates';
import { deleteSavedScorers, findOverruledScorers } from './scorers';

/**
 * Tells the person whose numbers came second that another person entered the result. It stays, also
 * after a reload, until it is dismissed.
 */
export function OverruledResultBanner({
  draw,
  entered,
}: {
  draw: OwnDraw;
  entered: WinnersResponse['entered'];
}) {
  const [overruled, setOverruled] = useState(() => findOverruledScorers(draw));
  if (!overruled) return null;
  const dismiss = () => {
    deleteSavedScorers(draw);
    setOverruled(null);
  };
  const by = entered?.by ?? 'another person';
  return (
    <section className="callout is-warn race-banner" role="status">
      <p>
        <strong>
          {by.charAt(0).toUpperCase() + by.slice(1)} entered {draw.homeFirstTryScorer} and{' '}
          {draw.awayFirstTryScorer}
          {entered ? ` at ${timeOfDay(entered.enteredAt, draw.timezone)}` : ''}.
        </strong>{' '}
        Your numbers, {overruled.home} and {overruled.away}, were not used.
      </p>
      <button type="button" className="btn small sec" onClick={dismiss}>
        Understood
      </button>
    </section>
  );
}
