import { PaymentElement } from '@stripe/react-stripe-js';
import type { StripePaymentElementOptions } from '@stripe/stripe-js';
import { Field } from '@/shared/ui/field';
import { fieldErrorOf, type FormProblem } from '@/shared/ui/problem-list';
import { useStripeLoading } from '../payment/payment-provider';
import { CardFormFailed, StripeExceptionBoundary } from '../payment/stripe-exceptions';
import { PURCHASE_FIELD_IDS, emailTypoHint, type PurchaseDetails } from './purchase-rules';

interface BuyerFieldsProps {
  details: PurchaseDetails;
  onDetails: (details: PurchaseDetails) => void;
  problems: readonly FormProblem[];
  readOnly?: boolean;
}

/**
 * The fields of the ticket holder. The name is a single field, so that the browser can fill it in.
 */
export function BuyerFields({ details, onDetails, problems, readOnly = false }: BuyerFieldsProps) {
  return (
    <>
      <Field
        id={PURCHASE_FIELD_IDS.name}
        name="name"
        label="Full Name"
        autoComplete="name"
        enterKeyHint="next"
        value={details.name}
        readOnly={readOnly}
        error={fieldErrorOf(problems, PURCHASE_FIELD_IDS.name)}
        onValue={(name) => onDetails({ ...details, name })}
      />
      <Field
        id={PURCHASE_FIELD_IDS.email}
        name="email"
        label="Email Address"
        type="email"
        inputMode="email"
        autoComplete="email"
        enterKeyHint="next"
        value={details.email}
        readOnly={readOnly}
        error={fieldErrorOf(problems, PURCHASE_FIELD_IDS.email)}
        hint={emailTypoHint(details.email)}
        onValue={(email) => onDetails({ ...details, email })}
      />
      <Field
        id={PURCHASE_FIELD_IDS.phone}
        name="phone"
        label="Phone Number"
        type="tel"
        inputMode="tel"
        autoComplete="tel"
        enterKeyHint="next"
        placeholder="04XX XXX XXX"
        value={details.phone}
        readOnly={readOnly}
        error={fieldErrorOf(problems, PURCHASE_FIELD_IDS.phone)}
        onValue={(phone) => onDetails({ ...details, phone })}
      />
    </>
  );
}

/**
 * Options of the card fields. They exclude wallets, which have their own button, and contact
 * details, which the form asks for above.
 */
const CARD_FIELD_OPTIONS = {
  layout: 'tabs',
  wallets: { applePay: 'never', googlePay: 'never', link: 'never' },
  fields: { billingDetails: { name: 'never', email: 'never', phone: 'never' } },
} satisfies StripePaymentElementOptions;

const CARD_LOGO_TEXT_STYLE = {
  fontFamily: 'Arial, Helvetica, sans-serif',
  fontWeight: 700,
  textAnchor: 'middle',
  fill: '#fff',
} as const;

/** The accepted cards, as logos and in words (specification line A:11). */
function AcceptedCards() {
  return (
    <ul className="cards-taken" aria-label="Accepted cards">
      <li>
        <svg viewBox="0 0 32 20" aria-hidden="true">
          <rect width="32" height="20" rx="3" fill="#1a1f71" />
          <text
            x="16"
            y="13.5"
            fontSize="10"
            fontStyle="italic"
            textLength="22"
            lengthAdjust="spacingAndGlyphs"
            {...CARD_LOGO_TEXT_STYLE}
          >
            VISA
          </text>
        </svg>
        Visa
      </li>
      <li>
        <svg viewBox="0 0 32 20" aria-hidden="true">
          <rect x=".5" y=".5" width="31" height="19" rx="3" fill="#fff" stroke="#d6d2c4" />
          <circle cx="12.5" cy="10" r="6" fill="#eb001b" />
          <circle cx="19.5" cy="10" r="6" fill="#f79e1b" fillOpacity=".88" />
        </svg>
        Mastercard
      </li>
      <li>
        <svg viewBox="0 0 32 20" aria-hidden="true">
          <rect width="32" height="20" rx="3" fill="#016fd0" />
          <text
            x="16"
            y="13"
            fontSize="8.5"
            textLength="24"
            lengthAdjust="spacingAndGlyphs"
            {...CARD_LOGO_TEXT_STYLE}
          >
            AMEX
          </text>
        </svg>
        Amex
      </li>
    </ul>
  );
}

export function CardField() {
  const { refused } = useStripeLoading();
  return (
    <div
      className="field card-field"
      id={PURCHASE_FIELD_IDS.card}
      role="group"
      aria-label="Card"
      tabIndex={-1}
    >
      <div className="card-box">
        {refused ? (
          <CardFormFailed />
        ) : (
          <StripeExceptionBoundary step="element" fallback={<CardFormFailed />}>
            <PaymentElement options={CARD_FIELD_OPTIONS} />
          </StripeExceptionBoundary>
        )}
      </div>
      <AcceptedCards />
    </div>
  );
}
