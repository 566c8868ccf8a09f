/** Saving one setting that is on or off. */
import { useSetAtom } from 'jotai';
import { setSetting } from '@/api/endpoints/operator';
import type { SystemSetting } from '@/api/wire-operator';
import { O } from '@/shared/strings-operator';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { useAskAgain } from '../answers/use-answers';
import type { QuestionName } from '../answers/questions';
import { useDoing, type Words } from '../session/use-act';

interface Setting {
  key: string;
  /** What the list of settings says it is for. */
  description: string;
  /** Puts the server's answer where the setting is read. */
  learn: (saved: SystemSetting, on: boolean) => void;
  /** What is said when it is on, and when it is off; nothing where the page itself shows it. */
  done?: readonly [on: string, off: string];
  failed?: Omit<Words, 'failed'>;
  /** What is asked again besides the list of settings. */
  also?: readonly QuestionName[];
}

const STAYS: Omit<Words, 'failed'> = {
  failedText: 'The setting stays as it is. Please try again.',
};

/** The server decides: what it answers is learned and said, not what was asked for. */
export function useSetting({ key, description, learn, done, failed = STAYS, also = [] }: Setting) {
  const doing = useDoing();
  const again = useAskAgain();
  const toast = useSetAtom(showToastAtom);
  const save = (wanted: boolean) =>
    void doing.run(
      async () => {
        const saved = await setSetting(key, wanted, description);
        const on = saved.value !== O.off;
        learn(saved, on);
        if (done) toast({ title: on ? done[0] : done[1] });
        void again(...also, 'settings').catch(() => {});
      },
      { failed: O.updateFailed, ...failed },
    );
  return { busy: doing.busy, save };
}
