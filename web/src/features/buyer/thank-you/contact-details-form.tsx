import { useSetAtom } from 'jotai';
import { useRef, useState, type FormEvent } from 'react';
import { addContactDetails, fetchOrder, resendConfirmation } from '@/api/endpoints/buyer';
import { HttpError } from '@/api/http';
import type { OrderResponse } from '@/api/wire';
import { PURCHASE_FIELD_IDS, emailTypoHint } from '@/features/buyer/checkout/form/purchase-rules';
import { receiveOrderAtom } from '@/features/shared-live/live-atoms';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { Field } from '@/shared/ui/field';
import { ProblemList, fieldErrorOf, type FormProblem } from '@/shared/ui/problem-list';
import { showToastAtom } from '@/shared/ui/toast-atoms';

/**
 * Whether the order has no valid e-mail address, because a wallet gave none or the input is
 * invalid. The club could not reach the buyer about a prize (decision C-11).
 */
export const needsContactDetails = (order: OrderResponse): boolean =>
  order.status === 'succeeded' &&
  (!order.buyerEmailMasked || order.buyerEmailMasked.endsWith('invalid'));

const contactProblems = (contact: { name: string; email: string; phone: string }): FormProblem[] =>
  [
    contact.name.trim() === '' && { field: PURCHASE_FIELD_IDS.name, text: S.nameRequired },
    contact.email.trim() === '' && { field: PURCHASE_FIELD_IDS.email, text: S.emailRequired },
    contact.phone.trim() === '' && { field: PURCHASE_FIELD_IDS.phone, text: S.phoneRequired },
  ].filter((problem) => problem !== false);

/** Asks for name, e-mail address and phone number when the order has no valid e-mail address. */
export function ContactDetailsForm({ order }: { order: OrderResponse }) {
  const receive = useSetAtom(receiveOrderAtom);
  const showToast = useSetAtom(showToastAtom);
  const [contact, setContact] = useState({
    name: order.buyerName && order.buyerName !== S.fallbackBuyer ? order.buyerName : '',
    email: '',
    phone: '',
  });
  const [problems, setProblems] = useState<readonly FormProblem[]>([]);
  const [sending, setSending] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const showProblems = (problems: readonly FormProblem[]) => {
    setProblems(problems);
    requestAnimationFrame(() => list.current?.focus());
  };
  const send = async () => {
    setSending(true);
    try {
      const buyer = {
        buyerName: contact.name.trim(),
        buyerEmail: contact.email.trim(),
        buyerPhone: contact.phone.trim(),
      };
      await addContactDetails(order.paymentIntentId ?? '', order.orderToken, buyer);
      const next = await fetchOrder(order.orderToken);
      receive(next);
      if (needsContactDetails(next))
        return showProblems([
          { field: PURCHASE_FIELD_IDS.email, text: 'This does not look like an e-mail address' },
        ]);
      await resendConfirmation(next.paymentIntentId ?? '', next.orderToken).catch(() => undefined);
      showToast({
        title: 'Thank you',
        text: `Your confirmation is on its way to ${next.buyerEmailMasked}.`,
      });
    } catch (error) {
      showProblems([
        {
          field: PURCHASE_FIELD_IDS.email,
          text: (error instanceof HttpError ? error.body.message : undefined) ?? S.tryLater,
        },
      ]);
    } finally {
      setSending(false);
    }
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const problems = contactProblems(contact);
    setProblems(problems);
    if (problems.length > 0) return showProblems(problems);
    void send();
  };
  return (
    <section className="card panel no-print" aria-labelledby="contact-title">
      <h2 id="contact-title">How can we reach you?</h2>
      <p>
        We have no e-mail address that we can write to. Without one the club cannot tell you if you
        win.
      </p>
      <form noValidate onSubmit={onSubmit}>
        <ProblemList ref={list} problems={problems} />
        <Field
          id={PURCHASE_FIELD_IDS.name}
          name="name"
          label="Full Name"
          autoComplete="name"
          enterKeyHint="next"
          value={contact.name}
          error={fieldErrorOf(problems, PURCHASE_FIELD_IDS.name)}
          onValue={(name) => setContact({ ...contact, name })}
        />
        <Field
          id={PURCHASE_FIELD_IDS.email}
          name="email"
          label="Email Address"
          type="email"
          inputMode="email"
          autoComplete="email"
          enterKeyHint="next"
          value={contact.email}
          error={fieldErrorOf(problems, PURCHASE_FIELD_IDS.email)}
          hint={emailTypoHint(contact.email)}
          onValue={(email) => setContact({ ...contact, email })}
        />
        <Field
          id={PURCHASE_FIELD_IDS.phone}
          name="phone"
          label="Phone Number"
          type="tel"
          inputMode="tel"
          autoComplete="tel"
          enterKeyHint="done"
          placeholder="04XX XXX XXX"
          value={contact.phone}
          error={fieldErrorOf(problems, PURCHASE_FIELD_IDS.phone)}
          onValue={(phone) => setContact({ ...contact, phone })}
        />
        <div className="actions">
          <button type="submit" className="btn" disabled={sending}>
            Save my details
          </button>
        </div>
      </form>
    </section>
  );
}
