import { useState } from 'react';
import { CheckboxField } from '@/shared/ui/field';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { fieldErrorOf, type FormProblem } from '@/shared/ui/problem-list';
import { PURCHASE_FIELD_IDS, type PurchaseDetails } from './purchase-rules';
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
  const { overEighteen: age, acceptsTerms: terms } = details;
  return (
    <div className="consents" role="group" aria-label="Confirmation">
      <CheckboxField
        id={PURCHASE_FIELD_IDS.bothConsents}
        checked={age && terms}
        mixed={age !== terms}
        onChecked={(both) => onDetails({ ...details, overEighteen: both, acceptsTerms: both })}
      >
        <strong>Confirm both</strong>
      </CheckboxField>
      <CheckboxField
        id={PURCHASE_FIELD_IDS.age}
        checked={details.overEighteen}
        error={fieldErrorOf(problems, PURCHASE_FIELD_IDS.age)}
        onChecked={(overEighteen) => onDetails({ ...details, overEighteen })}
      >
        {ageText}
      </CheckboxField>
      <CheckboxField
        id={PURCHASE_FIELD_IDS.terms}
        checked={details.acceptsTerms}
        error={fieldErrorOf(problems, PURCHASE_FIELD_IDS.terms)}
        onChecked={(acceptsTerms) => onDetails({ ...details, acceptsTerms })}
      >
        I accept the{' '}
        <button
          type="button"
          className="link-btn"
          onClick={(event) => {
            // Pressing the terms link inside the label must not tick the box.
            event.preventDefault();
            setReading(true);
          }}
        >
          {S.termsOfSale}
        </button>
      </CheckboxField>
      <TermsDialog open={reading} onClose={() => setReading(false)} />
    </div>
  );
}
