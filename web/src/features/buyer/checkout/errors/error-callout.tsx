import type { Checkout } from '../state/checkout';

const NOT_CHARGED_TEXT = 'You have not been charged.';

/**
 * Shows an error that occurred before any money moved. Adds that the buyer has not been charged,
 * where a payment was attempted. The callout stays until the next attempt (interface decision D12).
 */
export function ErrorCallout({ checkout }: { checkout: Checkout }) {
  const error = checkout.state === 'choosing' ? checkout.error : null;
  if (!error) return null;
  const saysNothingOfMoney =
    error.notAttempted || error.available !== undefined || /not been charged/.test(error.text);
  return (
    <div className="callout is-bad">
      <strong>{error.title}</strong>
      {error.text}
      {saysNothingOfMoney ? '' : ` ${NOT_CHARGED_TEXT}`}
    </div>
  );
}
