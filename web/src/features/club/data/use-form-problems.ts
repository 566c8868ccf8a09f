import { useSetAtom } from 'jotai';
import { useEffect, useRef, useState } from 'react';
import { fieldErrorOf, type FormProblem } from '@/shared/ui/problem-list';
import { showToastAtom } from '@/shared/ui/toast-atoms';

/**
 * Manages a form's problems. The list receives focus and the first problem is shown as a toast.
 * Each field shows its own problem until it is edited (interface decision D12).
 */
export function useFormProblems() {
  const [reported, setReported] = useState<readonly FormProblem[]>([]);
  const [editedFields, setEditedFields] = useState<readonly string[]>([]);
  const list = useRef<HTMLDivElement>(null);
  const showToast = useSetAtom(showToastAtom);
  useEffect(() => {
    const form = reported.length > 0 ? list.current?.closest('form') : null;
    list.current?.focus();
    if (!form) return;
    // Listens on the document so that the field's own handler runs first. A render before that
    // handler would restore the old value.
    const onInput = ({ target }: Event) => {
      if (target instanceof Element && form.contains(target))
        setEditedFields((last) => (last.includes(target.id) ? last : [...last, target.id]));
    };
    document.addEventListener('input', onInput);
    return () => document.removeEventListener('input', onInput);
  }, [reported]);
  const problems = reported.map((problem) => ({
    ...problem,
    isEdited: editedFields.includes(problem.field),
  }));
  /** Stores the problems and returns whether there are none. */
  const report = (now: readonly FormProblem[], title?: string): boolean => {
    setReported(now);
    setEditedFields([]);
    const first = now[0];
    if (first)
      showToast(title ? { title, text: first.text, bad: true } : { title: first.text, bad: true });
    return now.length === 0;
  };
  return { problems, list, errorOf: (field: string) => fieldErrorOf(problems, field), report };
}
