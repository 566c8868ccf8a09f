/**
 * Recognises test draws by their league. Test draws are hidden unless the setting shows them
 * (specification lines C:206-207, decision E-15).
 */
import type { AdminDraw } from '@/api/wire-operator';
import { HttpError } from '@/api/http';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { useQuery } from '../queries/use-query';

export const HIDE_TEST_DRAWS_KEY = 'hide_test_draws';

export const isTestDraw = ({ league }: Pick<AdminDraw, 'league'>): boolean =>
  (league ?? '').toLowerCase().includes(O.test);

export interface HideTestDrawsSetting {
  on: boolean;
  /** Error of reading the setting. Without the setting, its default applies. */
  failed: Error | null;
}

/** Reads the setting. A 404 means unset: test draws are hidden. */
export function useHideTestDraws(): HideTestDrawsSetting {
  const { data, error } = useQuery('hideTest');
  const unset = error instanceof HttpError && error.status === 404;
  return {
    on: data === undefined || unset || data.value !== O.off,
    failed: unset || data !== undefined ? null : error,
  };
}
