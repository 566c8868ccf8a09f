import { useEffect, useState } from 'react';
import { submitClaimBankDetails, fetchPrizeClaim } from '@/api/endpoints/club';
import { HttpError } from '@/api/http';
import type { Claim } from '@/api/wire-club';
import { dayAndTime } from '@/shared/dates';
import { decimalToCents, formatDollars } from '@/shared/money';
import { forgetStored, readStored, writeStored } from '@/shared/storage';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { PhoneLink } from '../frame/contact-links';
import { errorText } from '../data/error-text';
import { isNotFoundError } from '../data/use-query';
import { LoginLayout } from '../login/login-layout';
import { BankDetailsForm } from '../results/bank-form';

const INVALID_LINK_TEXT = 'This link is invalid or has expired.';

const CLAIM_TOKEN_KEY = 'claim_token';

/**
 * Returns the token of the mailed link. A token after the `#` is removed from the address bar at
 * once, so that a screenshot or a shared link does not contain it. The tab keeps it, because a phone
 * reloads the page after the winner has looked up the account number in another app.
 */
function useClaimToken(fromPath: string | undefined): string {
  const [token] = useState(() => {
    const kept = readStored('session', CLAIM_TOKEN_KEY);
    return fromPath || window.location.hash.slice(1) || (typeof kept === 'string' ? kept : '');
  });
  useEffect(() => {
    if (!token || fromPath) return;
    writeStored('session', CLAIM_TOKEN_KEY, token);
    window.history.replaceState(window.history.state, '', window.location.pathname);
  }, [token, fromPath]);
  return token;
}

/**
 * The page where a winner enters the bank account for the prize. The link works for seven days
 * without a login.
 */
export function PrizeClaimPage({ fromPath }: { fromPath: string | undefined }) {
  const token = useClaimToken(fromPath);
  const [claim, setClaim] = useState<Claim | null>(null);
  const [refusal, setRefusal] = useState<string | null>(token ? null : INVALID_LINK_TEXT);
  useEffect(() => {
    if (token)
      fetchPrizeClaim(token).then(setClaim, (error: unknown) => {
        if (isNotFoundError(error)) forgetStored('session', CLAIM_TOKEN_KEY);
        setRefusal(errorText(error, C.pleaseTryAgain));
      });
  }, [token]);
  if (!claim) {
    return (
      <LoginLayout title="Your prize">
        <h1>Your prize</h1>
        {refusal ? (
          <p className="callout is-bad" role="alert">
            {refusal}
          </p>
        ) : (
          <span className="skeleton" style={{ height: 220 }} />
        )}
      </LoginLayout>
    );
  }
  const onProblem = (error: unknown) => {
    if (!(error instanceof HttpError) || ![409, 410].includes(error.status)) return false;
    setClaim({
      ...claim,
      state:
        error.status === 410
          ? 'expired'
          : error.code === 'payout-settled'
            ? 'completed'
            : 'received',
    });
    return true;
  };
  return (
    <LoginLayout title="Your prize">
      <div className="claim-head">
        <h1>{claim.winnerName ? `${claim.winnerName}, you won` : 'You won'}</h1>
        <p className="claim-prize num">{formatDollars(decimalToCents(claim.prize))}</p>
        <p>
          {claim.homeTeam} v {claim.awayTeam}, {dayAndTime(claim.gameDate, claim.timezone)}
        </p>
        <p className="meta">
          Ticket {claim.serialNumber} · #{claim.homeNumber} & #{claim.awayNumber} · {claim.clubName}
        </p>
      </div>
      <section className="card" aria-live="polite">
        {claim.state === 'open' ? (
          <>
            <h2>Where should {claim.clubName} pay it?</h2>
            <p className="lead">
              Kept encrypted, shown only to the club
              {claim.respondBy
                ? `. Please answer by ${dayAndTime(claim.respondBy, claim.timezone)}.`
                : '.'}
            </p>
            <BankDetailsForm
              submitLabel="Send my bank details"
              onProblem={onProblem}
              send={async (bank) => setClaim(await submitClaimBankDetails(token, bank))}
            />
          </>
        ) : (
          <ClaimStateText claim={claim} />
        )}
      </section>
      {claim.contactName ? (
        <p className="claim-help">
          Questions? {claim.contactName}
          {claim.contactPhone ? (
            <>
              , <PhoneLink phone={claim.contactPhone} />
            </>
          ) : null}
        </p>
      ) : null}
    </LoginLayout>
  );
}

function ClaimStateText({ claim }: { claim: Claim }) {
  if (claim.state === 'completed')
    return (
      <>
        <h2>The prize has been paid</h2>
        <p>{claim.clubName} has recorded the payment. It may take a day to reach your account.</p>
        <MaskedAccount claim={claim} />
      </>
    );
  if (claim.state === 'expired')
    return (
      <>
        <h2>The time to respond has passed</h2>
        <p>The 7 days to respond have passed. Please contact the club.</p>
      </>
    );
  return (
    <>
      <h2>Thank you</h2>
      <p>{claim.clubName} has your bank details and pays you directly.</p>
      <MaskedAccount claim={claim} />
    </>
  );
}

/** Repeats the account with its last digits, so that the winner can check it. */
function MaskedAccount({ claim: { bank } }: { claim: Claim }) {
  if (!bank) return null;
  return (
    <dl className="facts">
      <dt>Account name</dt>
      <dd>{bank.accountName}</dd>
      <dt>BSB</dt>
      <dd>{bank.bsb}</dd>
      <dt>Account number</dt>
      <dd>{bank.accountNumber}</dd>
    </dl>
  );
}
