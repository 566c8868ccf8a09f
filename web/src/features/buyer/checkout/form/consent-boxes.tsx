import { useState } from 'react';
import { Check } from '@/shared/ui/field';
import { S } from '@/shared/strings';
import { errorOf, type FormProblem } from '@/shared/ui/problem-list';
import { FIELD, type PurchaseDetails } from './purchase-rules';
import { TermsDialog } from './terms-dialog';

interface ConsentBoxesProps {
  details: PurchaseDetails;
  onDetails: (details: PurchaseDetails) => void;
  problems: readonly FormProblem[];
  /** Text of the age check. Each screen has its own specified text (decision J-4). */
  ageText: string;
}

export function ConsentBoxes({ details, onDetails, problems, ageText }: ConsentBoxesProps) {
  const [reading, setReading] = useState(false);
  return (
    <>
      <Check
        id={FIELD.age}
        checked={details.overEighteen}
        error={errorOf(problems, FIELD.age)}
        onChecked={(overEighteen) => onDetails({ ...details, overEighteen })}
      >
        {ageText}
      </Check>
      <Check
        id={FIELD.terms}
        checked={details.acceptsTerms}
        error={errorOf(problems, FIELD.terms)}
        onChecked={(acceptsTerms) => onDetails({ ...details, acceptsTerms })}
      >
        I accept the{' '}
        <button
          type="button"
          className="link-btn"
          onClick={(event) => {
            // A press on the terms link inside the label must not tick the box.
            event.preventDefault();
            setReading(true);
          }}
        >
          {S.termsOfSale}
        </button>
      </Check>
      <TermsDialog open={reading} onClose={() => setReading(false)} />
    </>
  );
}
