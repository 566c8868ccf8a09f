/** Texts for failed requests, and the form fields that a failure names. */
import { Problem } from '@/api/http';
import type { FormProblem } from '@/shared/ui/problem-list';

/** Returns the server's message for a 4xx response, else the given fallback text. */
export function said(error: unknown, otherwise: string): string {
  return error instanceof Problem && error.status < 500
    ? (error.said.message ?? otherwise)
    : otherwise;
}

/** Converts the fields named by a 400 response to form problems; empty when it names none. */
export function refusedFields(error: unknown, idOf: (field: string) => string): FormProblem[] {
  const errors = error instanceof Problem ? error.said.errors : null;
  if (!Array.isArray(errors)) return [];
  return errors.flatMap((said: unknown) => {
    const { field, message } = (said ?? {}) as { field?: unknown; message?: unknown };
    return typeof field === 'string' && typeof message === 'string'
      ? [{ field: idOf(field), text: message }]
      : [];
  });
}
