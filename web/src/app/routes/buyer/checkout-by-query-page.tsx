import { Redirect } from 'wouter';
import { Page as NotFound } from '@/app/routes/not-found-page';

/**
 * Redirects `/checkout?drawId=…&ticketCount=…` to the draw's checkout. Without a draw the page is
 * not found (decision A-5).
 */
export function Page() {
  const query = new URLSearchParams(window.location.search);
  const draw = query.get('drawId') ?? '';
  if (!/^\d+$/.test(draw)) return <NotFound />;
  const tickets = query.get('ticketCount') ?? '';
  return (
    <Redirect
      replace
      to={`/checkout/${draw}${/^\d+$/.test(tickets) ? `?tickets=${tickets}` : ''}`}
    />
  );
}
