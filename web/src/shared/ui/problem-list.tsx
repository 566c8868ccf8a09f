import { forwardRef } from 'react';

export interface FormProblem {
  /** The id of the control to go to. */
  field: string;
  text: string;
}

/** Everything wrong with a form, said together, each line leading to its control. Takes focus when it appears. */
export const ProblemList = forwardRef<HTMLDivElement, { problems: readonly FormProblem[] }>(function ProblemList({ problems }, ref) {
  if (problems.length === 0) return null;
  return (
    <div className="problems" role="group" aria-labelledby="problems-title" tabIndex={-1} ref={ref}>
      <h2 id="problems-title">There is a problem</h2>
      <ul>
        {problems.map(({ field, text }) => (
          <li key={text}>
            <a
              href={`#${field}`}
              onClick={(event) => {
                event.preventDefault();
                document.getElementById(field)?.focus();
              }}
            >
              {text}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
});
