import { useAtom } from 'jotai';
import { marketingConsentAtom } from '@/features/buyer/club-page/consent-atoms';
import { SupportContacts } from '@/features/buyer/site/support-contacts';
import { usePageTitle } from '@/shared/ui/page-title';

/** Says which data the site keeps, and changes the consent to the clubs' marketing pixels. */
export function Page() {
  usePageTitle('Privacy');
  return (
    <main className="plain-page" id="main">
      <h1>Privacy</h1>
      <p>This is what we keep about you when you buy a ticket, and who sees it.</p>
      <h2 className="help-head">What we keep</h2>
      <p>
        Your name, e-mail address and phone number, your tickets and what you paid. We need them to
        send your tickets and to reach you if you win.
      </p>
      <p>
        Your card number goes from your browser to Stripe, which makes the payment. We never see it.
      </p>
      <h2 className="help-head">Who sees it</h2>
      <p>
        The club that runs the draw, because it pays the winner, and our support team. Nobody else
        sees your name, your contact details or, before the result, your numbers.
      </p>
      <h2 className="help-head">In your browser</h2>
      <p>
        A cookie keeps your purchase yours. Your cart, and what you typed into a form, stay in this
        browser until you buy. Neither is used for advertising.
      </p>
      <MarketingConsent />
      <h2 className="help-head">Your questions</h2>
      <p>Ask us for a copy of your data, a correction or its deletion.</p>
      <SupportContacts />
    </main>
  );
}

function MarketingConsent() {
  const [consent, setConsent] = useAtom(marketingConsentAtom);
  return (
    <>
      <h2 className="help-head">Clubs’ ads</h2>
      <p>
        Some clubs measure their ads with a Meta pixel. It loads only if you allow it, on the pages
        of those clubs.
      </p>
      <p role="status">
        {consent === null
          ? 'You have not been asked yet.'
          : consent
            ? 'You allow it.'
            : 'You do not allow it.'}
      </p>
      <div className="actions">
        <button type="button" className="btn sec" onClick={() => setConsent(false)}>
          Decline
        </button>
        <button type="button" className="btn sec" onClick={() => setConsent(true)}>
          Allow
        </button>
      </div>
    </>
  );
}
