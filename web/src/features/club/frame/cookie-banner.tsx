import { useState } from 'react';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { readStored, writeStored } from '@/shared/storage';

/**
 * Asks once about marketing cookies; both answers look alike (specification line B:55). The banner
 * is part of the page flow, so it never covers a button.
 */
export function CookieBanner() {
  const [answered, setAnswered] = useState(() => readStored('local', S.consentKey) !== null);
  if (answered) return null;
  const answer = (consent: boolean) => {
    writeStored('local', S.consentKey, consent);
    setAnswered(true);
  };
  return (
    <section className="cookie-bar" aria-label="Marketing cookies">
      <p>May we use marketing cookies?</p>
      <div>
        <button type="button" className="btn small sec" onClick={() => answer(false)}>
          {C.decline}
        </button>
        <button type="button" className="btn small sec" onClick={() => answer(true)}>
          {C.allow}
        </button>
      </div>
    </section>
  );
}
