import { useAtomValue } from 'jotai';
import { useEffect, useRef } from 'react';
import { marketingConsentAtom } from './consent-atoms';
import { requestPixel } from './pixel';

/**
 * Reports one page view to the club's pixel once there is consent. Returns a function that reports
 * later events.
 */
export function useClubPixel(
  pixelId: string | null | undefined,
  viewed?: { event: string; content: string },
): (event: string, content?: string) => void {
  const consent = useAtomValue(marketingConsentAtom);
  const counted = useRef(false);
  const allowed = consent === true && Boolean(pixelId);
  const [event, content] = [viewed?.event, viewed?.content];
  useEffect(() => {
    if (!allowed || !pixelId || counted.current) return;
    counted.current = true;
    requestPixel(pixelId, 'PageView');
    if (event) requestPixel(pixelId, event, content);
  }, [allowed, pixelId, event, content]);
  return (name, about) => {
    if (allowed && pixelId) requestPixel(pixelId, name, about);
  };
}
