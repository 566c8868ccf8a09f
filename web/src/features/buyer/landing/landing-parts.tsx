import type { FormEvent } from 'react';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { StepList, type HowItWorksStep } from '@/features/buyer/site/how-it-works';
import { CellPatternIcon } from './cell-pattern-icon';
import { FIND_FIELD_ID } from './find';
import { LiveDrawOfTheMoment } from './live-draw-of-the-moment';

interface LandingHeroProps {
  query: string;
  onQuery: (query: string) => void;
}

/**
 * The first section of the landing page. The server renders the same markup: see README.md before
 * changing it.
 */
export function LandingHero({ query, onQuery }: LandingHeroProps) {
  const onFind = (event: FormEvent) => {
    event.preventDefault();
    document.getElementById('live-draws')?.scrollIntoView();
  };
  return (
    <div className="land-hero">
      <div className="wrap">
        <h1>
          Two first tries. <span>One winning ticket.</span>
        </h1>
        <p>
          Your ticket comes with two jersey numbers, dealt at random. If those two players score
          first, the prize pool is yours. Your club gains either way.
        </p>
        <form className="find" role="search" onSubmit={onFind}>
          <label className="sr" htmlFor={FIND_FIELD_ID}>
            Find a club, team or league
          </label>
          <input
            id={FIND_FIELD_ID}
            type="search"
            placeholder="Club, team or league"
            autoComplete="off"
            enterKeyHint="search"
            value={query}
            onChange={(event) => onQuery(event.currentTarget.value)}
          />
        </form>
        <div className="land-actions">
          <a className="btn gold" href="#live-draws">
            {S.viewLiveDraws}
          </a>
          <a className="btn ghost" href="/admin/login">
            {S.startFirstDraw}
          </a>
        </div>
        <LiveDrawOfTheMoment />
      </div>
    </div>
  );
}

const CLUB_HOW_IT_WORKS_STEPS: readonly HowItWorksStep[] = [
  {
    title: 'Create a draw',
    text: 'Your club picks a game, a ticket price and how much of the sales is the prize.',
  },
  {
    title: 'Share and sell 169 tickets',
    text: 'Supporters buy on their phones. Each ticket carries one of the 169 pairs of jersey numbers, given out at random after payment.',
  },
  {
    title: 'Determine the winner',
    text: 'After the game the club enters the first try scorers’ numbers. The ticket with that pair wins the prize.',
  },
];

/** How a club runs the game, in the three specified steps (specification line A:46). */
export function ClubStepsSection() {
  return (
    <section className="section" id="how-it-works" aria-labelledby="how-title">
      <div className="section-head">
        <h2 id="how-title">{S.howItWorks}</h2>
      </div>
      <div className="card how">
        <StepList steps={CLUB_HOW_IT_WORKS_STEPS} />
      </div>
    </section>
  );
}

const FEATURE_TEXTS = [
  {
    lit: '000111000',
    title: 'No account to buy',
    text: 'Apple Pay, Google Pay or card: three taps from the link to the ticket.',
  },
  {
    lit: '111111110',
    title: 'Live, everywhere',
    text: 'Prize, tickets sold and countdown move on every phone and on the club-house screen at the same moment.',
  },
  {
    lit: '010111010',
    title: 'Fair, and anyone can check',
    text: 'The order of tickets is fixed and published before the first sale. After the result, your own browser works it out again.',
  },
  {
    lit: '100010001',
    title: 'Straight to the club',
    text: 'Payments go to the club’s own account. The club pays the winner directly.',
  },
  {
    lit: '101000101',
    title: 'Boards, posters, widgets',
    text: 'A big-screen page, a QR code, and one line of code for your own website.',
  },
  {
    lit: '001011111',
    title: 'Results in four taps',
    text: 'Enter two jersey numbers at the ground; the winner is found, told and on the record.',
  },
] as const;

export function FeatureGrid() {
  return (
    <section className="section" aria-labelledby="features-title">
      <div className="section-head">
        <h2 id="features-title">Made for clubs and their supporters</h2>
      </div>
      <ul className="features">
        {FEATURE_TEXTS.map(({ lit, title, text }) => (
          <li key={title} className="card">
            <CellPatternIcon lit={lit} />
            <div>
              <h3>{title}</h3>
              <p>{text}</p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** An invitation for clubs at the end of the page. */
export function CallToAction() {
  return (
    <section className="call" aria-labelledby="call-title">
      <h2 id="call-title">Run a draw at your next game</h2>
      <p>{S.noSetupFees}</p>
      <a className="btn gold" href="/admin/login">
        {S.startFirstDraw}
      </a>
    </section>
  );
}
