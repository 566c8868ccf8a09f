import { useRef, useState, type FormEvent } from 'react';
import { requestTicketLink } from '@/api/endpoints/public';
import { HttpError, withRetry } from '@/api/http';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { Field } from '@/shared/ui/field';
import { ProblemList, type FormProblem } from '@/shared/ui/problem-list';

type LinkRequestState =
  | { status: 'asking' }
  | { status: 'sending' }
  | { status: 'sent'; email: string }
  | { status: 'failed'; text: string };

const INVALID_EMAIL_TEXT = 'Please enter an email address, like name@example.com';

function emailProblems(email: string): FormProblem[] {
  const address = email.trim();
  if (address === '') return [{ field: 'tickets-email', text: S.emailRequired }];
  return /^\S+@\S+\.\S+$/.test(address)
    ? []
    : [{ field: 'tickets-email', text: INVALID_EMAIL_TEXT }];
}

/**
 * Requests a mail with a link to the tickets, for a buyer who lost the first mail. The response
 * never reveals whether an e-mail address has bought tickets.
 */
export function TicketLinkRequestForm({ onProblems }: { onProblems: (inError: boolean) => void }) {
  const [email, setEmail] = useState('');
  const [problems, setProblems] = useState<readonly FormProblem[]>([]);
  const [state, setState] = useState<LinkRequestState>({ status: 'asking' });
  const list = useRef<HTMLDivElement>(null);
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    const problems = emailProblems(email);
    setProblems(problems);
    onProblems(problems.length > 0);
    if (problems.length > 0) return void requestAnimationFrame(() => list.current?.focus());
    setState({ status: 'sending' });
    try {
      await withRetry(() => requestTicketLink(email.trim()));
      setState({ status: 'sent', email: email.trim() });
    } catch (error) {
      setState({
        status: 'failed',
        text:
          error instanceof HttpError && error.status === 429
            ? 'You have asked a few times already. Please wait a while.'
            : S.tryLater,
      });
    }
  };
  if (state.status === 'sent')
    return (
      <div className="callout is-good" role="status">
        <strong>Check your email</strong>If tickets were bought with {state.email}, a link to them
        is on its way.
      </div>
    );
  return (
    <form noValidate onSubmit={(event) => void onSubmit(event)}>
      <p>Enter the email address you bought with. We send a link to your tickets there.</p>
      <ProblemList problems={problems} ref={list} />
      {state.status === 'failed' ? (
        <div className="callout is-bad" role="alert">
          <strong>The link was not sent.</strong>
          {state.text}
        </div>
      ) : null}
      <Field
        id="tickets-email"
        label="Email Address"
        type="email"
        inputMode="email"
        autoComplete="email"
        enterKeyHint="send"
        value={email}
        onValue={setEmail}
        error={problems[0]?.text}
      />
      <div className="actions">
        <button type="submit" className="btn" disabled={state.status === 'sending'}>
          Send my link
        </button>
      </div>
    </form>
  );
}
