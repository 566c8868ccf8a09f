/** Test draws are those whose league says so; hidden unless the setting says otherwise (C:205-207, decision E-15). */
import type { AdminDraw } from '@/api/wire-operator';
import { Problem } from '@/api/http';
import { O } from '@/shared/strings-operator';
import { useAnswer } from '../answers/use-answers';

export const HIDE_TEST = 'hide_test_draws';

export const isTest = ({ league }: Pick<AdminDraw, 'league'>): boolean =>
  (league ?? '').toLowerCase().includes(O.test);

export interface HideTest {
  on: boolean;
  /** The setting could not be read: what is shown is the default. */
  failed: Error | null;
}

/** Unset answers 404 and means on. */
export function useHideTest(): HideTest {
  const { data, error } = useAnswer('hideTest');
  const unset = error instanceof Problem && error.status === 404;
  return {
    on: data === undefined || unset || data.value !== O.off,
    failed: unset || data !== undefined ? null : error,
  };
}
