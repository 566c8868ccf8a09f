import { PaymentElement } from '@stripe/react-stripe-js';
import type { StripePaymentElementOptions } from '@stripe/stripe-js';
import { Field } from '@/shared/ui/field';
import type { FormProblem } from '@/shared/ui/problem-list';
import { FIELD, emailHint, type Details } from './purchase-rules';

interface BuyerFieldsProps {
  details: Details;
  onDetails: (details: Details) => void;
  problems: readonly FormProblem[];
  readOnly?: boolean;
}

/** Who the tickets are for. One name field; the browser's own memory fills them in. */
export function BuyerFields({ details, onDetails, problems, readOnly = false }: BuyerFieldsProps) {
  const errorOf = (field: string) => problems.find((problem) => problem.field === field)?.text ?? null;
  return (
    <>
      <Field id={FIELD.name} name="name" label="Full Name" autoComplete="name" enterKeyHint="next" value={details.name} readOnly={readOnly} error={errorOf(FIELD.name)} onValue={(name) => onDetails({ ...details, name })} />
      <Field id={FIELD.email} name="email" label="Email Address" type="email" inputMode="email" autoComplete="email" enterKeyHint="next" value={details.email} readOnly={readOnly} error={errorOf(FIELD.email)} hint={emailHint(details.email)} onValue={(email) => onDetails({ ...details, email })} />
      <Field id={FIELD.phone} name="phone" label="Phone Number" type="tel" inputMode="tel" autoComplete="tel" enterKeyHint="next" placeholder="04XX XXX XXX" value={details.phone} readOnly={readOnly} error={errorOf(FIELD.phone)} onValue={(phone) => onDetails({ ...details, phone })} />
    </>
  );
}

/** Cards only: wallets have their own place, and the buyer's details are asked for once, above. */
const CARD: StripePaymentElementOptions = {
  layout: 'tabs',
  wallets: { applePay: 'never', googlePay: 'never', link: 'never' },
  fields: { billingDetails: { name: 'never', email: 'never', phone: 'never' } },
};

/** The cards that are taken, as marks and in words (A:11). */
function CardsTaken() {
  return (
    <ul className="cards-taken" aria-label="Accepted cards">
      <li><svg viewBox="0 0 32 20" aria-hidden="true"><rect width="32" height="20" rx="3" fill="#1a1f71" /><path d="M11 14.5 13 6h2l-2 8.500zM18.500 6h1.800l2.200 8.500h-1.900l-.4-1.600h-2.300l-.7 1.600h-2zm.9 2.500-.9 2.800h1.500zM6 6h2l.9 5.300L11 6h2l-3.400 8.500h-2z" fill="#fff" /></svg>Visa</li>
      <li><svg viewBox="0 0 32 20" aria-hidden="true"><rect width="32" height="20" rx="3" fill="#fff" stroke="#d6d2c4" /><circle cx="13" cy="10" r="6" fill="#eb001b" /><circle cx="19" cy="10" r="6" fill="#f79e1b" fillOpacity=".88" /></svg>Mastercard</li>
      <li><svg viewBox="0 0 32 20" aria-hidden="true"><rect width="32" height="20" rx="3" fill="#016fd0" /><path d="M5 13.500 8 6.500h2.400l3 7h-2.300l-.5-1.300H7.700l-.5 1.300zm3.300-2.800H10L9.200 8.300zM14.500 13.500v-7h3l1.500 3.700 1.500-3.700h3v7h-2V9l-1.700 4.500h-1.600L16.500 9v4.500zM24.500 6.500H29v1.600h-2.500v1.100H29v1.500h-2.500v1.200H29v1.600h-4.500z" fill="#fff" /></svg>Amex</li>
    </ul>
  );
}

export function CardField() {
  return (
    <div className="field" id={FIELD.card} role="group" aria-label="Card" tabIndex={-1}>
      <div className="card-box"><PaymentElement options={CARD} /></div>
      <CardsTaken />
    </div>
  );
}
