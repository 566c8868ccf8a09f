import { useAtom } from 'jotai';
import { marketingConsentAtom } from './consent-atoms';

/**
 * Asks once for consent to the club's marketing pixel. Both buttons have the same style. No
 * pixel loads without consent.
 */
export function MarketingConsentBar({ club }: { club: string }) {
  const [consent, setConsent] = useAtom(marketingConsentAtom);
  if (consent !== null) return null;
  return (
    <section className="consent-bar" aria-label="Cookies">
      <p>May {club} measure its ads with a Meta pixel?</p>
      <div>
        <button type="button" className="btn small sec" onClick={() => setConsent(false)}>
          Decline
        </button>
        <button type="button" className="btn small sec" onClick={() => setConsent(true)}>
          Allow
        </button>
      </div>
    </section>
  );
}
