import { useSetAtom } from 'jotai';
import { useEffect, useRef, useState } from 'react';
import type { FormProblem } from '@/shared/ui/problem-list';
import { showToastAtom } from '@/shared/ui/toast-atoms';

/** A form's problems: listed together with focus on the list, each beside its field, and the first as a toast (D12). */
export function useFormProblems() {
  const [problems, setProblems] = useState<readonly FormProblem[]>([]);
  const list = useRef<HTMLDivElement>(null);
  const showToast = useSetAtom(showToastAtom);
  useEffect(() => {
    if (problems.length > 0) list.current?.focus();
  }, [problems]);
  const errorOf = (field: string) => problems.find((problem) => problem.field === field)?.text ?? null;
  /** True when there is nothing to complain about. */
  const settle = (found: readonly FormProblem[], title?: string): boolean => {
    setProblems(found);
    const first = found[0];
    if (first) showToast(title ? { title, text: first.text, bad: true } : { title: first.text, bad: true });
    return found.length === 0;
  };
  return { problems, list, errorOf, settle };
}
