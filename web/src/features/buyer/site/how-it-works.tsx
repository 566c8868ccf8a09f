export interface HowItWorksStep {
  title: string;
  text: string;
}

const BUYER_HOW_IT_WORKS_STEPS: readonly HowItWorksStep[] = [
  {
    title: 'Buy a ticket',
    text: 'Each draw has 169 tickets, one for every pair of jersey numbers from 1 to 13. You get your pair at random after you pay.',
  },
  {
    title: 'Watch the game',
    text: 'The first try scorer of each team decides the winning pair. If a team does not score, its number is 9.',
  },
  {
    title: 'The matching ticket wins',
    text: 'The ticket with both numbers wins the prize. The club contacts the winner and pays directly.',
  },
];

/** The game in three steps, from the buyer's view. */
export function HowItWorks() {
  return <StepList steps={BUYER_HOW_IT_WORKS_STEPS} />;
}

export function StepList({ steps }: { steps: readonly HowItWorksStep[] }) {
  return (
    <ol className="steps">
      {steps.map(({ title, text }) => (
        <li key={title}>
          <strong>{title}</strong>
          <span>{text}</span>
        </li>
      ))}
    </ol>
  );
}
