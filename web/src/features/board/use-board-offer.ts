/**
 * Loads the offer of a board and keeps the draws of its games live. The board is shown without the
 * games until the offer has loaded.
 */
import { useAtomValue, useSetAtom } from 'jotai';
import { useEffect, useState } from 'react';
import { fetchDraw } from '@/api/endpoints/buyer';
import { fetchOffer } from '@/api/endpoints/public';
import type { Offer } from '@/api/wire-public';
import { gameDrawNumber } from '@/features/shared-offer/offer-facts';
import { pageBootDataAtom } from '@/features/shared-live/boot-atoms';
import { receiveDrawsAtom } from '@/features/shared-live/live-atoms';
import { useDrawSubscriptions, usePoll } from '@/features/shared-live/use-live';

const BOARD_OFFER_POLL_INTERVAL_MS = 60_000;

export function useBoardOffer(club: string, slug: string): Offer | null {
  const bootOffer = useAtomValue(pageBootDataAtom).offer ?? null;
  const [offer, setOffer] = useState<Offer | null>(bootOffer);
  const receive = useSetAtom(receiveDrawsAtom);
  const numbers = offer?.games.map(gameDrawNumber) ?? [];
  const key = numbers.join(',');
  usePoll({
    intervalMs: BOARD_OFFER_POLL_INTERVAL_MS,
    topic: null,
    fetchAtStart: true,
    fetchData: async () => setOffer(await fetchOffer(club, slug)),
  });
  useDrawSubscriptions(numbers);
  useEffect(() => {
    for (const number of key.split(',').filter(Boolean))
      void fetchDraw(Number(number)).then(
        (draw) => receive([draw]),
        () => {},
      );
  }, [key, receive]);
  return offer;
}
