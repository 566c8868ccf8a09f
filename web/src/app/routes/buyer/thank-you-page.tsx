import '@/features/buyer/my-tickets/tickets.css';
import '@/features/buyer/thank-you/thank-you.css';
import { Link } from 'wouter';
import { hasNoTickets } from '@/features/buyer/my-tickets/order-status-text';
import { ReminderSwitch } from '@/features/buyer/my-tickets/reminder-switch';
import { SupportContacts } from '@/features/buyer/site/support-contacts';
import {
  ContactDetailsForm,
  needsContactDetails,
} from '@/features/buyer/thank-you/contact-details-form';
import { Receipt } from '@/features/buyer/thank-you/receipt';
import { ResendMailButton } from '@/features/buyer/thank-you/resend';
import {
  BoughtTickets,
  PaymentOutcomeCard,
  ShareBox,
  NextSteps,
} from '@/features/buyer/thank-you/thank-you';
import { useThankYouData } from '@/features/buyer/thank-you/use-thank-you';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { usePageTitle } from '@/shared/ui/page-title';

/**
 * Shows what was bought, what it cost and where the email went. The page never redirects by itself.
 */
export function Page() {
  const { payment, order, summary, gaveUp, awaitingFirstResponse, untouched, serverMessage } =
    useThankYouData();
  usePageTitle('Thank you');
  if (!summary) return <NoPurchase />;
  const isOver =
    untouched || serverMessage !== null || (order !== undefined && hasNoTickets(order));
  return (
    <main className="plain-page thanks" id="main">
      <PaymentOutcomeCard
        order={order}
        summary={summary}
        payment={payment}
        gaveUp={gaveUp}
        untouched={untouched}
        serverMessage={serverMessage}
      />
      {order && needsContactDetails(order) ? <ContactDetailsForm order={order} /> : null}
      {isOver ? null : <BoughtTickets order={order} summary={summary} />}
      {awaitingFirstResponse ? null : (
        <>
          {isOver ? null : <ShareBox order={order} summary={summary} />}
          {order?.status === S.succeeded ? <Receipt order={order} /> : null}
          <NextSteps order={order} summary={summary}>
            {isOver ? null : <ResendMailButton payment={payment} />}
          </NextSteps>
          {order && !isOver ? <ReminderSwitch token={order.orderToken} /> : null}
          <SupportContacts />
        </>
      )}
    </main>
  );
}

function NoPurchase() {
  return (
    <main className="plain-page" id="main">
      <h1>Thank you</h1>
      <p>There is no purchase in this browser. Your tickets are in your e-mail.</p>
      <div className="actions">
        <Link className="btn" href="/">
          {S.browseOtherClubs}
        </Link>
        <Link className="btn sec" href="/my">
          Ask for them again
        </Link>
      </div>
    </main>
  );
}
