/**
 * Reloads the draws after the server refused an outdated total, so that the buyer sees the correct
 * total and the next press sends it (decision C-3).
 */
import { useSetAtom } from 'jotai';
import { useEffect } from 'react';
import { fetchDraw } from '@/api/endpoints/buyer';
import type { Draw } from '@/api/wire';
import { receiveDrawsAtom } from '@/features/shared-live/live-atoms';
import type { Checkout } from '../state/checkout';

export function useRefreshStalePrice(
  checkout: Checkout,
  drawNumbers: readonly number[],
  onDraws?: (draws: readonly Draw[]) => void,
): void {
  const receive = useSetAtom(receiveDrawsAtom);
  const stale = checkout.state === 'choosing' && checkout.error?.stale ? checkout.error : null;
  const key = drawNumbers.join(',');
  useEffect(() => {
    if (!stale || key === '') return;
    void Promise.all(key.split(',').map((number) => fetchDraw(Number(number)))).then(
      (draws) => {
        receive(draws);
        onDraws?.(draws);
      },
      () => {},
    );
  }, [stale, key, receive, onDraws]);
}
