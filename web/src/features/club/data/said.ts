/** What a refusal says to a person, and which fields of a form it names. */
import { Problem } from '@/api/http';
import type { FormProblem } from '@/shared/ui/problem-list';

/** The server's own sentence when it refused (4xx); the given words when something broke. */
export function said(error: unknown, otherwise: string): string {
  return error instanceof Problem && error.status < 500
    ? (error.said.message ?? otherwise)
    : otherwise;
}

/** The fields a 400 names, as problems of the form; empty when it names none. */
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
