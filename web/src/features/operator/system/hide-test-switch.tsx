import { useSetAtom } from 'jotai';
import { useEffect, useRef } from 'react';
import { setSetting } from '@/api/endpoints/operator';
import { O } from '@/shared/strings-operator';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { useAskAgain, useLearn } from '../answers/use-answers';
import { HIDE_TEST, useHideTest } from '../draws/hidden-tests';
import { said } from '../session/refusals';
import { useDoing } from '../session/use-act';
import { SwitchRow } from './switch-row';

const DESCRIPTION = 'Hide draws whose league contains "test" from the console';

/** Test draws in or out of the console's lists and sums. */
export function HideTestSwitch() {
  const { on, failed } = useHideTest();
  const doing = useDoing();
  const learn = useLearn();
  const again = useAskAgain();
  const toast = useSetAtom(showToastAtom);
  const told = useRef(false);
  useEffect(() => {
    if (!failed || told.current) return;
    told.current = true;
    toast({ bad: true, title: O.settingFailed, text: said(failed) });
  }, [failed, toast]);
  const onSwitch = (hide: boolean) => void doing.run(async () => {
    const setting = await setSetting(HIDE_TEST, hide, DESCRIPTION);
    learn('hideTest', () => setting);
    void again('analytics', 'settings').catch(() => {});
  }, { failed: O.updateFailed, failedText: 'The setting stays as it is. Please try again.' });
  return <SwitchRow label="Hide test draws" on={on} busy={doing.busy} onSwitch={onSwitch} hint={failed ? `${O.settingFailed}. Shown as if on.` : 'Draws whose league contains “test” stay out of these lists and sums. The public lists do not change.'} />;
}
