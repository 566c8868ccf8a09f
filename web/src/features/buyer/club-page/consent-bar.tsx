import { useAtom } from 'jotai';
import { consentAtom } from './consent-atoms';

/** Asks once whether the club's marketing pixel may be loaded. Both answers weigh the same; until one is given, nothing loads. */
export function ConsentBar({ club }: { club: string }) {
  const [consent, say] = useAtom(consentAtom);
  if (consent !== null) return null;
  return (
    <section className="consent-bar" aria-label="Cookies">
      <p>May {club} measure its ads with a Meta pixel?</p>
      <div>
        <button type="button" className="btn small sec" onClick={() => say(false)}>
          Decline
        </button>
        <button type="button" className="btn small sec" onClick={() => say(true)}>
          Allow
        </button>
      </div>
    </section>
  );
}
