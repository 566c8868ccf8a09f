import { forwardRef } from 'react';

export interface FormProblem {
  /** Id of the control that has the problem. */
  field: string;
  text: string;
  /**
   * Whether the problem was fixed after the list appeared. Its line stays, struck out, so that
   * nothing moves.
   */
  isEdited?: boolean;
}

/** Returns the text beside a control, or null once the problem is fixed. */
export const fieldErrorOf = (problems: readonly FormProblem[], field: string): string | null =>
  problems.find((problem) => problem.field === field && !problem.isEdited)?.text ?? null;

/**
 * Lists all problems of a form, with a link to each control. The form focuses the list when it
 * appears.
 */
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
