import { forwardRef } from 'react';

export interface FormProblem {
  /** The id of the control to go to. */
  field: string;
  text: string;
  /** Put right since the list was made. Its line stays, struck out, so that nothing moves under a thumb. */
  isEdited?: boolean;
}

/** What to say beside a control: nothing any more once it is put right. */
export const errorOf = (problems: readonly FormProblem[], field: string): string | null =>
  problems.find((problem) => problem.field === field && !problem.isEdited)?.text ?? null;

/** Everything wrong with a form, said together, each line leading to its control. Takes focus when it appears. */
export const ProblemList = forwardRef<HTMLDivElement, { problems: readonly FormProblem[] }>(
  function ProblemList({ problems }, ref) {
    if (problems.length === 0) return null;
    return (
      <div
        className="problems"
        role="group"
        aria-labelledby="problems-title"
        tabIndex={-1}
        ref={ref}
      >
        <h2 id="problems-title">There is a problem</h2>
        <ul>
          {problems.map(({ field, text, isEdited }) => (
            <li key={text} className={isEdited ? 'is-edited' : undefined}>
              <a
                href={`#${field}`}
                onClick={(event) => {
                  event.preventDefault();
                  document.getElementById(field)?.focus();
                }}
              >
                {text}
              </a>
              {isEdited ? <span className="sr">, done</span> : null}
            </li>
          ))}
        </ul>
      </div>
    );
  },
);
