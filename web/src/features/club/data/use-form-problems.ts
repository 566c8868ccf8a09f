import { useSetAtom } from 'jotai';
import { useEffect, useRef, useState } from 'react';
import { errorOf, type FormProblem } from '@/shared/ui/problem-list';
import { showToastAtom } from '@/shared/ui/toast-atoms';

/** A form's problems: listed together with focus on the list, each beside its field until that is touched again, and the first as a toast (D12). */
export function useFormProblems() {
  const [found, setFound] = useState<readonly FormProblem[]>([]);
  const [touched, setTouched] = useState<readonly string[]>([]);
  const list = useRef<HTMLDivElement>(null);
  const showToast = useSetAtom(showToastAtom);
  useEffect(() => {
    const form = found.length > 0 ? list.current?.closest('form') : null;
    list.current?.focus();
    if (!form) return;
    // Heard at the document, after the field itself has kept what was typed: a render in between would put the old value back.
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
  /** True when there is nothing to complain about. */
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
