import { useAtomValue } from 'jotai';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { CLUB_API_PATHS } from '@/api/endpoints/club';
import type { ConnectStatus, OwnClub, User } from '@/api/wire-club';
import { configAtom } from '@/features/shared-live/live-atoms';
import { TICKETS_PER_DRAW } from '@/shared/draw-size';
import { formatDollars } from '@/shared/money';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { useQuery } from '../data/use-query';
import { computeRevenue } from '../draw-form/revenue';
import type { CurrentClub } from '../frame/club-frame';
import { useStripeOnboarding } from '../payments/use-connect';
import { adminPath } from '../session/user';
import { DASHBOARD_POLL_INTERVAL_MS } from './use-club-draws';

interface StartStep {
  title: string;
  done: boolean;
  body: ReactNode;
}

/** The four steps of a new club, until its first draw exists. */
export function StartSteps({ club, user }: { club: CurrentClub; user: User }) {
  const { data: connect } = useQuery<ConnectStatus>(CLUB_API_PATHS.connect(club.id), {
    intervalMs: DASHBOARD_POLL_INTERVAL_MS,
  });
  const { data: page } = useQuery<OwnClub>(CLUB_API_PATHS.club(club.id));
  const { pending, connect: startStripe } = useStripeOnboarding(club.id);
  const connected = connect?.connected === true;
  const steps: StartStep[] = [
    {
      title: 'Confirm your e-mail',
      done: user.emailVerified !== false,
      body: <p>{user.email}</p>,
    },
    {
      title: 'Connect Stripe',
      done: connected,
      body: connected ? (
        <p>Ticket money goes straight to your club’s bank account.</p>
      ) : (
        <>
          <p>Stripe pays ticket money straight to your club’s bank account. We never hold it.</p>
          <div className="have-ready">
            <strong>Have these ready</strong>
            <ul>
              <li>Your club’s ABN</li>
              <li>BSB and account number</li>
              <li>One person’s photo ID</li>
            </ul>
          </div>
          <button
            type="button"
            className="btn"
            aria-disabled={pending}
            onClick={() => void startStripe()}
          >
            {pending ? C.settingUp : 'Connect Stripe account'}
          </button>
          <p className="meta">
            10 minutes. Stripe then checks for up to two days. You can do step 3 while you wait.
          </p>
        </>
      ),
    },
    {
      title: 'Set up your home page',
      done: page?.homePageReady === true,
      body: page?.homePageReady ? null : (
        <>
          <p>Crest, colours, one line. 5 minutes.</p>
          <Link className="btn sec" href={adminPath(club.slug, 'home-page-setup')}>
            {C.setUpHomepage}
          </Link>
        </>
      ),
    },
    {
      title: 'Create your first draw',
      done: false,
      body: (
        <>
          {connected ? (
            <Link className="btn" href={adminPath(club.slug, 'create-draw')}>
              {C.createDraw}
            </Link>
          ) : (
            <p>{C.connectFirst}</p>
          )}
          <RevenueExample />
        </>
      ),
    },
  ];
  const next = steps.findIndex(({ done }) => !done);
  const doneCount = steps.filter(({ done }) => done).length;
  return (
    <section aria-labelledby="start-title" className="start">
      <h2 id="start-title">Start selling in four steps</h2>
      <p className="lead">About 20 minutes. You can stop and come back.</p>
      <p className="start-progress">
        <progress max={steps.length} value={doneCount} aria-label="Steps done" />
        <span>
          {doneCount} of {steps.length}
        </span>
      </p>
      <ol className="card timeline">
        {steps.map(({ title, done, body }, index) => (
          <li
            key={title}
            className={`step is-${done ? 'done' : index === next ? 'now' : 'later'}`}
            aria-current={index === next ? 'step' : undefined}
          >
            <span className="step-mark is-number" aria-hidden="true">
              {done ? '✓' : index + 1}
            </span>
            <div className="step-body">
              <h3>
                {title}
                {done ? <span className="sr">, done</span> : null}
              </h3>
              {body}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Shows what a club keeps of a sold-out draw, in one bar. */
function RevenueExample() {
  const config = useAtomValue(configAtom);
  if (!config) return null;
  const terms = { price: 500, prizePercentage: 50, roundUpPrize: false, passStripeFees: false };
  const { revenue, prize, keeps } = computeRevenue(terms, TICKETS_PER_DRAW, {
    rateBps: config.feeRateBps,
    capCents: config.feeCapCents,
  });
  const share = (amount: number) => ({ flexGrow: amount / revenue });
  return (
    <figure className="example">
      <figcaption>
        For example, {TICKETS_PER_DRAW} tickets at {formatDollars(terms.price)}
      </figcaption>
      <div className="example-bar">
        <span className="is-prize" style={share(prize)}>
          Prize {formatDollars(prize)}
        </span>
        <span className="is-club" style={share(keeps)}>
          Club {formatDollars(keeps)}
        </span>
      </div>
      <p className="meta">Fees about {formatDollars(revenue - prize - keeps)}, all included</p>
    </figure>
  );
}
