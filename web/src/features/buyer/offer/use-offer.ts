/**
 * Loads one offer, the draws of its games and its club. Each has its own request, so that a failed
 * request hides only its own data.
 */
import { useAtomValue, useSetAtom } from 'jotai';
import { useCallback, useEffect, useState } from 'react';
import { fetchDraw } from '@/api/endpoints/buyer';
import { fetchClubMeta, fetchOffer } from '@/api/endpoints/public';
import { HttpError } from '@/api/http';
import type { ClubPageMetadata, Offer } from '@/api/wire-public';
import { gameDrawNumber } from '@/features/shared-offer/offer';
import { pageBootDataAtom } from '@/features/shared-live/boot-atoms';
import { receiveDrawsAtom } from '@/features/shared-live/live-atoms';
import { useDrawSubscriptions, usePoll } from '@/features/shared-live/use-live';

export type OfferState =
  | { status: 'asking' }
  | { status: 'missing' }
  | { status: 'failed' }
  | { status: 'known'; offer: Offer };

const OFFER_POLL_INTERVAL_MS = 30_000;

export function useOffer(club: string, slug: string): OfferState & { retry: () => void } {
  const boot = useAtomValue(pageBootDataAtom).offer;
  const bootOffer = boot && boot.slug === slug && boot.clubSlug === club ? boot : null;
  const [state, setState] = useState<OfferState>(
    bootOffer ? { status: 'known', offer: bootOffer } : { status: 'asking' },
  );
  const ask = useCallback(async () => {
    try {
      const offer = await fetchOffer(club, slug);
      setState({ status: 'known', offer });
    } catch (error) {
      const missing = error instanceof HttpError && error.status === 404;
      // A failed request does not remove the offer that is on the screen.
      setState((last) =>
        missing ? { status: 'missing' } : last.status === 'known' ? last : { status: 'failed' },
      );
    }
  }, [club, slug]);
  usePoll({ intervalMs: OFFER_POLL_INTERVAL_MS, topic: null, fetchAtStart: true, fetchData: ask });
  const retry = () => {
    setState({ status: 'asking' });
    void ask();
  };
  return { ...state, retry };
}

/**
 * Keeps the draws of the games live. Their remaining tickets decide whether the offer can be
 * bought.
 */
export function useOfferDraws(offer: Offer): void {
  const receive = useSetAtom(receiveDrawsAtom);
  const numbers = offer.games.map(gameDrawNumber);
  const key = numbers.join(',');
  useDrawSubscriptions(numbers);
  useEffect(() => {
    for (const number of key.split(',').filter(Boolean))
      void fetchDraw(Number(number)).then(
        (draw) => receive([draw]),
        () => {},
      );
  }, [key, receive]);
}

/**
 * Loads the club's colours and pixel. `failed` is set when they cannot be loaded; the page is then
 * shown without them.
 */
export function useClubPageMetadata(slug: string): {
  meta: ClubPageMetadata | null;
  failed: boolean;
} {
  const bootMeta = useAtomValue(pageBootDataAtom).clubMeta ?? null;
  const [meta, setMeta] = useState<ClubPageMetadata | null>(bootMeta);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    let current = true;
    void fetchClubMeta(slug).then(
      (response) => current && setMeta(response),
      () => current && setFailed(true),
    );
    return () => {
      current = false;
    };
  }, [slug]);
  return { meta, failed: failed && meta === null };
}
