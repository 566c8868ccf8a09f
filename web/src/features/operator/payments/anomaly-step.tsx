import type { ReactNode } from 'react';

interface AnomalyStepProps {
  title: string;
  /** Whether the operator still has to do this step. */
  open?: boolean;
  children: ReactNode;
}

/** One step of an anomaly: a heading with its facts or fields. Steps are in one ordered list. */
export const AnomalyStep = ({ title, open = false, children }: AnomalyStepProps) => (
  <li className={open ? 'ops-step is-open' : 'ops-step'}>
    <h3>{title}</h3>
    {children}
  </li>
);

interface AnomalyChoiceProps {
  title: string;
  /** What happens to tickets and money. */
  effect: ReactNode;
  /** Why this choice is not possible; null when it is. */
  obstacle?: string | null;
  children: ReactNode;
}

/** One way to resolve an anomaly: its effect beside its button, or why it is not possible. */
export const AnomalyChoice = ({ title, effect, obstacle = null, children }: AnomalyChoiceProps) => (
  <li className={obstacle ? 'ops-choice is-off' : 'ops-choice'}>
    <div>
      <strong>{title}</strong>
      <p>{obstacle ?? effect}</p>
    </div>
    {obstacle ? null : children}
  </li>
);
