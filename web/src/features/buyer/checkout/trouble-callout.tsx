import type { Checkout } from './checkout';

const NOT_CHARGED = 'You have not been charged.';

/** What went wrong before any money moved, and that none did; said once, whoever said it first. */
export function TroubleCallout({ checkout }: { checkout: Checkout }) {
  const trouble = checkout.at === 'choosing' ? checkout.trouble : null;
  if (!trouble) return null;
  const text = trouble.text.startsWith(`${trouble.title}: `) ? trouble.text.slice(trouble.title.length + 2) : trouble.text;
  const money = trouble.available !== undefined || /not been charged/.test(text) ? '' : ` ${NOT_CHARGED}`;
  return (
    <div className="callout is-bad">
      <strong>{trouble.title}</strong>
      {text}
      {money}
    </div>
  );
}
