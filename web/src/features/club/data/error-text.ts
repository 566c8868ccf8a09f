/** Texts for failed requests, and the form fields that a failure names. */
import { HttpError } from '@/api/http';
import type { FormProblem } from '@/shared/ui/problem-list';

/** Returns the server's message for a 4xx response, else the given fallback text. */
export function errorText(error: unknown, fallback: string): string {
  return error instanceof HttpError && error.status < 500
    ? (error.body.message ?? fallback)
    : fallback;
}

/** Converts the fields named by an error response to form problems; empty when it names none. */
export function fieldProblemsOfError(
  error: unknown,
  idOf: (field: string) => string,
): FormProblem[] {
  const errors = error instanceof HttpError ? error.body.errors : null;
  if (!Array.isArray(errors)) return [];
  return errors.flatMap((entry: unknown) => {
    const { field, message } = (entry ?? {}) as { field?: unknown; message?: unknown };
    return typeof field === 'string' && typeof message === 'string'
      ? [{ field: idOf(field), text: message }]
      : [];
  });
}
