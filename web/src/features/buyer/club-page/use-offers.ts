/** Loads a club's offers that are on sale now. */
import { useAtomValue } from 'jotai';
import { useCallback, useEffect, useState } from 'react';
import { fetchOffers } from '@/api/endpoints/public';
import { HttpError } from '@/api/http';
import type { Offer } from '@/api/wire-public';
import { isOfferListed } from '@/features/shared-offer/offer';
import { pageBootDataAtom } from '@/features/shared-live/boot-atoms';
import { nowAtom } from '@/features/shared-live/live-atoms';

export function useOffers(slug: string) {
  const boot = useAtomValue(pageBootDataAtom);
  const bootOffers =
    boot.club?.slug === slug || boot.club?.canonicalSlug === slug ? boot.offers : undefined;
  const [offers, setOffers] = useState<readonly Offer[]>(bootOffers ?? []);
  const [failed, setFailed] = useState(false);
  const [answered, setAnswered] = useState(bootOffers !== undefined);
  const now = useAtomValue(nowAtom);
  const ask = useCallback(async () => {
    try {
      setOffers(await fetchOffers(slug));
      setFailed(false);
    } catch (error) {
      // A 404 is no failure: it means that there are no offers.
      setFailed(!(error instanceof HttpError && error.status === 404));
    } finally {
      setAnswered(true);
    }
  }, [slug]);
  useEffect(() => void ask(), [ask]);
  return {
    offers: offers.filter((offer) => isOfferListed(offer, now)),
    answered,
    failed,
    retry: ask,
  };
}
