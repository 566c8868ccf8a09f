import { Redirect } from 'wouter';
import { DEMO_SUMMARY, savePurchaseSummary } from '@/features/buyer/checkout/state/summary';

/**
 * Stores a clearly marked sample purchase and redirects to the thank-you page (specification line
 * A:31, decision A-12).
 */
export function Page() {
  savePurchaseSummary(DEMO_SUMMARY);
  return (
    <main className="plain-page" id="main" aria-busy="true">
      <Redirect replace to="/thank-you" />
    </main>
  );
}
