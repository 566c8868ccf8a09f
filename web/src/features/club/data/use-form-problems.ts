import { useSetAtom } from 'jotai';
import { useEffect, useRef, useState } from 'react';
import { errorOf, type FormProblem } from '@/shared/ui/problem-list';
import { showToastAtom } from '@/shared/ui/toast-atoms';

/**
 * Manages a form's problems. The list receives focus and the first problem is shown as a toast.
 * Each field shows its own problem until it is edited (interface decision D12).
 */
export function useFormProblems() {
  const [found, setFound] = useState<readonly FormProblem[]>([]);
  const [touched, setTouched] = useState<readonly string[]>([]);
  const list = useRef<HTMLDivElement>(null);
  const showToast = useSetAtom(showToastAtom);
  useEffect(() => {
    const form = found.length > 0 ? list.current?.closest('form') : null;
    list.current?.focus();
    if (!form) return;
    // Listens on the document so that the field's own handler runs first. An earlier render would
    // restore the old value.
    const onInput = ({ target }: Event) => {
      if (target instanceof Element && form.contains(target))
        setTouched((last) => (last.includes(target.id) ? last : [...last, target.id]));
    };
    document.addEventListener('input', onInput);
    return () => document.removeEventListener('input', onInput);
  }, [found]);
  const problems = found.map((problem) => ({
    ...problem,
    mended: touched.includes(problem.field),
  }));
  /** Stores the problems and returns true when there are none. */
  const settle = (now: readonly FormProblem[], title?: string): boolean => {
    setFound(now);
    setTouched([]);
    const first = now[0];
    if (first)
      showToast(title ? { title, text: first.text, bad: true } : { title: first.text, bad: true });
    return now.length === 0;
  };
  return { problems, list, errorOf: (field: string) => errorOf(problems, field), settle };
}
