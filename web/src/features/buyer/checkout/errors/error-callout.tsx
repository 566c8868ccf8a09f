import type { Checkout } from '../state/checkout';

const NOT_CHARGED = 'You have not been charged.';

/**
 * Shows an error that occurred before any money moved, and says that no money moved. It stays until
 * the error is fixed (interface decision D12).
 */
export function TroubleCallout({ checkout }: { checkout: Checkout }) {
  const trouble = checkout.at === 'choosing' ? checkout.trouble : null;
  if (!trouble) return null;
  const silent =
    trouble.untried || trouble.available !== undefined || /not been charged/.test(trouble.text);
  return (
    <div className="callout is-bad">
      <strong>{trouble.title}</strong>
      {trouble.text}
      {silent ? '' : ` ${NOT_CHARGED}`}
    </div>
  );
}
