import { useEffect } from 'react';
import { PUBLIC_TEXTS as S } from '@/shared/strings';

/** Sets the document title, with 'Error: ' in front while a form has problems. */
export function usePageTitle(title: string, inError = false): void {
  useEffect(() => {
    document.title = `${inError ? 'Error: ' : ''}${title}${title === S.brand ? '' : ` – ${S.brand}`}`;
  }, [title, inError]);
}
