import { useSetAtom } from 'jotai';
import { useEffect, useRef } from 'react';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { useSetQueryData } from '../queries/use-query';
import { HIDE_TEST_DRAWS_KEY, useHideTestDraws } from '../draws/hidden-test-draws';
import { serverMessage } from '../session/error-kinds';
import { SwitchRow } from './switch-row';
import { useSetting } from './use-setting';

/** Switch that hides test draws from the console's lists and sums. */
export function HideTestDrawsSwitch() {
  const { on, failed } = useHideTestDraws();
  const setQueryData = useSetQueryData();
  const toast = useSetAtom(showToastAtom);
  const explained = useRef(false);
  useEffect(() => {
    if (!failed || explained.current) return;
    explained.current = true;
    toast({ bad: true, title: O.settingFailed, text: serverMessage(failed) });
  }, [failed, toast]);
  const { busy, save } = useSetting({
    key: HIDE_TEST_DRAWS_KEY,
    description: 'Hide draws whose league contains "test" from the console',
    onSaved: (saved) => setQueryData('hideTest', () => saved),
    refetchToo: ['analytics'],
  });
  return (
    <SwitchRow
      label="Hide test draws"
      on={on}
      busy={busy}
      onSwitch={save}
      hint={
        failed
          ? `${O.settingFailed}. Shown as if on.`
          : 'Draws whose league contains “test” stay out of these lists and sums. The public lists do not change.'
      }
    />
  );
}
