import { useAtomValue } from 'jotai';
import { useEffect, useState } from 'react';
import { fetchTerms, type TermsDocument } from '@/api/endpoints/buyer';
import { configAtom } from '@/features/shared-live/live-atoms';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { Dialog } from '@/shared/ui/dialog';

/**
 * Dialog with the terms that a buyer accepts. The terms are loaded when the buyer opens the dialog.
 */
export function TermsDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const config = useAtomValue(configAtom);
  const [terms, setTerms] = useState<TermsDocument | null>(null);
  useEffect(() => {
    if (open && !terms) fetchTerms().then(setTerms, () => {});
  }, [open, terms]);
  return (
    <Dialog title={S.termsOfSale} open={open} onClose={onClose}>
      {terms ? <TermsText terms={terms} /> : <TermsSummary />}
      {config ? (
        <p>
          Questions: <a href={`mailto:${config.supportEmail}`}>{config.supportEmail}</a>
        </p>
      ) : null}
      <div>
        <button type="button" className="btn" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

/**
 * Shows the exact terms that an acceptance refers to (decision B-15). Empty lines separate the
 * paragraphs.
 */
function TermsText({ terms }: { terms: TermsDocument }) {
  const paragraphs = terms.text
    .split(/\n{2,}/)
    .map((text) => text.trim())
    .filter((text) => text !== '' && text !== terms.title);
  return (
    <>
      {paragraphs.map((text) => (
        <p key={text}>{text}</p>
      ))}
      <p className="meta">Version {terms.version}</p>
    </>
  );
}

/**
 * Shows the specification's summary of the terms (specification line A:309) while the full terms
 * are loading or unavailable.
 */
function TermsSummary() {
  return (
    <>
      <p>
        Tickets are digital and are sent by e-mail. Each carries a pair of numbers, dealt at random,
        in an order that was fixed before the first sale.
      </p>
      <p>
        All sales are final. Unauthorised card use can be refunded if proven. If we cannot give you
        your tickets, you are not charged.
      </p>
      <p>
        The ticket whose numbers match the first try scorers of both teams wins. A team that does
        not score counts as number 9.
      </p>
      <p>
        Winners are contacted by e-mail and phone and must respond within 7 days. The club that runs
        the draw pays the prize.
      </p>
      <p>You must be over 18 and in Australia to buy a ticket.</p>
    </>
  );
}
