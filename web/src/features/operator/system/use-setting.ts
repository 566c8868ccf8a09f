/** Saves one boolean setting. */
import { useSetAtom } from 'jotai';
import { saveSetting } from '@/api/endpoints/operator';
import type { SystemSetting } from '@/api/wire-operator';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { useRefetchQueries } from '../queries/use-query';
import type { QueryName } from '../queries/queries';
import { useActionWithFeedback, type FailureText } from '../session/use-action';

interface SettingOptions {
  key: string;
  /** Description that the server stores with the setting. */
  description: string;
  /** Stores the server's response in the query that the setting is read from. */
  onSaved: (saved: SystemSetting, on: boolean) => void;
  /** Confirmation texts for on and off; omit them where the page itself shows the state. */
  done?: readonly [on: string, off: string];
  failed?: Omit<FailureText, 'failed'>;
  /** Queries to reload in addition to the list of settings. */
  refetchToo?: readonly QueryName[];
}

const SETTING_UNCHANGED_TEXT: Omit<FailureText, 'failed'> = {
  failedText: 'The setting stays as it is. Please try again.',
};

/**
 * Returns the busy state and the save function of a setting. `save` stores the value in the
 * server's response, not the requested one.
 */
export function useSetting({
  key,
  description,
  onSaved,
  done,
  failed = SETTING_UNCHANGED_TEXT,
  refetchToo = [],
}: SettingOptions) {
  const action = useActionWithFeedback();
  const refetchQueries = useRefetchQueries();
  const toast = useSetAtom(showToastAtom);
  const save = (newValue: boolean) =>
    void action.run(
      async () => {
        const saved = await saveSetting(key, newValue, description);
        const on = saved.value !== O.off;
        onSaved(saved, on);
        if (done) toast({ title: on ? done[0] : done[1] });
        void refetchQueries(...refetchToo, 'settings').catch(() => {});
      },
      { failed: O.updateFailed, ...failed },
    );
  return { busy: action.busy, save };
}
