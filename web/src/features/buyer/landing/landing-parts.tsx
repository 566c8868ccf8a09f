import { S } from '@/shared/strings';
import { HowItWorks } from '@/features/buyer/site/how-it-works';

/** The hero. Its markup is also drawn by the server: see README.md before changing it. */
export function LandingHero() {
  return (
    <div className="land-hero">
      <div className="wrap">
        <h1>Pick the first try scorers. Back your club.</h1>
        <p>169 tickets, one winning pair of jersey numbers, and a prize that grows with every ticket sold.</p>
        <div className="land-actions">
          <a className="btn gold" href="#live-draws">{S.viewLiveDraws}</a>
          <a className="btn ghost" href="/admin/login">{S.startFirstDraw}</a>
        </div>
        <div className="land-art" aria-hidden="true">
          {Array.from({ length: 169 }, (_, cell) => {
            const [row, column] = [Math.floor(cell / 13) === 6, cell % 13 === 8];
            return <i key={cell} className={row && column ? 'cross' : row || column ? 'row' : undefined} />;
          })}
        </div>
      </div>
    </div>
  );
}

export function HowSection() {
  return (
    <section className="section" id="how-it-works" aria-labelledby="how-title">
      <div className="section-head"><h2 id="how-title">{S.howItWorks}</h2></div>
      <div className="card how"><HowItWorks /></div>
    </section>
  );
}

const CLUB_STEPS = [
  { title: 'Create a draw', text: 'One game, a ticket price and a prize percentage. It takes two minutes on a phone.' },
  { title: 'Share and sell 169 tickets', text: 'A link, a QR code and a live board for the club-house screen. Payments go straight to the club’s own account.' },
  { title: 'Determine the winner', text: 'Enter the first try scorers’ numbers after the game. The order of tickets was fixed before the first sale, and anyone can check it.' },
];

export function ForClubs() {
  return (
    <section className="section" aria-labelledby="clubs-how-title">
      <div className="section-head"><h2 id="clubs-how-title">For clubs</h2></div>
      <ul className="features">
        {CLUB_STEPS.map(({ title, text }) => <li key={title} className="card"><strong>{title}</strong><span>{text}</span></li>)}
      </ul>
      <div className="call">
        <h2>Run a draw at your next game</h2>
        <p>{S.noSetupFees}</p>
        <a className="btn" href="/admin/login">{S.startFirstDraw}</a>
      </div>
    </section>
  );
}
